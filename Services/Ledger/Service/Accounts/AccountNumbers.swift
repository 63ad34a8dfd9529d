import Crypto

/// Account numbers of our own bank: each once, in an order that nobody can tell.
///
/// Whoever pays is shown a part of the name behind an IBAN. Were they counted up from 1, anybody
/// could go through all customers; so the nth account gets the number that a Feistel network over
/// the digits makes of n, under a key of the database's own.
struct AccountNumbers: Sendable {
    private let key: [UInt8]
    /// What the two halves of the digits count to: the network is one over pairs of them.
    private let (high, low): (UInt64, UInt64)

    /// More digits than these are not needed, and stay 0.
    private static let digitsMax = 18
    private static let rounds: UInt8 = 10

    init(key: [UInt8], digits: Int) {
        self.key = key
        let digits = min(digits, Self.digitsMax)
        func power(_ count: Int) -> UInt64 { (0..<count).reduce(1) { power, _ in power * 10 } }
        (high, low) = (power(digits - digits / 2), power(digits / 2))
    }

    /// The number of the nth account, another for each; nil beyond the last.
    func scattered(_ number: UInt64) -> UInt64? {
        guard number < high * low else { return nil }
        var (left, right) = (number / low, number % low)
        for round in 0..<Self.rounds {
            // Each is an addition to one half of what the other makes: it can be taken back.
            if round.isMultiple(of: 2) {
                left = (left + image(of: right, in: round) % high) % high
            } else {
                right = (right + image(of: left, in: round) % low) % low
            }
        }
        return left * low + right
    }

    private func image(of half: UInt64, in round: UInt8) -> UInt64 {
        let input = [round] + (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * $0)) }
        return HMACSHA256.code(input, key: key).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
