/// Which requests are not sent to another replica, because one like them has ended two.
///
/// A safe request whose replica dies under it is sent to another, once: it is most likely innocent,
/// for of all that were in flight there one at most was to blame. Where that replica dies under it
/// too, the request is suspect, and so is whoever sends the like: the pair of its network and its
/// route. For ten seconds such a pair's requests go to the replica that it ended last, and to no
/// other, so that it costs two; everybody else is repeated as before, also who was in flight on the
/// second replica and saw the first death there. A killer that comes from many networks is known by
/// its route: where repeats have ended two replicas within ten seconds, the route has none for as
/// long.
///
/// Belongs to one service on one loop: each loop finds out for itself. Kept: a pair each for
/// `callersMax` callers, beyond which the route's rule alone holds, and a few words a route.
///
/// Cannot wrap: times are of one loop's clock, those kept before `now`, and constants are added.
struct RepeatGuard {
    /// Who sends a kind of request.
    struct Caller: Hashable {
        let network: UInt64
        /// The path's template.
        let route: String
    }

    /// One replica's end; what was in flight there sees it within a moment.
    private struct Death: Equatable {
        var replica: Int
        var at: UInt64
    }

    private struct Suspect {
        var replica: Int
        var until: UInt64
    }

    private struct Trail {
        var last: Death
        var stoppedUntil: UInt64 = 0
    }

    static let nanoseconds: UInt64 = 10_000_000_000
    static let callersMax = 1_024
    /// Connections that close within so long of each other were closed by one death.
    static let deathNanoseconds: UInt64 = 1_000_000_000

    private var deaths: [Int: UInt64] = [:]
    private var suspects: [Caller: Suspect] = [:]
    private var routes: [String: Trail] = [:]
    private var quietFrom: UInt64 = 0

    var suspectCount: Int { suspects.count }

    /// A replica has closed the connection under a request; when it began to.
    @discardableResult
    mutating func died(_ replica: Int, now: UInt64) -> UInt64 {
        if let at = deaths[replica], now &- at < Self.deathNanoseconds { return at }
        deaths[replica] = now
        return now
    }

    /// Whether nobody is suspect: mostly.
    func isQuiet(now: UInt64) -> Bool { now >= quietFrom }

    /// The second replica, too, has died under a caller's request.
    mutating func suspect(_ caller: Caller, of replica: Int, now: UInt64) {
        let death = Death(replica: replica, at: died(replica, now: now))
        var route = routes[caller.route] ?? Trail(last: death)
        if route.last != death, now &- route.last.at < Self.nanoseconds {
            route.stoppedUntil = now &+ Self.nanoseconds
        }
        route.last = death
        routes[caller.route] = route
        if suspects.count >= Self.callersMax { forget(now: now) }
        guard suspects.count < Self.callersMax || suspects[caller] != nil else { return }
        quietFrom = now &+ Self.nanoseconds
        suspects[caller] = Suspect(replica: replica, until: quietFrom)
    }

    /// A replica's place is another's now, which has ended under nobody.
    mutating func replaced(_ replica: Int) {
        deaths[replica] = nil
        suspects = suspects.filter { $0.value.replica != replica }
    }

    /// Whether a safe request may go to another replica after its own has died under it.
    func allows(_ caller: Caller, now: UInt64) -> Bool {
        if let suspect = suspects[caller], now < suspect.until { return false }
        return now >= routes[caller.route]?.stoppedUntil ?? 0
    }

    /// The one replica that a suspect's requests go to; nil: any.
    func replica(for caller: Caller, now: UInt64) -> Int? {
        guard let suspect = suspects[caller], now < suspect.until else { return nil }
        return suspect.replica
    }

    private mutating func forget(now: UInt64) {
        suspects = suspects.filter { now < $0.value.until }
    }
}
