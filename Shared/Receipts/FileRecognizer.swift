public import WalletProtocol

/// Finds what a file is by its bytes as they come, and whether it has come to its end: the kind by
/// the first of them, then the structure that the kind has, in constant memory.
///
/// What is kept of the bytes is the picture, without the metadata that tells where, when, by whom
/// and with what it was taken; a PDF is kept as it is.
///
/// What a header or a name says counts for nothing. Sources: ISO 10918-1 B, ISO 15948, GIF89a,
/// RFC 9649, ISO 14496-12, ISO 32000-2.
public struct FileRecognizer {
    /// Known once enough bytes have come.
    public private(set) var type: AttachmentType?
    /// No file that is taken begins so, or goes on so.
    public private(set) var isRefused = false
    private var head: [UInt8] = []
    private var tail: [UInt8] = []
    private var count = 0
    private var walker: any FileWalker = NothingWalker()

    /// A recognizer of a file that has yet to come.
    public init() {}

    static let headBytes = 64
    /// A PDF ends with its mark within the last 1,024 bytes (ISO 32000, annex H of old readers).
    static let tailBytes = 1_024

    /// Takes the next bytes.
    /// - Returns: what is to be kept; some of it may be of earlier bytes.
    public mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        guard !isRefused, !bytes.isEmpty else { return [] }
        var kept: [UInt8] = []
        count += bytes.count
        tail.append(contentsOf: bytes.suffix(Self.tailBytes))
        tail.removeFirst(max(0, tail.count - Self.tailBytes))
        guard type == nil else {
            walker.take(bytes[...], &kept)
            isRefused = walker.isBroken
            return kept
        }
        head.append(contentsOf: bytes)
        if head.count >= Self.headBytes { begin(&kept) }
        return kept
    }

    /// What the whole file is, and the last of what is to be kept; nil where it is none that is
    /// taken, or not whole.
    public mutating func finish() -> (type: AttachmentType, kept: [UInt8])? {
        var kept: [UInt8] = []
        if type == nil, !isRefused { begin(&kept) }
        guard !isRefused, let type else { return nil }
        let isWhole = type == .pdf ? tail.contains("%%EOF") : walker.isComplete
        return isWhole ? (type, kept) : nil
    }

    private mutating func begin(_ kept: inout [UInt8]) {
        // No more of it than has come at least: in how many pieces it came says nothing.
        guard let found = Self.type(of: Array(head.prefix(Self.headBytes))) else {
            isRefused = true
            return
        }
        type = found
        walker = Self.walker(for: found)
        walker.take(head[...], &kept)
        isRefused = walker.isBroken
        head = []
    }

    private static func type(of head: [UInt8]) -> AttachmentType? {
        if head.starts(with: [0xff, 0xd8, 0xff]) { return .jpeg }
        if head.starts(with: PNGWalker.signature) { return .png }
        if head.starts(with: "GIF87a".utf8) || head.starts(with: "GIF89a".utf8) { return .gif }
        if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBP".utf8) {
            return .webp
        }
        if head.starts(with: "%PDF-1.".utf8) || head.starts(with: "%PDF-2.".utf8) { return .pdf }
        if head.dropFirst(4).starts(with: "ftyp".utf8) { return brand(of: head) }
        return nil
    }

    /// By the major brand, else the first compatible one that is known.
    private static func brand(of head: [UInt8]) -> AttachmentType? {
        guard head.count >= 16 else { return nil }
        let length = min(head.count, head[..<4].reduce(0) { $0 << 8 | Int($1) })
        var at = 8
        while at + 4 <= length {
            switch String(decoding: head[at..<at + 4], as: UTF8.self) {
            case "heic", "heix", "heim", "heis", "hevc", "hevx": return .heic
            case "avif", "avis": return .avif
            default: at += at == 8 ? 8 : 4
            }
        }
        return nil
    }

    private static func walker(for type: AttachmentType) -> any FileWalker {
        switch type {
        case .jpeg: JPEGWalker()
        case .png: PNGWalker()
        case .gif: GIFWalker()
        case .webp: WebPWalker()
        case .heic, .avif: BoxWalker()
        case .pdf: NothingWalker()
        }
    }
}

extension [UInt8] {
    /// Whether a text of ASCII stands somewhere in it.
    fileprivate func contains(_ text: StaticString) -> Bool {
        let wanted = Array(text.description.utf8)
        guard count >= wanted.count else { return false }
        return (0...(count - wanted.count)).contains { start in
            self[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
