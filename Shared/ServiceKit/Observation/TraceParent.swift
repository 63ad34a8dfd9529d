internal import WalletProtocol

/// A W3C trace context: which trace a request belongs to and which span asked.
///
/// Source: W3C Trace Context, 3.2 (`00-<32 hex>-<16 hex>-<2 hex>`, no all-zero ids).
public struct TraceParent: Hashable, Sendable {
    /// 32 lower-case hexadecimal digits.
    public let traceID: String
    /// 16 lower-case hexadecimal digits.
    public let spanID: String
    /// The flags, of which the lowest bit says «sampled».
    public let flags: String

    /// From the header's value; nil where it is malformed.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].utf8.count == 2, parts[0] != "ff",
            parts[0] != "00" || parts.count == 4, Self.isHex(parts[0]),
            parts[1].utf8.count == 32, Self.isHex(parts[1]),
            parts[1].contains(where: { $0 != "0" }),
            parts[2].utf8.count == 16, Self.isHex(parts[2]),
            parts[2].contains(where: { $0 != "0" }),
            parts[3].utf8.count == 2, Self.isHex(parts[3])
        else { return nil }
        traceID = String(parts[1])
        spanID = String(parts[2])
        flags = String(parts[3])
    }

    private init(traceID: String, spanID: String, flags: String) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
    }

    /// A new trace.
    public static func new() -> TraceParent {
        var random = SystemRandomNumberGenerator()
        return TraceParent(
            traceID: hex(random.next() | 1) + hex(random.next()),
            spanID: hex(random.next() | 1),
            flags: "01"
        )
    }

    /// A span of the same trace.
    public func child() -> TraceParent {
        var random = SystemRandomNumberGenerator()
        return TraceParent(traceID: traceID, spanID: Self.hex(random.next() | 1), flags: flags)
    }

    /// The header's value.
    public var text: String { "00-\(traceID)-\(spanID)-\(flags)" }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func isHex(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
