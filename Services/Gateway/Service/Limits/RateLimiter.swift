import Synchronization

/// How often one caller may call: a token bucket each, held in bounded memory.
///
/// A caller's bucket holds `burst` tokens and gains `perSecond` of them; a request takes one. The
/// table keeps at most `callersMax` buckets; full ones carry no information and are dropped first.
/// Source: IETF draft-ietf-httpapi-ratelimit-headers (the header fields that tell it).
struct RateLimiter<Caller: Hashable> {
    /// What a request was told.
    struct Decision: Equatable {
        let isAllowed: Bool
        /// Whole requests left now.
        let remaining: Int
        /// Seconds until one more is allowed (refused) or the bucket is full again (allowed).
        let resetSeconds: Int
    }

    private struct Bucket {
        var tokens: Double
        var at: UInt64
    }

    let perSecond: Double
    let burst: Double
    let callersMax: Int
    private var buckets: [Caller: Bucket] = [:]

    init(perSecond: Double, burst: Double, callersMax: Int) {
        self.perSecond = perSecond
        self.burst = burst
        self.callersMax = callersMax
    }

    var count: Int { buckets.count }

    /// Takes one token of the caller's, where there is one.
    mutating func take(_ caller: Caller, now: UInt64) -> Decision {
        if buckets.count >= callersMax, buckets[caller] == nil { dropFull(now: now) }
        var bucket = buckets[caller] ?? Bucket(tokens: burst, at: now)
        bucket.tokens = refilled(bucket, now: now)
        // The loops' clocks differ by a turn: time goes forwards all the same.
        bucket.at = max(now, bucket.at)
        let isAllowed = bucket.tokens >= 1
        if isAllowed { bucket.tokens -= 1 }
        buckets[caller] = bucket
        let missing = isAllowed ? burst - bucket.tokens : 1 - bucket.tokens
        return Decision(
            isAllowed: isAllowed,
            remaining: Int(bucket.tokens),
            resetSeconds: max(1, Int((missing / perSecond).rounded(.up)))
        )
    }

    private func refilled(_ bucket: Bucket, now: UInt64) -> Double {
        let elapsed = now > bucket.at ? now - bucket.at : 0
        return min(burst, bucket.tokens + Double(elapsed) / 1e9 * perSecond)
    }

    /// Drops who has not called for as long as a bucket takes to fill; were there none, all.
    ///
    /// Forgetting everyone once lets each caller burst again; refusing newcomers would let an
    /// attacker with many addresses shut the door on everybody.
    private mutating func dropFull(now: UInt64) {
        buckets = buckets.filter { refilled($0.value, now: now) < burst }
        if buckets.count >= callersMax { buckets.removeAll(keepingCapacity: true) }
    }
}

/// The rate limit of all loops together: whoever opens connections on each of them has no more.
///
/// The callers are spread over parts with a lock each, held for the look at one bucket.
final class SharedRateLimiter: Sendable {
    private final class Part: Sendable {
        let limiter: Mutex<RateLimiter<UInt64>>
        init(_ limiter: sending RateLimiter<UInt64>) { self.limiter = Mutex(limiter) }
    }

    static let callersMax = 200_000
    private static let partCount = 16
    private let parts: [Part]
    /// What `RateLimit-Policy` says.
    let policy: String

    /// Nil: there is no limit.
    init?(perSecond: Int, burst: Int) {
        guard perSecond > 0 else { return nil }
        parts = (0..<Self.partCount).map { _ in
            Part(
                RateLimiter(
                    perSecond: Double(perSecond),
                    burst: Double(burst),
                    callersMax: Self.callersMax / Self.partCount
                )
            )
        }
        policy = "\"address\";q=\(burst);w=\(max(1, burst / perSecond))"
    }

    /// Takes one token of a network's, where there is one.
    func take(_ network: UInt64, now: UInt64) -> RateLimiter<UInt64>.Decision {
        // Wraps: the highest bits of the product choose the part.
        // Fibonacci hashing: neighbours lie apart.
        let part = Int(truncatingIfNeeded: (network &* 0x9e37_79b9_7f4a_7c15) >> 60)
        return parts[part].limiter.withLock { $0.take(network, now: now) }
    }
}
