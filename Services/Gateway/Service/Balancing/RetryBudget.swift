/// How many retries are left: a fifth of the requests of the last ten seconds, and ten a second.
///
/// With a budget, retries never multiply an outage: at most 1.2 requests go out for one that came.
/// Source: linkerd2-proxy and Finagle (20 % + 10/s).
struct RetryBudget {
    static let shareDivisor = 5
    static let perSecond = 10
    static let windowSeconds: UInt64 = 10

    private var buckets = [(second: UInt64, requests: Int, retries: Int)](
        repeating: (0, 0, 0),
        count: Int(windowSeconds)
    )

    mutating func countRequest(now: UInt64) {
        buckets[bucket(now: now)].requests += 1
    }

    /// Takes one retry out of the budget, where there is one left.
    mutating func takeRetry(now: UInt64) -> Bool {
        let second = now / 1_000_000_000
        var requests = 0
        var retries = 0
        // Cannot wrap: a bucket's second is one that has been, of the same loop's clock.
        for bucket in buckets where second &- bucket.second < Self.windowSeconds {
            requests += bucket.requests
            retries += bucket.retries
        }
        let allowed = requests / Self.shareDivisor + Self.perSecond * Int(Self.windowSeconds)
        guard retries < allowed else { return false }
        buckets[bucket(now: now)].retries += 1
        return true
    }

    private mutating func bucket(now: UInt64) -> Int {
        let second = now / 1_000_000_000
        let index = Int(second % Self.windowSeconds)
        if buckets[index].second != second { buckets[index] = (second, 0, 0) }
        return index
    }
}
