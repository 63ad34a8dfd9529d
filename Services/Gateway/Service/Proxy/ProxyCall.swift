import HTTP
import Loops
import ServiceKit
import WalletProtocol

/// What one request carries on to a service: its name, its trace, its time left, its sender.
struct ProxyCall {
    /// The request's name: the client's own, or one that is written out only into messages.
    private enum Name {
        case given(String)
        case made(ID<RequestName>)
    }

    let side: Side
    let trace: TraceParent
    let deadline: UInt64
    /// How many gateways it has passed with this one; nil: what it says of that is no number.
    let hops: Int?
    private let name: Name

    init(_ request: HTTPRequest, side: Side, requestNanoseconds: UInt64) {
        let head = request.head
        self.side = side
        if let text = head.requestID {
            name = .given(text)
        } else {
            name = .made(PlainRandom.requestName())
        }
        trace = head.value(.traceparent).flatMap { TraceParent($0) }?.child() ?? .new()
        // Cannot wrap: 300 s at most, by the variable's range.
        var deadline = request.receivedAt &+ requestNanoseconds
        // From outside nobody sets our clocks, nor how far a call has come.
        if side == .inside {
            if let text = head.text(.xRequestDeadline), let milliseconds = UInt64(text) {
                let least = min(milliseconds, requestNanoseconds / 1_000_000)
                // Cannot wrap: whatever is asked for, no more than is given.
                deadline = min(deadline, request.receivedAt &+ least &* 1_000_000)
            }
            hops = Self.hops(head).map { $0 + 1 }
        } else {
            hops = 1
        }
        self.deadline = deadline
    }

    /// How many gateways a call of ours has passed before.
    private static func hops(_ head: MessageHead) -> Int? {
        guard let value = head.value(.xEZWalletHops) else { return 0 }
        guard !head.isRepeated(.xEZWalletHops), (1...3).contains(value.count),
            value.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    var requestID: String {
        switch name {
        case .given(let text): text
        case .made(let id): id.text
        }
    }

    func appendRequestID(to block: inout HeaderBlock) {
        switch name {
        case .given(let text): block.append(.xRequestID, text)
        case .made(let id):
            let characters = id.characters
            block.append(.xRequestID, characters.span)
        }
    }

    var context: RequestContext {
        RequestContext(deadline: deadline, requestID: requestID, traceparent: trace.text)
    }

    /// Appends the fields that go on: the client's own, less what we alone may say.
    func appendFields(of request: HTTPRequest, token: String?, to block: inout HeaderBlock) {
        let side = self.side
        request.head.copyEndToEndFields(to: &block) { field in
            switch field {
            case .host, .traceparent, .xRequestID, .xRequestDeadline, .xForwardedFor,
                .xForwardedHost, .xForwardedProto, .xEZWalletHops, .xEZWalletGateway,
                .xEZWalletClientAddress:
                true
            // A service that acts for a user says so; a client cannot.
            case .xEZWalletUser: side == .outside
            default: false
            }
        }
        appendRequestID(to: &block)
        let traceparent = trace.characters
        block.append(.traceparent, traceparent.span)
        let now = monotonicNanoseconds()
        block.append(
            .xRequestDeadline,
            Int((deadline > now ? deadline - now : 0) / 1_000_000)
        )
        block.append(.xEZWalletHops, hops ?? 1)
        if side == .outside, let token {
            block.append(.xEZWalletGateway, token)
            block.append(.xEZWalletClientAddress, request.peer.text)
        }
    }
}

/// The gateway's own service token, beside which its word on a client's address is believed.
///
/// Fetched in the background: no request waits for it. Once a second auth is asked whether it still
/// counts, for a revoked key ends it, too, and all clients would seem to come from one address.
/// The answer is also what clients' tokens are checked against before a body is read.
final class GatewayToken {
    private let client: InternalClient
    private let revocations: Revocations
    private let keys: NetworkKeys?
    /// The newest; nil until there is one.
    private(set) var token: String?
    private var after: Int?

    init(
        client: InternalClient,
        revocations: Revocations = Revocations(),
        keys: NetworkKeys? = nil
    ) {
        self.client = client
        self.revocations = revocations
        self.keys = keys
    }

    /// Keeps the token fresh; `had` is called once, when there is one.
    func keepFresh(_ loop: EventLoop, had: () -> Void) async {
        while !Task.isCancelled {
            let isFirst = token == nil
            if !isFirst {
                let query = RevocationQuery(after: after)
                let told = try? await client.call(
                    InternalAuth.revocations,
                    query: query,
                    body: NoBody()
                )
                after = told?.after ?? after
                if let told { revocations.add(told.items, isWhole: !told.hasMore) }
                if told?.hasMore == true { continue }
                await keys?.keepFresh()
            }
            token = (try? await client.serviceToken()) ?? token
            if isFirst, token != nil { had() }
            try? await loop.sleep(nanoseconds: token == nil ? 200_000_000 : 1_000_000_000)
        }
    }
}
