/// The one tag of Exif that a picture is not shown right without.
///
/// Source: Exif 3.0 (CIPA DC-008), 4.6.5; TIFF 6.0, 2.
enum ExifOrientation {
    /// The orientation of a TIFF block, where it is one that turns the picture.
    static func of(_ block: ArraySlice<UInt8>) -> UInt8? {
        let bytes = Array(block)
        guard bytes.count >= 8 else { return nil }
        let isLittle = bytes.starts(with: "II".utf8)
        guard isLittle || bytes.starts(with: "MM".utf8) else { return nil }
        func number(_ at: Int, _ count: Int) -> Int? {
            guard at >= 0, at <= bytes.count - count else { return nil }
            let part = bytes[at..<at + count]
            return isLittle
                ? part.reversed().reduce(0) { $0 << 8 | Int($1) }
                : part.reduce(0) { $0 << 8 | Int($1) }
        }
        guard number(2, 2) == 42, let first = number(4, 4), let count = number(first, 2)
        else { return nil }
        for entry in 0..<count {
            let at = first + 2 + entry * 12
            guard let tag = number(at, 2) else { return nil }
            // One SHORT, in the entry itself.
            guard tag == 0x0112, number(at + 2, 2) == 3, number(at + 4, 4) == 1 else { continue }
            guard let value = number(at + 8, 2), (2...8).contains(value) else { return nil }
            return UInt8(value)
        }
        return nil
    }

    /// A TIFF block with that tag only.
    static func block(_ orientation: UInt8) -> [UInt8] {
        Array("MM".utf8) + [0, 42, 0, 0, 0, 8]
            + [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    }

    /// The bytes of such a block.
    static let blockBytes = 26
}
