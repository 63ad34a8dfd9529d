/// The combinations of known sums, over the integers modulo a prime: what an attacker can compute.
struct LinearSpan {
    private static let prime: UInt64 = (1 << 31) - 1
    /// Rows in echelon form, by the column in which each begins.
    private var rows: [Int: [UInt64]] = [:]
    private let width: Int

    init(width: Int) { self.width = width }

    /// Adds the sum of these unknowns, less that of others, to what is known.
    mutating func know(_ unknowns: [Int], less others: [Int] = []) {
        let rest = reduced(unknowns, less: others)
        guard let lead = rest.firstIndex(where: { $0 != 0 }) else { return }
        let inverse = Self.power(rest[lead], Self.prime - 2)
        rows[lead] = rest.map { Self.times($0, inverse) }
    }

    /// Whether the sum of these unknowns, less that of others, follows from what is known.
    func tells(_ unknowns: [Int], less others: [Int] = []) -> Bool {
        reduced(unknowns, less: others).allSatisfy { $0 == 0 }
    }

    private func reduced(_ unknowns: [Int], less others: [Int] = []) -> [UInt64] {
        var vector = [UInt64](repeating: 0, count: width)
        for unknown in unknowns { vector[unknown] = (vector[unknown] + 1) % Self.prime }
        for unknown in others { vector[unknown] = (vector[unknown] + Self.prime - 1) % Self.prime }
        for column in 0..<width where vector[column] != 0 {
            guard let row = rows[column] else { continue }
            let factor = Self.prime - vector[column]
            for index in column..<width where row[index] != 0 {
                vector[index] = (vector[index] &+ row[index] &* factor) % Self.prime
            }
        }
        return vector
    }

    private static func times(_ left: UInt64, _ right: UInt64) -> UInt64 {
        (left &* right) % prime
    }

    private static func power(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
        var (result, base, exponent) = (UInt64(1), base, exponent)
        while exponent > 0 {
            if exponent & 1 == 1 { result = times(result, base) }
            base = times(base, base)
            exponent >>= 1
        }
        return result
    }
}
