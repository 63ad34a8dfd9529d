import Receipts
import WalletProtocol

extension FuzzTarget {
    static let receipts = FuzzTarget(
        "receipts",
        words: [
            "IHDR", "IEND", "GIF89a", "RIFF", "WEBPVP8L", "ftypheic", "ftypavif", "meta", "mdat",
            "%PDF-1.7\n", "%%EOF", "\u{0}\u{0}\u{0}\u{1}", "Exif\u{0}\u{0}", "eXIf", "EXIF",
            "XMP ", "VP8X", "ANMF", "iinf", "infe", "iloc", "idat", "uuid", "NETSCAPE2.0",
            "ICC_PROFILE\u{0}", "JFIF\u{0}", "MM\u{0}*",
        ],
        growths: [
            Growth("%PDF-1.7\n", "%%EOF"), Growth("GIF89a0000000", "!0\u{1}0\u{0}"),
            Growth("\u{0}\u{0}\u{0}\u{10}ftypheic0000", "\u{0}\u{0}\u{0}\u{8}meta"),
            Growth("JPEG fill") { [0xff, 0xd8] + [UInt8](repeating: 0xff, count: $0) },
        ],
        seeds: {
            [
                "1%PDF-1.7\n1 0 obj<<>>endobj\n%%EOF\n",
                "9GIF89a\u{1}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0},\u{0}\u{0}\u{0}\u{0}\u{1}\u{0}\u{1}"
                    + "\u{0}\u{0}\u{2}\u{1}D\u{0};",
                "@RIFF\u{10}\u{0}\u{0}\u{0}WEBPVP8L\u{4}\u{0}\u{0}\u{0}/\u{0}\u{0}\u{0}",
                "5\u{0}\u{0}\u{0}\u{10}ftypavif0000\u{0}\u{0}\u{0}\u{8}meta"
                    + "\u{0}\u{0}\u{0}\u{9}mdat1",
            ].map { Array($0.utf8) } + [
                [7, 0xff, 0xd8, 0xff, 0xc0, 0, 4, 1, 1, 0xff, 0xda, 0, 2, 1, 0xff, 0xd9]
            ]
        },
        check: { try receipt($0) }
    )

    /// What a file is, and what is kept of it, does not depend on how it was cut (the first byte
    /// says how large a piece is); what is kept is such a file, of which all is kept.
    private static func receipt(_ data: [UInt8]) throws {
        guard let first = data.first else { return }
        let bytes = Array(data.dropFirst())
        let whole = recognized(bytes, by: max(1, bytes.count))
        let parted = recognized(bytes, by: Int(first) + 1)
        try hold(whole == parted, "pieces of \(Int(first) + 1) change the verdict")
        guard let whole else { return }
        try hold(whole.bytes.count <= bytes.count, "more is kept than was sent")
        let again = recognized(whole.bytes, by: max(1, whole.bytes.count))
        try hold(again == whole, "what is kept is no \(whole.type), or less is kept of it")
    }

    private struct Recognized: Equatable {
        let type: AttachmentType
        let bytes: [UInt8]
    }

    private static func recognized(_ bytes: [UInt8], by size: Int) -> Recognized? {
        var kept: [UInt8] = []
        var recognizer = FileRecognizer()
        for start in stride(from: 0, to: bytes.count, by: size) {
            kept += recognizer.take(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        guard let (type, last) = recognizer.finish() else { return nil }
        return Recognized(type: type, bytes: kept + last)
    }
}
