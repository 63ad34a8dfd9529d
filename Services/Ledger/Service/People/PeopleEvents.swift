import Postgres
import WalletProtocol

/// What auth tells of people.
enum PeopleEvents {
    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        switch event.type {
        case UserRegistered.eventType:
            let body = try event.body(as: UserRegistered.self)
            // Who has nothing of their own gets nothing; if that changes, by their first call.
            guard body.roles.contains(.user) else { return }
            try await People.make(body.userID, Person(body), in: transaction)
        case UserChanged.eventType:
            let body = try event.body(as: UserChanged.self)
            try await change(body.userID, Person(body), in: transaction)
        case UserErased.eventType:
            try await PersonEraser.apply(event.body(as: UserErased.self), in: transaction)
        default: break
        }
    }

    /// Stores a person as they are now, unless a later version is stored already: what the event
    /// tells, auth may have answered before.
    static func change(
        _ user: ID<User>,
        _ person: Person,
        in transaction: Transaction
    ) async throws {
        for lookAgain in [RecurrenceStatements.lookAgain, StandingOrderStatements.lookAgain] {
            try await transaction.execute(lookAgain, user, person.timeZone, Instant.now())
        }
        try await transaction.execute(
            PeopleStatements.update,
            user,
            person.currency.code,
            person.timeZone,
            person.displayName,
            Int16(clamping: person.monthStart),
            person.language,
            person.dateFormat?.rawValue,
            Int32(clamping: person.version)
        )
    }
}
