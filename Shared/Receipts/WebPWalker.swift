/// RIFF with its size, then chunks; the first says which WebP it is.
///
/// The size stands before everything else, so that metadata is blanked and not left out: of Exif
/// the orientation stays, XMP and unknown chunks become chunks of zeros that readers pass over.
/// Source: RFC 9649, 2.7.
struct WebPWalker: FileWalker {
    private enum Step { case header, chunk, features, exif }
    private static let shown: Set<String> = [
        "VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP",
    ]
    private static let exifBytesMax = 65_536
    private(set) var isBroken = false
    private var step = Step.header
    private var parts = PartReader(wanting: 12)
    private var size = 0
    private var seen = 0
    private var chunks = 0
    private var left = 0

    mutating func take(_ bytes: ArraySlice<UInt8>, _ kept: inout [UInt8]) {
        var bytes = bytes
        // Behind the size nothing is of the picture.
        if step != .header { bytes = bytes.prefix(max(0, size - seen)) }
        while !isBroken, let part = next(&bytes, &kept) {
            switch step {
            case .header:
                size = Self.number(part[4..<8]) + 8
                isBroken = size < 20
                kept += part
                bytes = bytes.prefix(max(0, size - seen))
                go(to: .chunk, 8)
            case .chunk: chunk(part, &kept)
            case .features:
                // Exif stays where it is told of, XMP (bit 2) does not.
                kept.append(part[0] & ~0x04)
                go(to: .chunk, 8, after: left, .kept)
            case .exif:
                kept += Self.blanked(part)
                go(to: .chunk, 8, after: left, .blanked)
            }
        }
    }

    private mutating func next(
        _ bytes: inout ArraySlice<UInt8>,
        _ kept: inout [UInt8]
    ) -> [UInt8]? {
        let before = bytes.count
        defer { seen += before - bytes.count }
        return parts.next(&bytes, &kept)
    }

    private mutating func chunk(_ head: [UInt8], _ kept: inout [UInt8]) {
        let length = Self.number(head[4..<8])
        let padded = length + length % 2
        let type = String(decoding: head[..<4], as: UTF8.self)
        isBroken = chunks == 0 && !["VP8 ", "VP8L", "VP8X"].contains(type)
        chunks += 1
        switch type {
        case "VP8X" where length > 0:
            kept += head
            left = padded - 1
            go(to: .features, 1)
        case "ANMF" where length >= 16:
            // A frame's head; its own chunks follow as any others do.
            kept += head
            go(to: .chunk, 8, after: 16, .kept)
        case "EXIF":
            kept += head
            left = padded - min(length, Self.exifBytesMax)
            go(to: .exif, min(length, Self.exifBytesMax))
        case _ where Self.shown.contains(type):
            kept += head
            go(to: .chunk, 8, after: padded, .kept)
        default:
            kept += Array("JUNK".utf8) + head[4...]
            go(to: .chunk, 8, after: padded, .blanked)
        }
    }

    /// A block of Exif as long as this one with no more in it than the orientation.
    private static func blanked(_ exif: [UInt8]) -> [UInt8] {
        let block = exif.starts(with: "Exif\0\0".utf8) ? exif[6...] : exif[...]
        let orientation = ExifOrientation.of(block) ?? 1
        let kept =
            exif.count < ExifOrientation.blockBytes ? [] : ExifOrientation.block(orientation)
        return kept + [UInt8](repeating: 0, count: exif.count - kept.count)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func go(
        to next: Step,
        _ wanted: Int,
        after passed: Int = 0,
        _ passing: PartReader.Passing = .kept
    ) {
        step = next
        parts.expect(wanted, after: passed, passing)
    }

    var isComplete: Bool { !isBroken && chunks > 0 && seen >= size && !parts.isGathering }
}
