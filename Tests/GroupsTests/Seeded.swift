import TestKit

extension SeededGenerator {
    /// Small numbers often, any up to `max` sometimes: most mistakes show with small ones.
    mutating func amount(upTo max: Int64) -> Int64 {
        let bound: Int64 = [3, 100, 1_000_000, max].randomElement(using: &self) ?? max
        return Int64.random(in: 0...Swift.min(bound, max), using: &self)
    }
}
