/// What one upstream costs now: a moving average of its round trips that jumps up at once to a
/// slower one and forgets it only by time.
///
/// Units: nanoseconds. The load is cost times (outstanding requests + 1), so that an idle slow
/// upstream and a busy fast one compare.
/// Source: linkerd2-proxy, «peak EWMA» (after Finagle): default 30 ms, decay 10 s.
struct PeakEWMA {
    static let defaultRoundTripNanoseconds: Double = 30_000_000
    static let decayNanoseconds: Double = 10_000_000_000

    private(set) var outstanding = 0
    private var cost = defaultRoundTripNanoseconds
    private var updatedAt: UInt64

    init(now: UInt64) { updatedAt = now }

    /// The figure by which two upstreams are compared; the lower one gets the request.
    func load(now: UInt64) -> Double {
        decayed(now: now) * Double(outstanding + 1)
    }

    mutating func begin() { outstanding += 1 }

    /// Takes a finished request into account.
    mutating func end(roundTripNanoseconds: UInt64, now: UInt64) {
        outstanding -= 1
        let sample = Double(roundTripNanoseconds)
        let before = decayed(now: now)
        let weight = Self.weight(elapsed: now &- updatedAt)
        cost = sample > before ? sample : before * weight + sample * (1 - weight)
        updatedAt = now
    }

    /// A request that ended without an answer tells nothing about the round trip.
    mutating func abandon() { outstanding -= 1 }

    /// With no news the cost drifts back towards nothing, so that a once slow one is tried again.
    private func decayed(now: UInt64) -> Double {
        cost * Self.weight(elapsed: now > updatedAt ? now - updatedAt : 0)
    }

    /// e^(-elapsed/decay) by its series' rational approximation: exact enough for a comparison.
    private static func weight(elapsed: UInt64) -> Double {
        let x = Double(elapsed) / decayNanoseconds
        return 1 / (1 + x + x * x / 2 + x * x * x / 6)
    }
}
