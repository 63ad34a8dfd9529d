import Postgres
import ServiceKit
import WalletProtocol

/// Reads what reports fall back on: as auth has a person, where it has told of a change whose event
/// has not come.
struct PersonReader {
    let database: Database
    var newer: NewerPeople?

    func settings(of user: ID<User>) async throws -> PersonSettings {
        guard let known = try await database.queryOne(PeopleStatements.settings, user) else {
            return .unknown
        }
        guard let told = await newer?.person(user, after: known.version) else { return known }
        try await database.execute(
            PeopleStatements.upsert,
            user,
            told.area,
            told.dateOfBirth,
            told.currency,
            told.timeZone,
            told.language,
            told.dateFormat?.rawValue,
            Int32(clamping: told.version)
        )
        return PersonSettings(
            currency: told.currency,
            timeZone: told.timeZone,
            language: told.language,
            dateFormat: told.dateFormat,
            version: told.version
        )
    }
}
