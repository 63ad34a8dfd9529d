/// Goes over a file's structure as its bytes come.
protocol FileWalker {
    /// Whether no such file goes on like this.
    var isBroken: Bool { get }
    /// Takes the next bytes.
    mutating func take(_ bytes: ArraySlice<UInt8>)
    /// Whether the file has come to its end.
    var isComplete: Bool { get }
}

/// A file of which only the ends are looked at.
struct NothingWalker: FileWalker {
    let isBroken = false
    mutating func take(_ bytes: ArraySlice<UInt8>) {}
    var isComplete: Bool { true }
}

/// Parts of a known size: gathered where they are read, passed over where not.
struct PartReader {
    private var gathered: [UInt8] = []
    private var toSkip = 0
    private var wanted: Int

    init(wanting wanted: Int) { self.wanted = wanted }

    /// Whether nothing is left over: the file may end here.
    var isBetweenParts: Bool { gathered.isEmpty && toSkip == 0 }

    /// The next part that is read, once it is whole.
    mutating func next(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        let skipped = min(toSkip, bytes.count)
        toSkip -= skipped
        bytes.removeFirst(skipped)
        guard toSkip == 0 else { return nil }
        let taken = bytes.prefix(wanted - gathered.count)
        bytes.removeFirst(taken.count)
        gathered.append(contentsOf: taken)
        guard gathered.count == wanted else { return nil }
        let part = gathered
        gathered = []
        return part
    }

    /// What comes next: so many bytes to pass over, then so many to read.
    mutating func expect(_ wanted: Int, after skipped: Int = 0) {
        self.wanted = wanted
        toSkip = skipped
    }
}

/// Signature, then chunks (length, type, data, sum) from IHDR to IEND.
struct PNGWalker: FileWalker {
    static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    private(set) var isBroken = false
    private var parts = PartReader(wanting: 8)
    private var chunks = -1
    private var isLast = false
    private var hasEnded = false

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        while !isBroken, !hasEnded, let part = parts.next(&bytes) {
            chunks += 1
            if isLast {
                // The sum of the last chunk.
                hasEnded = true
            } else if chunks == 0 {
                isBroken = part != Self.signature
            } else {
                let length = part[..<4].reduce(0) { $0 << 8 | Int($1) }
                let type = String(decoding: part[4...], as: UTF8.self)
                isBroken = length > 1 << 31 || (chunks == 1) != (type == "IHDR")
                isLast = type == "IEND"
                isBroken = isBroken || (isLast && length != 0)
                parts.expect(isLast ? 4 : 8, after: isLast ? 0 : length + 4)
            }
        }
    }

    var isComplete: Bool { hasEnded && !isBroken }
}

/// Segments up to the first scan; then pixels, up to the mark of the end.
///
/// What telephones put behind it (a short film, a map of depths) is let be.
struct JPEGWalker: FileWalker {
    private(set) var isBroken = false
    private var parts = PartReader(wanting: 2)
    private var marker: UInt8 = 0
    private var hasFrame = false
    private var isInScan = false
    private var hasEnded = false
    private var last: UInt8 = 0

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        while !isBroken, !isInScan, let part = parts.next(&bytes) {
            parts.expect(2)
            segment(part.count == 1 ? [0xff] + part : part)
        }
        guard isInScan, !hasEnded else { return }
        for byte in bytes {
            if last == 0xff, byte == 0xd9 { hasEnded = true }
            last = byte
        }
    }

    private mutating func segment(_ part: [UInt8]) {
        if marker != 0 {
            // The length of a segment, itself counted.
            let length = Int(part[0]) << 8 | Int(part[1])
            isBroken = length < 2
            if (0xc0...0xcf).contains(marker), ![0xc4, 0xc8, 0xcc].contains(marker) {
                hasFrame = true
            }
            isInScan = marker == 0xda
            isBroken = isBroken || (isInScan && !hasFrame)
            marker = 0
            parts.expect(2, after: max(0, length - 2))
        } else if part[0] != 0xff {
            isBroken = true
        } else if part[1] == 0xff {
            // As many as one likes may stand before a marker (B.1.1.2).
            parts.expect(1)
        } else if part[1] != 0xd8 {
            // Standing alone: the start, restarts, TEM.
            isBroken = part[1] == 0xd9 || part[1] == 0
            marker = (0xd0...0xd7).contains(part[1]) || part[1] == 1 ? 0 : part[1]
        }
    }

    var isComplete: Bool { hasEnded && !isBroken }
}

/// Header, palette, then extensions and images in blocks, up to the trailer.
struct GIFWalker: FileWalker {
    private enum Step { case header, block, label, image, blocks, code }
    private(set) var isBroken = false
    private var step = Step.header
    private var parts = PartReader(wanting: 13)
    private var images = 0
    private var hasEnded = false

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        while !isBroken, !hasEnded, let part = parts.next(&bytes) {
            switch step {
            case .header: go(to: .block, 1, after: palette(part[10]))
            case .block:
                switch part[0] {
                case 0x21: go(to: .label, 1)
                case 0x2c: go(to: .image, 9)
                case 0x3b: hasEnded = true
                default: isBroken = true
                }
            case .label: go(to: .blocks, 1)
            case .image:
                images += 1
                go(to: .code, 1, after: palette(part[8]))
            case .code: go(to: .blocks, 1)
            case .blocks:
                let length = Int(part[0])
                go(to: length == 0 ? .block : .blocks, 1, after: length)
            }
        }
    }

    /// The bytes of the palette that a packed field tells of.
    private func palette(_ packed: UInt8) -> Int {
        packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1)
    }

    private mutating func go(to next: Step, _ wanted: Int, after skipped: Int = 0) {
        step = next
        parts.expect(wanted, after: skipped)
    }

    var isComplete: Bool { hasEnded && images > 0 && !isBroken }
}

/// RIFF with its size, then chunks; the first says which WebP it is.
struct WebPWalker: FileWalker {
    private(set) var isBroken = false
    private var parts = PartReader(wanting: 12)
    private var isBegun = false
    private var size = 0
    private var seen = 0
    private var chunks = 0

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        seen += bytes.count
        var bytes = bytes
        while !isBroken, let part = parts.next(&bytes) {
            if isBegun {
                let length = part[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
                let type = String(decoding: part[..<4], as: UTF8.self)
                isBroken = chunks == 0 && !["VP8 ", "VP8L", "VP8X"].contains(type)
                chunks += 1
                parts.expect(8, after: length + length % 2)
            } else {
                isBegun = true
                size = part[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) } + 8
                isBroken = size < 20
                parts.expect(8)
            }
        }
    }

    var isComplete: Bool { !isBroken && chunks > 0 && seen >= size }
}

/// Boxes of ISO 14496-12 from `ftyp` on, `meta` and `mdat` among them.
struct BoxWalker: FileWalker {
    private(set) var isBroken = false
    private var parts = PartReader(wanting: 8)
    private var isLarge = false
    private var isOpenEnded = false
    private var types: Set<String> = []

    mutating func take(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        while !isBroken, !isOpenEnded, let part = parts.next(&bytes) {
            if isLarge {
                isLarge = false
                step(part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }, head: 16)
                continue
            }
            let size = part[..<4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let type = String(decoding: part[4...], as: UTF8.self)
            if types.count < 64 { types.insert(type) }
            switch size {
            // To the file's end.
            case 0: isOpenEnded = true
            case 1: isLarge = true
            default: step(size, head: 8)
            }
        }
    }

    private mutating func step(_ size: UInt64, head: UInt64) {
        isBroken = size < head || size > 1 << 40
        if !isBroken { parts.expect(8, after: Int(size - head)) }
    }

    var isComplete: Bool {
        !isBroken && (isOpenEnded || parts.isBetweenParts) && !isLarge
            && types.contains("meta") && (types.contains("mdat") || types.contains("idat"))
    }
}
