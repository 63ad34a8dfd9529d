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
                user.timeZone,
                user.language,
                user.dateFormat?.rawValue,
                Int32(clamping: user.version)
            )
        case UserChanged.eventType:
            let user = try event.body(as: UserChanged.self)
            try await transaction.execute(
                PeopleStatements.upsert,
                user.userID,
                user.area,
                user.dateOfBirth,
                user.currency,
                user.timeZone,
                user.language,
                user.dateFormat?.rawValue,
                Int32(clamping: user.version)
            )
        case UserErased.eventType:
            let user = try event.body(as: UserErased.self)
            try await erase(user.userID, at: user.erasedAt, in: transaction)
            try await eraseFacts(of: user.userID, in: transaction)
            try await eraseBookings(of: user.userID, in: transaction)
            try await ErasedUsers.forgetDead(of: user.userID, in: transaction)
        default: break
        }
    }

    /// Forgets a person, but for what they have booked.
    static func erase(
        _ user: ID<User>,
        at moment: Instant,
        in transaction: Transaction
    ) async throws {
        try await ErasedUsers.remember(user, at: moment, in: transaction)
        try await ErasedUsers.forgetKeys(of: user, in: transaction)
        try await transaction.execute(PeopleStatements.delete, user)
        try await transaction.execute(PeopleStatements.forgetCategories, user)
        try await transaction.execute(PeopleStatements.forgetWallets, user)
        try await transaction.execute(SavedQueryStatements.forget, user)
    }

    /// How many bookings one statement forgets: well within a second.
    static let chunk: Int32 = 5_000

    /// Forgets what a person has booked, of which there may be any number; none comes any more.
    static func eraseFacts(of user: ID<User>, in database: some Querying) async throws {
        repeat {
            while try await database.execute(PeopleStatements.forgetFacts, user, chunk) > 0 {}
            while try await database.execute(ReportCellStatements.forget, user, chunk) > 0 {}
            // What somebody changed while it was waited for was passed over.
        } while try await database.queryOne(PeopleStatements.hasFacts, user) == true
    }

    /// Forgets what releases have of a person, but for how many such there were; what was told
    /// stays until a release that may tell what is left.
    ///
    /// While a month is at work it is nobody's at once, and goes when that is done.
    static func eraseBookings(of user: ID<User>, in transaction: Transaction) async throws {
        try await transaction.execute(BookingStatements.loseNumber, user)
        guard try await transaction.queryOne(ReleaseStatements.tryLock) != nil else { return }
        try await transaction.execute(BookingStatements.forgetGone)
    }
}
