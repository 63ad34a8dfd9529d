/// A generator whose seed is printed with a failure (SplitMix64).
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Small numbers often, any up to `max` sometimes: most mistakes show with small ones.
    mutating func amount(upTo max: Int64) -> Int64 {
        let bound: Int64 = [3, 100, 1_000_000, max].randomElement(using: &self) ?? max
        return Int64.random(in: 0...Swift.min(bound, max), using: &self)
    }
}
