public import Loops
public import WalletProtocol

/// How one loop asks for keys that it does not know.
///
/// A replica that has just begun, or a key that is new, meets many requests at once: they share one
/// asking. Whoever came while one was under way, which may have begun before the key was made,
/// shares the next. What is unknown then is asked for ten times a second at most, for a forged
/// token names any key it likes. On-loop only.
public final class KeyInquiry {
    static let perSecondMax = 10
    private let loop: EventLoop
    private var isUnderWay = false
    private var waiting: [Wait<Bool>] = []
    private var second: UInt64 = 0
    private var count = 0

    /// Nothing asked yet.
    public init(on loop: EventLoop) { self.loop = loop }

    /// Asks by `read`, which answers whether anybody could say, or waits for whoever does.
    ///
    /// Returns as soon as `isKnown` holds, and else after a reading that began after the call.
    /// - Returns: whether anybody could say.
    /// - Throws: 503 beyond ten readings in this second.
    public func ask(
        until isKnown: () -> Bool,
        _ read: () async -> Bool
    ) async throws(APIError) -> Bool {
        var beganAfterwards = false
        while isUnderWay {
            let wait = Wait<Bool>(on: loop)
            waiting.append(wait)
            let couldSay: Bool
            do { couldSay = try await wait.value() } catch {
                throw APIError(.unavailable, retryAfterSeconds: 1)
            }
            if isKnown() || (beganAfterwards && couldSay) { return true }
            beganAfterwards = true
        }
        try take()
        isUnderWay = true
        let couldSay = await read()
        isUnderWay = false
        let all = waiting
        waiting = []
        for wait in all { wait.resume(returning: couldSay) }
        return couldSay
    }

    private func take() throws(APIError) {
        let now = monotonicNanoseconds() / 1_000_000_000
        if now != second { (second, count) = (now, 0) }
        count += 1
        guard count <= Self.perSecondMax else {
            throw APIError(.unavailable, retryAfterSeconds: 1)
        }
    }
}
