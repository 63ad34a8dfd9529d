import Postgres
import Text
import WalletProtocol

/// How many accounts a person may have, closed ones among them: whoever follows changes has a look
/// at each.
enum AccountLimits {
    static let countMax: Int64 = 1_000

    /// - Throws: `too-many-accounts`.
    static func check(of user: ID<User>, in database: some Querying) async throws {
        let count = try await database.queryOne(AccountStatements.count, user) ?? 0
        guard count < countMax else { throw APIError(.tooManyAccounts) }
    }
}

/// Names for accounts that were given none.
enum AccountNames {
    /// `base`, or with the first number that makes it free.
    static func free(
        _ base: String,
        of user: ID<User>,
        in database: some Querying
    ) async throws -> String {
        let folded = TextFolding.caseFolded(base)
        let taken = Set(
            try await database.query(AccountStatements.openNames, user, folded + "%")
        )
        var number = 1
        var name = base
        while taken.contains(TextFolding.caseFolded(name)) {
            number += 1
            name = "\(base) \(number)"
        }
        return name
    }
}
