/// SplitMix64: the same seed gives the same run.
public struct FuzzRandom: RandomNumberGenerator {
    private var state: UInt64

    /// A run.
    public init(seed: UInt64) { state = seed }

    /// 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Plain arithmetic: a debug build draws thousands of these for each input.
    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
    mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
}

/// Makes inputs of inputs.
public struct Mutator {
    /// Longer inputs are cut.
    public static let bytesMax = 16_384

    private let seeds: [[UInt8]]
    private let words: [[UInt8]]
    private var random: FuzzRandom

    /// Inputs of this target's corpus.
    public init(_ target: FuzzTarget, seed: UInt64) {
        let made = target.seeds()
        seeds = made.isEmpty ? [[]] : made
        words =
            (target.words + Self.words).map { Array($0.utf8) } + Self.numbers
        random = FuzzRandom(seed: seed)
    }

    private static let words = [
        "0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "18446744073709551616", "99999999999999999999999999999999999999999", "1e999", "-0", "NaN",
        "\u{0}", "\u{FEFF}", "\u{202E}", "e\u{301}", "\u{D7FF}", "😀", "%00", "%", "\r\n", "\n",
    ]

    private static let numbers: [[UInt8]] = [
        [0xFF], [0xFF, 0xFF], [0x7F, 0xFF], [0x80, 0x00], [0xFF, 0xFF, 0xFF, 0xFF],
        [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0x7F],
        [UInt8](repeating: 0xFF, count: 8), [0x7F] + [UInt8](repeating: 0xFF, count: 7),
        [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    ]

    /// The next input.
    public mutating func next() -> [UInt8] {
        var bytes = random.pick(seeds)
        for _ in 0...random.below(6) { mutate(&bytes) }
        if bytes.count > Self.bytesMax { bytes.removeSubrange(Self.bytesMax...) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let at = random.below(bytes.count + 1)
        let end = min(bytes.count, at + 1 + random.below(random.below(8) == 0 ? 400 : 12))
        switch random.below(11) {
        case 0 where at < bytes.count: bytes[at] = UInt8(truncatingIfNeeded: random.next())
        case 1 where at < bytes.count: bytes[at] ^= 1 << UInt8(random.below(8))
        case 2 where at < bytes.count: bytes[at] &+= random.below(2) == 0 ? 1 : 255
        case 3: bytes.removeSubrange(at..<end)
        case 4: bytes.insert(contentsOf: bytes[at..<end], at: random.below(bytes.count + 1))
        case 5:
            let piece = bytes[at..<end]
            let count = min(1 << random.below(11), Self.bytesMax / max(1, piece.count))
            bytes.insert(contentsOf: repeatElement(piece, count: count).joined(), at: at)
        case 6: splice(&bytes, at)
        case 7 where random.below(4) == 0: bytes.removeSubrange(at...)
        case 8:
            let word = random.pick(words)
            bytes.replaceSubrange(at..<min(bytes.count, at + word.count), with: word)
        default: bytes.insert(contentsOf: random.pick(words), at: at)
        }
    }

    /// The beginning of one and the end of another.
    private mutating func splice(_ bytes: inout [UInt8], _ at: Int) {
        let other = random.pick(seeds)
        bytes.replaceSubrange(at..., with: other[random.below(other.count + 1)...])
    }
}
