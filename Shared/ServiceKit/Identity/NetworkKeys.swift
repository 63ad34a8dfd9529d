internal import Loops
internal import WalletProtocol

/// The keys of auth, fetched over the network and kept by one loop.
///
/// An unknown key is asked for at once, but not more often than once in two seconds: a forged
/// token names any key it likes.
final class NetworkKeys: KeySource {
    private let client: InternalClient
    private var keys: [String: VerificationKey] = [:]
    private var askedAt: UInt64 = 0
    static let pauseNanoseconds: UInt64 = 2_000_000_000

    init(client: InternalClient) { self.client = client }

    func key(_ id: String) async -> VerificationKey? {
        if let key = keys[id] { return key }
        let now = monotonicNanoseconds()
        guard keys.isEmpty || now &- askedAt > Self.pauseNanoseconds else { return nil }
        askedAt = now
        await refresh()
        return keys[id]
    }

    func refresh() async {
        guard let set = try? await client.call(WellKnown.keys) else { return }
        var fresh: [String: VerificationKey] = [:]
        for view in set.keys { fresh[view.keyID] = VerificationKey(view) }
        if !fresh.isEmpty { keys = fresh }
    }
}
