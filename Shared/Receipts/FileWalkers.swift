/// Goes over a file's structure as its bytes come, and leaves its metadata out.
protocol FileWalker {
    /// Whether no such file goes on like this.
    var isBroken: Bool { get }
    /// Takes the next bytes, and appends what is kept of them.
    mutating func take(_ bytes: ArraySlice<UInt8>, _ kept: inout [UInt8])
    /// Whether the file has come to its end.
    var isComplete: Bool { get }
}

/// A file that is kept as it is, of which only the ends are looked at.
struct NothingWalker: FileWalker {
    let isBroken = false
    mutating func take(_ bytes: ArraySlice<UInt8>, _ kept: inout [UInt8]) {
        kept.append(contentsOf: bytes)
    }
    var isComplete: Bool { true }
}

/// Parts of a known size: gathered where they are read; else kept, left out or blanked.
struct PartReader {
    /// What becomes of bytes that nobody reads.
    enum Passing { case kept, dropped, blanked }

    private var gathered: [UInt8] = []
    private var toPass = 0
    private var passing = Passing.dropped
    private var wanted: Int

    init(wanting wanted: Int) { self.wanted = wanted }

    /// Whether nothing is left over: the file may end here.
    var isBetweenParts: Bool { !isGathering && toPass == 0 }
    /// Whether a part has begun that is not whole.
    var isGathering: Bool { !gathered.isEmpty }

    /// The next part that is read, once it is whole.
    mutating func next(_ bytes: inout ArraySlice<UInt8>, _ kept: inout [UInt8]) -> [UInt8]? {
        let passed = bytes.prefix(toPass)
        toPass -= passed.count
        switch passing {
        case .kept: kept.append(contentsOf: passed)
        case .dropped: break
        case .blanked: kept.append(contentsOf: repeatElement(0, count: passed.count))
        }
        bytes.removeFirst(passed.count)
        guard toPass == 0 else { return nil }
        let taken = bytes.prefix(wanted - gathered.count)
        bytes.removeFirst(taken.count)
        gathered.append(contentsOf: taken)
        guard gathered.count == wanted else { return nil }
        let part = gathered
        gathered = []
        return part
    }

    /// What comes next: so many bytes to pass over, then so many to read.
    mutating func expect(_ wanted: Int, after passed: Int = 0, _ passing: Passing = .kept) {
        self.wanted = wanted
        toPass = passed
        self.passing = passing
    }
}

/// Signature, then chunks (length, type, data, sum) from IHDR to IEND.
///
/// Kept are the chunks that say how the picture is shown, among them its animation; of Exif the
/// orientation. Source: ISO 15948; PNG (Third Edition), 11.
struct PNGWalker: FileWalker {
    static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    /// Ancillary chunks that say how the picture is shown.
    private static let shown: Set<String> = [
        "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "hIST", "pHYs", "sPLT", "cICP",
        "mDCV", "cLLI", "acTL", "fcTL", "fdAT",
    ]
    private static let exifBytesMax = 65_536

    private enum Step { case signature, chunk, exif, sum }
    private(set) var isBroken = false
    private var step = Step.signature
    private var parts = PartReader(wanting: 8)
    private var chunks = 0
    private var hasEnded = false

    mutating func take(_ bytes: ArraySlice<UInt8>, _ kept: inout [UInt8]) {
        var bytes = bytes
        while !isBroken, !hasEnded, let part = parts.next(&bytes, &kept) {
            switch step {
            case .signature:
                isBroken = part != Self.signature
                kept += part
                step = .chunk
                parts.expect(8)
            case .chunk: chunk(part, &kept)
            case .exif:
                if let orientation = ExifOrientation.of(part[...]) {
                    kept += Self.chunk(of: "eXIf", ExifOrientation.block(orientation))
                }
                step = .chunk
                parts.expect(8, after: 4, .dropped)
            case .sum:
                kept += part
                hasEnded = true
            }
        }
    }

    private mutating func chunk(_ head: [UInt8], _ kept: inout [UInt8]) {
        chunks += 1
        let length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
        let type = String(decoding: head[4...], as: UTF8.self)
        let isLast = type == "IEND"
        isBroken =
            length > 1 << 31 || (chunks == 1) != (type == "IHDR") || (isLast && length != 0)
        guard !isBroken else { return }
        if isLast {
            kept += head
            step = .sum
            parts.expect(4)
        } else if type == "eXIf", length <= Self.exifBytesMax {
            step = .exif
            parts.expect(length)
        } else if head[4] & 0x20 == 0 || Self.shown.contains(type) {
            // Without its letter's fifth bit a chunk is critical.
            kept += head
            parts.expect(8, after: length + 4, .kept)
        } else {
            parts.expect(8, after: length + 4, .dropped)
        }
    }

    /// A chunk with its check sum.
    private static func chunk(of type: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + checked + bigEndian(sum(checked))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// CRC-32 of a few bytes (ISO 3309).
    private static func sum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
            }
        }
    }

    var isComplete: Bool { hasEnded && !isBroken }
}
