import Postgres
import ServiceKit
import WalletProtocol

/// Forgets people by order of auth, before the event that tells everybody.
struct PersonEraser {
    let database: Database

    /// Forgets one, what is still on its way here about them, and what they have booked.
    func erase(by order: ErasureOrder) async throws {
        try await database.transaction { transaction in
            try await ErasedUsers.forgetEvents(by: order, in: transaction)
            try await PeopleEvents.erase(order.userID, at: order.erasedAt, in: transaction)
        }
        // Each chunk commits by itself: what a try has done stays done.
        try await PeopleEvents.eraseFacts(of: order.userID, in: database)
        try await UsageEvents.erase(order.userID, in: database)
        // Last: a month that was at work has then counted what was there, or it has not.
        try await database.transaction { transaction in
            try await PeopleEvents.eraseBookings(of: order.userID, in: transaction)
        }
    }
}
