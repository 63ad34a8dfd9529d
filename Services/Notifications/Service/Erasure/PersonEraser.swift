import Postgres
import ServiceKit
import WalletProtocol

/// Forgets people by order of auth, before the event that tells everybody.
struct PersonEraser {
    let database: Database

    /// Forgets one, and what is still on its way here about them.
    func erase(by order: ErasureOrder) async throws {
        try await database.transaction { transaction in
            try await ErasedUsers.forgetEvents(by: order, in: transaction)
            try await PeopleEvents.erase(order.userID, at: order.erasedAt, in: transaction)
        }
    }
}
