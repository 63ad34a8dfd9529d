import Postgres
import ServiceKit
import WalletProtocol

/// Keeps the copy of people by auth's events.
enum PeopleEvents {
    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        switch event.type {
        case UserRegistered.eventType:
            let user = try event.body(as: UserRegistered.self)
            try await transaction.execute(
                PeopleStatements.upsert,
                user.userID,
                user.area,
                user.dateOfBirth,
                user.currency,
                user.timeZone
            )
        case UserChanged.eventType:
            let user = try event.body(as: UserChanged.self)
            try await transaction.execute(
                PeopleStatements.upsert,
                user.userID,
                user.area,
                user.dateOfBirth,
                user.currency,
                user.timeZone
            )
        case UserErased.eventType:
            let user = try event.body(as: UserErased.self)
            try await transaction.execute(PeopleStatements.erase, user.userID, user.erasedAt)
            try await forget([user.userID], in: transaction)
        default: break
        }
    }

    /// Deletes what came of erased people after them, or beside them: the ledger's events and
    /// auth's are two streams, and neither waits for the other.
    static func forgetLateFacts(in database: Database) async throws {
        let people = try await database.query(PeopleStatements.lastErased)
        guard !people.isEmpty else { return }
        try await forget(people, in: database)
    }

    private static func forget(_ people: [ID<User>], in database: some Querying) async throws {
        try await database.execute(PeopleStatements.forgetFacts, people)
        try await database.execute(PeopleStatements.forgetCategories, people)
    }
}
