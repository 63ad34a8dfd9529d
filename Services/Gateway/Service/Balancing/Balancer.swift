/// Chooses the replica for each request: two at random, the one with the lower load.
///
/// Belongs to one loop. Rules, in order: a replica whose breaker is open or that fails its health
/// checks is out, but never all of them; breakers open on a tenth of the replicas at most, on one
/// at least, never on all; of two drawn at random the one with the lower peak EWMA times
/// outstanding gets it, where silence counts as cost; one that nobody has asked for a while is
/// tried first; a replica that came back is given its share slowly.
/// Source: power of two choices (Mitzenmacher); Envoy (ejection bound, slow start).
struct Balancer {
    /// One replica as the balancer sees it.
    struct Endpoint {
        let address: String
        var cost: PeakEWMA
        var breaker = CircuitBreaker()
        var isHealthy = true
        /// Its last check was not answered, which is not enough to put it out.
        var isDoubted = false
        /// Since when it counts as (again) healthy; its share grows over the slow start.
        var healthySince: UInt64
        /// It gets no more requests; its place is given away once those under way have ended.
        var isRetired = false
    }

    static let slowStartNanoseconds: UInt64 = 5_000_000_000
    static let slowStartFloor = 0.1
    /// Of so many replicas one may be out by its breaker.
    static let ejectedDivisor = 10

    private(set) var endpoints: [Endpoint]
    private var liveCount: Int
    private var random: SplitMix64

    init(addresses: [String], now: UInt64, seed: UInt64) {
        endpoints = addresses.map {
            // At start all are equally new: nobody's share needs to grow.
            Endpoint(
                address: $0,
                cost: PeakEWMA(now: now),
                // Cannot wrap: no more than `now` is taken off.
                healthySince: now &- min(now, Self.slowStartNanoseconds)
            )
        }
        liveCount = addresses.count
        random = SplitMix64(state: seed)
    }

    /// Takes in a replica and answers its index; it gets requests once it has passed a check.
    mutating func add(_ address: String, now: UInt64) -> Int {
        // With none beside it there is nothing to wait for.
        let endpoint = Endpoint(
            address: address,
            cost: PeakEWMA(now: now),
            isHealthy: liveCount == 0,
            healthySince: now
        )
        liveCount += 1
        let free = endpoints.firstIndex { $0.isRetired && $0.cost.outstanding == 0 }
        guard let free else {
            endpoints.append(endpoint)
            return endpoints.count - 1
        }
        endpoints[free] = endpoint
        return free
    }

    /// Sends no more requests to a replica; those under way end as they do.
    mutating func retire(_ index: Int) {
        guard !endpoints[index].isRetired else { return }
        endpoints[index].isRetired = true
        liveCount -= 1
    }

    /// The index of the replica to ask, not one of `excluded` where another is left.
    ///
    /// Nil: there is no replica at all. The caller ends each choice with one of `succeeded`,
    /// `failed` or `abandoned`.
    mutating func choose(excluding excluded: Int? = nil, now: UInt64) -> Int? {
        guard liveCount > 0 else { return nil }
        var among = Among.sound
        var candidates = count(excluding: excluded, among, now: now)
        // Where all are out, asking one beats failing everyone: it may have come back. Rather one
        // that answers its checks.
        while candidates == 0, let next = Among(rawValue: among.rawValue + 1) {
            among = next
            candidates = count(excluding: excluded, among, now: now)
        }
        guard candidates > 0 else { return nil }
        func candidate(_ number: Int) -> Int {
            var left = number
            for index in endpoints.indices
            where isCandidate(index, excluding: excluded, among, now: now) {
                if left == 0 { return index }
                left -= 1
            }
            return 0
        }
        var chosen = candidate(0)
        if candidates > 1 {
            let first = Int(random.next() % UInt64(candidates))
            var second = Int(random.next() % UInt64(candidates - 1))
            if second >= first { second += 1 }
            let (a, b) = (candidate(first), candidate(second))
            chosen = load(a, now: now) <= load(b, now: now) ? a : b
        }
        begin(chosen, now: now)
        return chosen
    }

    /// The replica at this index and no other; nil where it has gone.
    mutating func choose(only index: Int, now: UInt64) -> Int? {
        guard endpoints.indices.contains(index), !endpoints[index].isRetired else { return nil }
        begin(index, now: now)
        return index
    }

    private mutating func begin(_ index: Int, now: UInt64) {
        _ = endpoints[index].breaker.admits(now: now)
        endpoints[index].cost.begin(now: now)
    }

    private func isEligible(_ index: Int, _ excluded: Int?) -> Bool {
        !endpoints[index].isRetired && (index != excluded || liveCount == 1)
    }

    /// Of which replicas one is drawn: each case takes more of them in.
    private enum Among: Int {
        /// Those that are not out.
        case sound
        /// Also those whose breaker is open.
        case healthy
        /// Also those that fail their checks.
        case all
    }

    /// Whether a replica may be drawn.
    private func isCandidate(
        _ index: Int,
        excluding excluded: Int?,
        _ among: Among,
        now: UInt64
    ) -> Bool {
        guard isEligible(index, excluded) else { return false }
        switch among {
        case .sound:
            return endpoints[index].isHealthy && endpoints[index].breaker.wouldAdmit(now: now)
        case .healthy: return endpoints[index].isHealthy
        case .all: return true
        }
    }

    /// How many may be drawn; counted rather than listed, for this runs for each request.
    private func count(excluding excluded: Int?, _ among: Among, now: UInt64) -> Int {
        var count = 0
        for index in endpoints.indices
        where isCandidate(index, excluding: excluded, among, now: now) { count += 1 }
        return count
    }

    /// Whether one more breaker may open.
    private var mayEject: Bool {
        var healthy = 0
        var ejected = 0
        for endpoint in endpoints where !endpoint.isRetired && endpoint.isHealthy {
            healthy += 1
            if endpoint.breaker.state != .closed { ejected += 1 }
        }
        return ejected < min(healthy - 1, max(1, healthy / Self.ejectedDivisor))
    }

    /// The load, made to look larger while the replica is young; none where it is to be tried
    /// again.
    private func load(_ index: Int, now: UInt64) -> Double {
        let endpoint = endpoints[index]
        if !endpoint.isDoubted, endpoint.cost.isForgotten(now: now) { return 0 }
        let age = now > endpoint.healthySince ? now - endpoint.healthySince : 0
        let share = max(
            Self.slowStartFloor,
            min(1, Double(age) / Double(Self.slowStartNanoseconds))
        )
        return endpoint.cost.load(now: now) / share
    }

    mutating func succeeded(_ index: Int, roundTripNanoseconds: UInt64, now: UInt64) {
        endpoints[index].cost.end(roundTripNanoseconds: roundTripNanoseconds, now: now)
        endpoints[index].breaker.succeeded(now: now)
    }

    mutating func failed(_ index: Int, now: UInt64) {
        endpoints[index].cost.abandon(now: now)
        endpoints[index].breaker.failed(now: now, mayOpen: mayEject)
    }

    mutating func abandoned(_ index: Int, now: UInt64) {
        endpoints[index].cost.abandon(now: now)
        endpoints[index].breaker.abandoned()
    }

    /// Takes the answer of a readiness check into account.
    mutating func observe(_ index: Int, isHealthy: Bool, now: UInt64) {
        if isHealthy, !endpoints[index].isHealthy {
            endpoints[index].healthySince = now
            endpoints[index].breaker.reset()
        }
        if isHealthy { endpoints[index].cost.heard(now: now) }
        endpoints[index].isHealthy = isHealthy
        endpoints[index].isDoubted = false
    }

    /// Takes it into account that a readiness check was not answered.
    mutating func doubt(_ index: Int) { endpoints[index].isDoubted = true }

    var outstanding: Int { endpoints.reduce(0) { $0 + $1.cost.outstanding } }
}

/// A small fast generator; one per loop, so that loops do not choose in step.
///
/// Source: Steele, Lea and Flood, «Fast splittable pseudorandom number generators» (2014).
///
/// Wraps: the generator is defined modulo 2^64.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
