/// The formats of pictures that are taken.
public enum PictureFormat: Int, Sendable, Hashable, CaseIterable {
    /// JPEG (ISO 10918).
    case jpeg
    /// PNG (ISO 15948).
    case png
    /// WebP (RFC 9649).
    case webp

    /// By the first bytes, whatever a header says; nil: none of these.
    public init?(of bytes: some Collection<UInt8>) {
        if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
            self = .png
        } else if bytes.starts(with: Array("RIFF".utf8)),
            bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
        {
            self = .webp
        } else {
            return nil
        }
    }
}

/// What a picture says of itself before it is decoded.
public struct PictureHeader: Sendable, Hashable {
    /// The format.
    public let format: PictureFormat
    /// Pixels across.
    public let width: Int
    /// Pixels down.
    public let height: Int
    /// EXIF's orientation, 1 to 8; 1 where there is none.
    public let orientation: Int

    /// More pixels than these are not decoded, however small the file.
    public static let pixelsMax = 50_000_000

    /// Whether it may be decoded.
    public var isModest: Bool {
        // Each side by itself first: PNG tells them in 32 bits, whose product may be beyond 64.
        let sides = 1...Self.pixelsMax
        return sides.contains(width) && sides.contains(height) && width * height <= Self.pixelsMax
    }

    /// Nil where the bytes end before the size is known, or make no sense.
    public init?(_ bytes: [UInt8]) {
        guard let format = PictureFormat(of: bytes) else { return nil }
        let found: (width: Int, height: Int, orientation: Int)?
        switch format {
        case .jpeg: found = Self.jpeg(bytes)
        case .png: found = Self.png(bytes)
        case .webp: found = Self.webp(bytes)
        }
        guard let found else { return nil }
        self.format = format
        (width, height) = (found.width, found.height)
        orientation = (1...8).contains(found.orientation) ? found.orientation : 1
    }

    /// IHDR is the first chunk; eXIf may be any later one.
    private static func png(_ bytes: [UInt8]) -> (Int, Int, Int)? {
        guard bytes.count >= 33, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
        var orientation = 1
        var at = 8
        while at + 12 <= bytes.count {
            let length = big(bytes, at, 4)
            guard at + 12 + length <= bytes.count else { break }
            if bytes[at + 4..<at + 8].elementsEqual("eXIf".utf8) {
                orientation = Self.orientation(bytes[at + 8..<at + 8 + length])
            }
            at += 12 + length
        }
        return (big(bytes, 16, 4), big(bytes, 20, 4), orientation)
    }

    /// The first frame header, and the EXIF before it.
    private static func jpeg(_ bytes: [UInt8]) -> (Int, Int, Int)? {
        var orientation = 1
        var at = 2
        while at + 4 <= bytes.count {
            guard bytes[at] == 0xff else { return nil }
            let marker = bytes[at + 1]
            if marker == 0xff {
                at += 1
                continue
            }
            let length = big(bytes, at + 2, 2)
            let end = at + 2 + length
            guard length >= 2, end <= bytes.count else { return nil }
            switch marker {
            // Every start of frame but DHT, JPG and DAC, which share its range.
            case 0xc0...0xcf where marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
                guard length >= 8 else { return nil }
                return (big(bytes, at + 7, 2), big(bytes, at + 5, 2), orientation)
            case 0xe1 where bytes[(at + 4)..<end].starts(with: Array("Exif\0\0".utf8)):
                orientation = Self.orientation(bytes[(at + 10)..<end])
            case 0xd9, 0xda: return nil
            default: break
            }
            at = end
        }
        return nil
    }

    /// VP8, VP8L or VP8X comes first; EXIF after the picture.
    private static func webp(_ bytes: [UInt8]) -> (Int, Int, Int)? {
        guard bytes.count >= 30 else { return nil }
        let size: (Int, Int)
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8 ":
            size = (little(bytes, 26, 2) & 0x3fff, little(bytes, 28, 2) & 0x3fff)
        case "VP8L":
            let packed = little(bytes, 21, 4)
            size = ((packed & 0x3fff) + 1, (packed >> 14 & 0x3fff) + 1)
        case "VP8X":
            size = (little(bytes, 24, 3) + 1, little(bytes, 27, 3) + 1)
        default: return nil
        }
        var orientation = 1
        var at = 12
        while at + 8 <= bytes.count {
            let length = little(bytes, at + 4, 4)
            let end = at + 8 + length
            guard end <= bytes.count else { break }
            if bytes[at..<at + 4].elementsEqual("EXIF".utf8) {
                let exif = bytes[(at + 8)..<end]
                let isPrefixed = exif.starts(with: Array("Exif\0\0".utf8))
                orientation = Self.orientation(isPrefixed ? exif.dropFirst(6) : exif)
            }
            at = end + length % 2
        }
        return (size.0, size.1, orientation)
    }

    /// Tag 0x0112 of the first directory (TIFF 6.0, section 2); 1 where it is not to be found.
    private static func orientation(_ tiff: ArraySlice<UInt8>) -> Int {
        let bytes = Array(tiff)
        guard bytes.count >= 8 else { return 1 }
        let isLittle = bytes.starts(with: Array("II".utf8))
        func number(_ at: Int, _ count: Int) -> Int {
            isLittle ? little(bytes, at, count) : big(bytes, at, count)
        }
        let directory = number(4, 4)
        guard directory >= 8, directory + 2 <= bytes.count else { return 1 }
        for index in 0..<number(directory, 2) {
            let entry = directory + 2 + index * 12
            guard entry + 12 <= bytes.count else { return 1 }
            if number(entry, 2) == 0x0112 { return number(entry + 8, 2) }
        }
        return 1
    }

    private static func big(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
        bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func little(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
        bytes[at..<at + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
