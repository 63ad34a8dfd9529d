/// SplitMix64: the same seed gives the same run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Small and large amounts alike: a random number of bits, then that many.
    mutating func amount(bitsMax: Int = 62) -> Int64 {
        let bits = Int.random(in: 1...bitsMax, using: &self)
        return Int64.random(in: 1...(Int64(1) << bits), using: &self)
    }
}

/// Fixed seeds that always run, and a fresh one that a failure names.
let ledgerSeeds: [UInt64] = [1, 2, 0xDEAD_BEEF, .random(in: 0...UInt64.max)]
