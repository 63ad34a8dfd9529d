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
        default: break
        }
    }
}
