/// Segments, scans with the segments between them, up to the mark of the end.
///
/// Kept of the application segments are JFIF without its thumbnail, the colour profile, Adobe's
/// transform, and of Exif the orientation. Comments go, and so does what telephones put behind the
/// end (a short film, a map of depths). Source: ISO 10918-1, B; ISO 10918-5; ICC.1, B.4.
struct JPEGWalker: FileWalker {
    private enum Step {
        case mark, fill, scan
        case length(marker: UInt8)
        case segment(marker: UInt8)
    }
    private(set) var isBroken = false
    private var step = Step.mark
    private var parts = PartReader(wanting: 2)
    private var hasFrame = false
    private var hasScan = false
    private var hasOrientation = false
    private var hasEnded = false
    /// In a scan: the byte before begins a marker.
    private var isMarked = false

    mutating func take(_ bytes: ArraySlice<UInt8>, _ kept: inout [UInt8]) {
        var bytes = bytes
        while !isBroken, !hasEnded {
            if case .scan = step {
                scan(&bytes, &kept)
                if bytes.isEmpty { return }
                continue
            }
            guard let part = parts.next(&bytes, &kept) else { return }
            switch step {
            case .mark:
                if part[0] == 0xff { mark(part[1], &kept) } else { isBroken = true }
            case .fill: mark(part[0], &kept)
            case .length(let marker): begin(marker, part, &kept)
            case .segment(let marker):
                keep(marker, part, &kept)
                go(to: .mark, 2)
            case .scan: break
            }
        }
    }

    private mutating func go(to next: Step, _ wanted: Int, after passed: Int = 0) {
        step = next
        parts.expect(wanted, after: passed)
    }

    private mutating func mark(_ code: UInt8, _ kept: inout [UInt8]) {
        switch code {
        // As many as one likes may stand before a marker (B.1.1.2).
        case 0xff: go(to: .fill, 1)
        case 0: isBroken = true
        case 0xd9:
            isBroken = !hasScan
            hasEnded = hasScan
            kept += [0xff, code]
        // Standing alone: the start, restarts, TEM.
        case 0xd0...0xd8, 1:
            kept += [0xff, code]
            go(to: .mark, 2)
        default: go(to: .length(marker: code), 2)
        }
    }

    private mutating func begin(_ marker: UInt8, _ part: [UInt8], _ kept: inout [UInt8]) {
        // The length of a segment, itself counted.
        let length = Int(part[0]) << 8 | Int(part[1])
        guard length >= 2 else {
            isBroken = true
            return
        }
        if Self.isMetadata(marker) {
            go(to: .segment(marker: marker), length - 2)
            return
        }
        if (0xc0...0xcf).contains(marker), ![0xc4, 0xc8, 0xcc].contains(marker) {
            hasFrame = true
        }
        kept += [0xff, marker] + part
        guard marker == 0xda else {
            go(to: .mark, 2, after: length - 2)
            return
        }
        isBroken = !hasFrame
        hasScan = true
        isMarked = false
        // The scan's own head is read as pixels: no marker stands in it.
        step = .scan
        toScanHead = length - 2
    }
    private var toScanHead = 0

    private static func isMetadata(_ marker: UInt8) -> Bool {
        (0xe0...0xef).contains(marker) || marker == 0xfe
    }

    /// Pixels up to the next segment or the end.
    private mutating func scan(_ bytes: inout ArraySlice<UInt8>, _ kept: inout [UInt8]) {
        let head = bytes.prefix(toScanHead)
        toScanHead -= head.count
        kept += head
        bytes.removeFirst(head.count)
        while !bytes.isEmpty {
            guard isMarked else {
                let end = bytes.firstIndex(of: 0xff)
                kept += bytes[..<(end ?? bytes.endIndex)]
                bytes = end.map { bytes[($0 + 1)...] } ?? []
                isMarked = end != nil
                continue
            }
            let code = bytes.removeFirst()
            guard code != 0xff else { continue }
            isMarked = false
            if Self.endsScan(code) {
                mark(code, &kept)
                return
            }
            kept += [0xff, code]
        }
    }

    /// Whether a segment or the end of the picture begins; else it is a byte, or a restart.
    private static func endsScan(_ code: UInt8) -> Bool {
        switch code {
        case 0xc0...0xcf, 0xd9...0xdf, 0xe0...0xef, 0xfe: true
        default: false
        }
    }

    private mutating func keep(_ marker: UInt8, _ data: [UInt8], _ kept: inout [UInt8]) {
        if marker == 0xe0, data.starts(with: "JFIF\0".utf8), data.count >= 14 {
            kept += Self.segment(marker, data[..<12] + [0, 0])
        } else if marker == 0xe1, data.starts(with: "Exif\0\0".utf8), !hasOrientation,
            let orientation = ExifOrientation.of(data[6...])
        {
            hasOrientation = true
            kept += Self.segment(marker, data[..<6] + ExifOrientation.block(orientation))
        } else if marker == 0xe2 && data.starts(with: "ICC_PROFILE\0".utf8)
            || marker == 0xee && data.starts(with: "Adobe".utf8)
        {
            kept += Self.segment(marker, data[...])
        }
    }

    private static func segment(_ marker: UInt8, _ data: ArraySlice<UInt8>) -> [UInt8] {
        let length = data.count + 2
        let head = [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
        return [0xff, marker] + head + data
    }

    var isComplete: Bool { hasEnded && !isBroken }
}
