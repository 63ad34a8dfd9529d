import ServiceKit
import WalletProtocol

/// Has auth's audit log tell of each query for everybody's figures before it is answered: who
/// asked what, whatever becomes of it, and nothing of the answer.
struct InsightAudit {
    /// Tells auth.
    typealias Tell = (InsightsReading) async throws(APIError) -> Void
    private let tell: Tell

    init(tell: @escaping Tell) { self.tell = tell }

    /// - Parameter asked: what is asked, where that is not the query of the call.
    /// - Throws: 503 where the log does not take it: nothing is answered that nobody could see.
    func note<Query, Body>(
        _ request: Request<Query, Body>,
        of endpoint: EndpointDescription,
        asking asked: String? = nil,
        by caller: Caller
    ) async throws {
        let reading = InsightsReading(
            userID: caller.user.id,
            path: endpoint.path.text,
            query: asked ?? request.query.queryText,
            addressFamily: AddressFamily(of: request.clientAddress)
        )
        do throws(APIError) { try await tell(reading) } catch {
            throw APIError(.unavailable, retryAfterSeconds: 1)
        }
    }
}
