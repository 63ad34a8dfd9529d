package import Loops
package import WalletProtocol

/// The keys of auth, fetched over the network and kept by one loop.
///
/// Read again every few seconds, and when one is heard to be revoked, so that the key that signs is
/// known before its tokens come and no request waits for it. An unknown one is asked for at once.
package final class NetworkKeys: KeySource {
    private let client: InternalClient
    private var keys: [String: VerificationKey] = [:]
    private var askedAt: UInt64 = 0
    private var hasFailed = false
    private let revocations: Revocations
    private var revokedCount = 0
    private let inquiry: KeyInquiry
    static let rereadNanoseconds: UInt64 = 15_000_000_000

    /// None yet.
    package init(client: InternalClient, revocations: Revocations, loop: EventLoop) {
        self.client = client
        self.revocations = revocations
        inquiry = KeyInquiry(on: loop)
    }

    /// Reads them again where it is time to.
    package func keepFresh() async {
        let revoked = revocations.revokedKeyCount
        guard
            // Cannot wrap: they were asked for before now, and the clock never goes back.
            revoked != revokedCount || hasFailed
                || monotonicNanoseconds() &- askedAt > Self.rereadNanoseconds
        else { return }
        await refresh()
        if !hasFailed { revokedCount = revoked }
    }

    /// The key of that name, asked for where it is not known.
    package func key(_ id: String) async throws(APIError) -> VerificationKey? {
        if let key = keys[id] { return key }
        let couldSay = try await inquiry.ask(until: { keys[id] != nil }) {
            await refresh()
            return !hasFailed
        }
        if let key = keys[id] { return key }
        // Nobody can say whether there is such a key: that is no reason to log anybody out.
        guard couldSay else { throw APIError(.unavailable, retryAfterSeconds: 1) }
        return nil
    }

    func refresh() async {
        askedAt = monotonicNanoseconds()
        guard let set = try? await client.call(WellKnown.keys) else {
            hasFailed = true
            return
        }
        var fresh: [String: VerificationKey] = [:]
        for view in set.keys { fresh[view.keyID] = VerificationKey(view) }
        if !fresh.isEmpty { keys = fresh }
        hasFailed = false
    }
}
