import ServiceKit
import WalletProtocol

/// Who may read a group's figures, and a child's: groups is asked at every call, so that a right
/// that has ended shows nothing from then on.
struct ReportRights {
    /// Asks groups.
    typealias Ask = (AccessQuery) async throws(APIError) -> AccessView
    private let ask: Ask

    init(ask: @escaping Ask) { self.ask = ask }

    /// The group's currency.
    /// - Throws: 404 for whoever is not in it; 503 where groups does not answer.
    func requireMember(_ user: ID<User>, of group: ID<Group>) async throws -> Currency? {
        try await answer(.group(group, of: user)).currency
    }

    /// - Throws: 404 for whoever is no parent of the child; 503 where groups does not answer.
    func requireParent(_ user: ID<User>, of child: ID<User>) async throws {
        _ = try await answer(.child(child, of: user))
    }

    private func answer(_ query: AccessQuery) async throws -> AccessView {
        let view: AccessView
        do throws(APIError) { view = try await ask(query) } catch {
            throw APIError(.unavailable, retryAfterSeconds: 1)
        }
        guard view.isMember else { throw APIError.notFound }
        return view
    }
}
