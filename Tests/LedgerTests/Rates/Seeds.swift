import TestKit

extension SeededGenerator {
    /// Small and large amounts alike: a random number of bits, then that many.
    mutating func amount(bitsMax: Int = 62) -> Int64 {
        let bits = Int.random(in: 1...bitsMax, using: &self)
        return Int64.random(in: 1...(Int64(1) << bits), using: &self)
    }
}

/// Fixed seeds that always run, and a fresh one that a failure names.
let ledgerSeeds: [UInt64] = [1, 2, 0xDEAD_BEEF, .random(in: 0...UInt64.max)]
