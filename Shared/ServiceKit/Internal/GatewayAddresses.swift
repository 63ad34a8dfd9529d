internal import HTTP
internal import Loops
internal import Names

/// The connections of one loop to all addresses that the gateway's name stands for.
///
/// Requests go to the addresses in turn; where one cannot be connected to, nothing has been sent,
/// so the next is tried. No request waits for a name that has been resolved before: the addresses
/// are brought up to date beside it, and kept where that fails.
final class GatewayAddresses {
    private let host: String
    private let port: Int
    private let names: NameResolver
    private var known: [(address: String, upstream: Upstream)] = []
    private var turn = 0
    private var looksAgainAt: UInt64 = 0
    private var isLooking = false
    /// An address did not answer: what the resolver remembers may be out of date.
    private var ledNowhere = false

    /// How long addresses are used before the resolver, which remembers for itself, is asked.
    static let keptNanoseconds: UInt64 = 1_000_000_000

    init(host: String, port: Int, names: NameResolver) {
        self.host = host
        self.port = port
        self.names = names
    }

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> HTTPExchange {
        if known.isEmpty {
            await look(deadline: request.deadline)
        } else if names.loop.now >= looksAgainAt, !isLooking {
            lookBeside()
        }
        guard !known.isEmpty else { throw .cannotConnect }
        let upstreams = known.map(\.upstream)
        turn = (turn + 1) % upstreams.count
        let inTurn = upstreams[turn...] + upstreams[..<turn]
        for upstream in inTurn.dropLast() {
            do throws(HTTPClientError) {
                return try await upstream.send(request)
            } catch {
                guard leadsNowhere(error, request) else { throw error }
                ledNowhere = true
            }
        }
        do throws(HTTPClientError) {
            return try await inTurn[inTurn.endIndex - 1].send(request)
        } catch {
            if leadsNowhere(error, request) { ledNowhere = true }
            throw error
        }
    }

    /// Whether another address is of use: nothing was sent, or what died under it may be repeated.
    private func leadsNowhere(_ error: HTTPClientError, _ request: ClientRequest) -> Bool {
        switch error {
        case .cannotConnect: true
        case .closed(afterSending: true): request.method.isSafe
        default: false
        }
    }

    private func lookBeside() {
        isLooking = true
        let bound = LoopBound(self, to: names.loop.actor)
        names.loop.actor.spawn { actor in
            let addresses = bound.on(actor)
            // Cannot wrap: five seconds are added to the clock.
            await addresses.look(deadline: actor.loop.now &+ 5_000_000_000)
            addresses.isLooking = false
        }
    }

    private func look(deadline: UInt64) async {
        let secondsOldMax = ledNowhere ? 1 : Int.max
        ledNowhere = false
        // Cannot wrap: a constant is added to the clock.
        looksAgainAt = names.loop.now &+ Self.keptNanoseconds
        let found = try? await names.addresses(
            of: host,
            secondsOldMax: secondsOldMax,
            deadline: deadline
        )
        if let found { use(found.map(\.text)) }
    }

    /// Requests under way end on the addresses that go.
    private func use(_ addresses: [String]) {
        for (address, upstream) in known where !addresses.contains(address) {
            upstream.closeIdle()
        }
        known = addresses.map { address in
            known.first { $0.address == address }
                ?? (address, Upstream(host: address, port: port, loop: names.loop))
        }
    }
}
