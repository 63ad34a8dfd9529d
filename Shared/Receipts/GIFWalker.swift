/// Header, palette, then extensions and images in blocks, up to the trailer.
///
/// Comments go, and so do the extensions of applications except repetitions and colour profiles.
/// Source: GIF89a, 18 to 27.
struct GIFWalker: FileWalker {
    private enum Step { case header, block, label, name, named, image, blocks, code }
    private static let shown = ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]
    private(set) var isBroken = false
    private var step = Step.header
    private var parts = PartReader(wanting: 13)
    private var images = 0
    private var isKept = true
    private var hasEnded = false

    mutating func take(_ bytes: ArraySlice<UInt8>, _ kept: inout [UInt8]) {
        var bytes = bytes
        while !isBroken, !hasEnded, let part = parts.next(&bytes, &kept) {
            switch step {
            case .header:
                kept += part
                go(to: .block, 1, after: palette(part[10]))
            case .block: block(part[0], &kept)
            case .label: label(part[0], &kept)
            case .name: go(to: part[0] == 0 ? .block : .named, max(1, Int(part[0])))
            case .named: named(part, &kept)
            case .image:
                images += 1
                kept += part
                go(to: .code, 1, after: palette(part[8]))
            case .code:
                kept += part
                isKept = true
                go(to: .blocks, 1)
            case .blocks:
                if isKept { kept += part }
                let length = Int(part[0])
                go(to: length == 0 ? .block : .blocks, 1, after: length)
            }
        }
    }

    private mutating func block(_ code: UInt8, _ kept: inout [UInt8]) {
        isKept = true
        switch code {
        case 0x21: go(to: .label, 1)
        case 0x2c:
            kept.append(code)
            go(to: .image, 9)
        case 0x3b:
            kept.append(code)
            hasEnded = true
        default: isBroken = true
        }
    }

    private mutating func label(_ label: UInt8, _ kept: inout [UInt8]) {
        if label == 0xff {
            go(to: .name, 1)
            return
        }
        // How an image is drawn, and text that is drawn.
        isKept = label == 0xf9 || label == 0x01
        if isKept { kept += [0x21, label] }
        go(to: .blocks, 1)
    }

    private mutating func named(_ name: [UInt8], _ kept: inout [UInt8]) {
        isKept = Self.shown.contains(String(decoding: name, as: UTF8.self))
        if isKept { kept += [0x21, 0xff, UInt8(truncatingIfNeeded: name.count)] + name }
        go(to: .blocks, 1)
    }

    /// The bytes of the palette that a packed field tells of.
    private func palette(_ packed: UInt8) -> Int {
        packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1)
    }

    private mutating func go(to next: Step, _ wanted: Int, after passed: Int = 0) {
        step = next
        parts.expect(wanted, after: passed, isKept ? .kept : .dropped)
    }

    var isComplete: Bool { hasEnded && images > 0 && !isBroken }
}
