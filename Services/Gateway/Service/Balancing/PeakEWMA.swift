/// What one upstream costs now: a moving average of its round trips that jumps up at once to a
/// slower one and forgets it only by time, and at least as much as it has been silent.
///
/// Units: nanoseconds. The load is cost times (outstanding requests + 1), so that an idle slow
/// upstream and a busy fast one compare. The age of what is outstanding counts from the upstream's
/// last answer: who answers others meanwhile is slow at one request, who answers nobody is frozen.
/// What has not been asked for a while is known by nothing any more: it is tried next, and its next
/// answer alone is its cost.
/// Source: linkerd2-proxy, «peak EWMA» (after Finagle): default 30 ms, decay 10 s.
struct PeakEWMA {
    static let defaultRoundTripNanoseconds: Double = 30_000_000
    static let decayNanoseconds: Double = 10_000_000_000
    /// Who has not been asked for so long is tried again, however late its last answer was.
    static let forgetNanoseconds: UInt64 = 1_000_000_000
    /// Less silence than this tells nothing yet.
    ///
    /// Longer than it is between two checks: who answers those is at work, whoever else asks it.
    static let silenceNanosecondsMin: UInt64 = 400_000_000

    private(set) var outstanding = 0
    private var cost = defaultRoundTripNanoseconds
    private var updatedAt: UInt64
    /// When it last answered or, if later, began to owe an answer.
    private var silentSince: UInt64
    /// What it owes is the first since it was forgotten.
    private var isTriedAnew = false

    init(now: UInt64) {
        updatedAt = now
        silentSince = now
    }

    /// The figure by which two upstreams are compared; the lower one gets the request.
    func load(now: UInt64) -> Double {
        max(decayed(now: now), silence(now: now)) * Double(outstanding + 1)
    }

    /// Whether nobody has asked it for so long that its cost says nothing.
    func isForgotten(now: UInt64) -> Bool {
        outstanding == 0 && now > silentSince && now - silentSince >= Self.forgetNanoseconds
    }

    mutating func begin(now: UInt64) {
        if outstanding == 0 {
            isTriedAnew = isForgotten(now: now)
            silentSince = now
        }
        outstanding += 1
    }

    /// Takes a finished request into account.
    mutating func end(roundTripNanoseconds: UInt64, now: UInt64) {
        outstanding -= 1
        silentSince = now
        let sample = Double(roundTripNanoseconds)
        let before = isTriedAnew ? 0 : decayed(now: now)
        // Cannot wrap: updates come in the order of one loop's clock.
        let weight = isTriedAnew ? 0 : Self.weight(elapsed: now &- updatedAt)
        cost = sample > before ? sample : before * weight + sample * (1 - weight)
        updatedAt = now
        isTriedAnew = false
    }

    /// It has answered something that is no request, as a check.
    mutating func heard(now: UInt64) {
        if outstanding > 0 { silentSince = now }
    }

    /// A request that ended without an answer tells how long there was none, and nothing else.
    mutating func abandon(now: UInt64) {
        let silence = silence(now: now)
        outstanding -= 1
        guard silence > decayed(now: now) else { return }
        cost = silence
        updatedAt = now
    }

    /// How long it has owed an answer and given none, where that is long.
    private func silence(now: UInt64) -> Double {
        guard outstanding > 0, now > silentSince else { return 0 }
        let silence = now - silentSince
        return silence < Self.silenceNanosecondsMin ? 0 : Double(silence)
    }

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
