import HTTP
import Loops

/// One request's turn at a service: at one replica, and at another where that is of use.
struct Turn {
    private let request: HTTPRequest
    private let route: Route
    private let service: UpstreamService
    /// The one replica that may be asked, where its like has ended two.
    private let only: Int?
    private var excluded: Int?
    /// The first replica died under it.
    private var hasSeenDeath = false

    @inline(never)
    init(_ request: HTTPRequest, _ route: Route, _ service: UpstreamService) {
        self.request = request
        self.route = route
        self.service = service
        let now = request.loop.now
        service.retries.countRequest(now: now)
        // What is not safe is never sent on: it may go to any.
        let mayKill = request.head.method.isSafe && !service.repeats.isQuiet(now: now)
        only = mayKill ? service.repeats.replica(for: Self.caller(request, route), now: now) : nil
    }

    private static func caller(_ request: HTTPRequest, _ route: Route) -> RepeatGuard.Caller {
        RepeatGuard.Caller(network: request.peer.network, route: route.template)
    }

    /// The next replica to ask; nil: there is none.
    func attempt(now: UInt64) -> Attempt? {
        Attempt(at: service, only: only, excluding: excluded, now: now)
    }

    /// Whether another replica is to be asked.
    @inline(never)
    mutating func goesOn(
        after error: HTTPClientError,
        at attempt: Attempt,
        _ body: ClientRequest.Body,
        now: UInt64
    ) -> Bool {
        let isDeath = error == .closed(afterSending: true)
        let caller = Self.caller(request, route)
        if isDeath, hasSeenDeath { service.repeats.suspect(caller, of: attempt.index, now: now) }
        guard excluded == nil, only == nil, mayRepeat(error, body) else { return false }
        if isDeath, !service.repeats.allows(caller, now: now) { return false }
        guard service.retries.takeRetry(now: now) else { return false }
        excluded = attempt.index
        hasSeenDeath = isDeath
        return true
    }

    /// Again only where nothing can have been done: nothing was sent, or the method is safe.
    private func mayRepeat(_ error: HTTPClientError, _ body: ClientRequest.Body) -> Bool {
        switch error {
        // Not even a streamed body has been touched then.
        case .cannotConnect, .closed(afterSending: false): return true
        case .closed(afterSending: true), .tooManyStreams:
            if case .stream = body { return false }
            return request.head.method.isSafe
        case .tooManyWaiting, .deadline, .framing, .bodyTooLarge, .source: return false
        }
    }
}
