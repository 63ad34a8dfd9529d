/// Whether an upstream may be asked: closed (yes), open (no, until a time), half-open (one probe).
///
///     closed ──5 failures in a row, or success rate under the floor──▶ open
///     open ──its time is over──▶ half-open ──success──▶ closed
///                                half-open ──failure──▶ open, twice as long
///
/// The success rate is read over exact one-second buckets of the last ten seconds.
/// Source: linkerd2-proxy (consecutive failures, success rate); Envoy (doubling ejection).
struct CircuitBreaker {
    enum State: Equatable {
        case closed
        case open(until: UInt64)
        case halfOpen(probing: Bool)
    }

    static let consecutiveFailuresMax = 5
    static let bucketCount = 10
    static let bucketNanoseconds: UInt64 = 1_000_000_000
    static let successRateFloor = 0.5
    static let requestsForRateMin = 20
    static let firstOpenNanoseconds: UInt64 = 1_000_000_000
    static let openNanosecondsMax: UInt64 = 30_000_000_000

    private(set) var state = State.closed
    private var consecutiveFailures = 0
    private var openNanoseconds = firstOpenNanoseconds
    private var buckets = [(second: UInt64, successes: Int, failures: Int)](
        repeating: (0, 0, 0),
        count: bucketCount
    )

    /// Whether a request may go there now; a half-open breaker lets exactly one through.
    mutating func admits(now: UInt64) -> Bool {
        switch state {
        case .closed: return true
        case .open(let until):
            guard now >= until else { return false }
            state = .halfOpen(probing: true)
            return true
        case .halfOpen(let probing):
            guard !probing else { return false }
            state = .halfOpen(probing: true)
            return true
        }
    }

    /// Whether a request would be admitted, without taking the probe.
    func wouldAdmit(now: UInt64) -> Bool {
        switch state {
        case .closed: true
        case .open(let until): now >= until
        case .halfOpen(let probing): !probing
        }
    }

    mutating func succeeded(now: UInt64) {
        consecutiveFailures = 0
        count(success: true, now: now)
        if case .halfOpen = state {
            state = .closed
            openNanoseconds = Self.firstOpenNanoseconds
            buckets = Array(repeating: (0, 0, 0), count: Self.bucketCount)
        }
    }

    /// `mayOpen`: whether a closed one may open now; another failure asks again.
    ///
    /// Cannot wrap: half a minute at most is added to the clock.
    mutating func failed(now: UInt64, mayOpen: Bool = true) {
        consecutiveFailures += 1
        count(success: false, now: now)
        switch state {
        case .halfOpen:
            openNanoseconds = min(openNanoseconds * 2, Self.openNanosecondsMax)
            state = .open(until: now &+ openNanoseconds)
        case .closed:
            let isOver = consecutiveFailures >= Self.consecutiveFailuresMax
            if mayOpen, isOver || rateIsTooLow(now: now) {
                state = .open(until: now &+ openNanoseconds)
            }
        case .open: break
        }
    }

    /// The probe ended without telling anything: another may be sent.
    mutating func abandoned() {
        if case .halfOpen = state { state = .halfOpen(probing: false) }
    }

    /// Closes it at once: where every upstream is out, all of them are asked rather than none.
    mutating func reset() {
        state = .closed
        consecutiveFailures = 0
    }

    private mutating func count(success: Bool, now: UInt64) {
        let second = now / Self.bucketNanoseconds
        let index = Int(second % UInt64(Self.bucketCount))
        if buckets[index].second != second { buckets[index] = (second, 0, 0) }
        if success { buckets[index].successes += 1 } else { buckets[index].failures += 1 }
    }

    private func rateIsTooLow(now: UInt64) -> Bool {
        let second = now / Self.bucketNanoseconds
        var successes = 0
        var failures = 0
        // Cannot wrap: a bucket's second is one that has been, of the same loop's clock.
        for bucket in buckets where second &- bucket.second < UInt64(Self.bucketCount) {
            successes += bucket.successes
            failures += bucket.failures
        }
        let total = successes + failures
        return total >= Self.requestsForRateMin
            && Double(successes) < Self.successRateFloor * Double(total)
    }
}
