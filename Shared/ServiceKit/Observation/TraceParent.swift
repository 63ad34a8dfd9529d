internal import Synchronization
internal import WalletProtocol

/// A W3C trace context: which trace a request belongs to and which span asked.
///
/// Source: W3C Trace Context, 3.2 (`00-<32 hex>-<16 hex>-<2 hex>`, no all-zero ids).
public struct TraceParent: Hashable, Sendable {
    /// The header's value.
    public let text: String

    /// 32 lower-case hexadecimal digits.
    public var traceID: String {
        String(decoding: text.utf8.dropFirst(3).prefix(32), as: UTF8.self)
    }
    /// 16 lower-case hexadecimal digits.
    public var spanID: String {
        String(decoding: text.utf8.dropFirst(36).prefix(16), as: UTF8.self)
    }

    private static let length = 55

    /// From the header's value; nil where it is malformed.
    ///
    /// A later version may have more parts, which are passed over and not sent on.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= Self.length, bytes[2] == Self.dash, bytes[35] == Self.dash,
            bytes[52] == Self.dash, Self.isHex(bytes[0..<2]), Self.isHex(bytes[3..<35]),
            Self.isHex(bytes[36..<52]), Self.isHex(bytes[53..<55]),
            !(bytes[0] == Self.f && bytes[1] == Self.f),
            bytes[3..<35].contains(where: { $0 != Self.zero }),
            bytes[36..<52].contains(where: { $0 != Self.zero })
        else { return nil }
        let isFirstVersion = bytes[0] == Self.zero && bytes[1] == Self.zero
        guard bytes.count == Self.length || (!isFirstVersion && bytes[Self.length] == Self.dash)
        else { return nil }
        self.text = "00" + String(decoding: bytes[2..<Self.length], as: UTF8.self)
    }

    private init(bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }

    /// A new trace.
    public static func new() -> TraceParent {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        bytes.append(contentsOf: [zero, zero, dash])
        append(PlainRandom.next() | 1, to: &bytes)
        append(PlainRandom.next(), to: &bytes)
        bytes.append(dash)
        append(PlainRandom.next() | 1, to: &bytes)
        bytes.append(contentsOf: [dash, zero, UInt8(ascii: "1")])
        return TraceParent(bytes: bytes)
    }

    /// A span of the same trace.
    public func child() -> TraceParent {
        var bytes = Array(text.utf8.prefix(36))
        bytes.reserveCapacity(Self.length)
        Self.append(PlainRandom.next() | 1, to: &bytes)
        bytes.append(contentsOf: text.utf8.suffix(3))
        return TraceParent(bytes: bytes)
    }

    private static let dash = UInt8(ascii: "-")
    private static let zero = UInt8(ascii: "0")
    private static let f = UInt8(ascii: "f")
    private static let digits = Array("0123456789abcdef".utf8)

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 60, through: 0, by: -4) {
            bytes.append(digits[Int(value >> UInt64(shift) & 15)])
        }
    }

    private static func isHex(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// Numbers that need be unlike each other and not secret: names of traces, spans and requests.
///
/// The system's generator is a system call each; this is one atomic addition and a mix.
/// Source: Steele, Lea and Flood, «Fast splittable pseudorandom number generators» (2014).
public enum PlainRandom {
    private static let state: Mixer = Mixer()

    private final class Mixer: Sendable {
        let counter: Atomic<UInt64>
        init() {
            var system = SystemRandomNumberGenerator()
            counter = Atomic(system.next())
        }
    }

    /// The next number.
    public static func next() -> UInt64 {
        let gamma: UInt64 = 0x9e37_79b9_7f4a_7c15
        var value = state.counter.wrappingAdd(gamma, ordering: .relaxed).newValue
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// A new name for a request.
    public static func requestID() -> String {
        ID<JournalEntry>.at(.now(), random: next()).text
    }
}
