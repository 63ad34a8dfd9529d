internal import Synchronization
public import WalletProtocol

/// A W3C trace context: which trace a request belongs to and which span asked.
///
/// Source: W3C Trace Context, 3.2 (`00-<32 hex>-<16 hex>-<2 hex>`, no all-zero ids).
public struct TraceParent: Hashable, Sendable {
    private let traceHigh: UInt64
    private let traceLow: UInt64
    private let span: UInt64
    private let flags: UInt8

    private static let length = 55
    private static let dash = UInt8(ascii: "-")

    /// The header's value, for who writes it into a message.
    public var characters: InlineArray<55, UInt8> {
        var all = InlineArray<55, UInt8>(repeating: Self.dash)
        var bytes = all.mutableSpan
        bytes[0] = UInt8(ascii: "0")
        bytes[1] = UInt8(ascii: "0")
        _ = write(hexadecimal: traceHigh, to: &bytes, at: 3)
        _ = write(hexadecimal: traceLow, to: &bytes, at: 19)
        _ = write(hexadecimal: span, to: &bytes, at: 36)
        let digits = hexadecimalDigits(UInt32(flags))
        bytes[53] = UInt8(truncatingIfNeeded: digits >> 8)
        bytes[54] = UInt8(truncatingIfNeeded: digits)
        return all
    }

    /// The header's value.
    public var text: String { part(0..<Self.length) }
    /// 32 lower-case hexadecimal digits.
    public var traceID: String { part(3..<35) }
    /// 16 lower-case hexadecimal digits.
    public var spanID: String { part(36..<52) }

    private func part(_ range: Range<Int>) -> String {
        let characters = self.characters
        // Safety: the characters' bytes, lent for one copy.
        return unsafe characters.span.extracting(range).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }

    /// From the header's value; nil where it is malformed.
    ///
    /// A later version may have more parts, which are passed over and not sent on.
    public init?(_ text: some StringProtocol) { self.init(Array(text.utf8)[...]) }

    /// From the header's value as bytes; nil where it is malformed.
    public init?(_ value: ArraySlice<UInt8>) {
        let bytes = value.span
        guard bytes.count >= Self.length, bytes[2] == Self.dash, bytes[35] == Self.dash,
            bytes[52] == Self.dash, let version = Self.number(bytes, 0..<2), version != 0xff,
            let high = Self.number(bytes, 3..<19), let low = Self.number(bytes, 19..<35),
            let span = Self.number(bytes, 36..<52), let flags = Self.number(bytes, 53..<55),
            high | low != 0, span != 0
        else { return nil }
        guard
            bytes.count == Self.length || (version != 0 && bytes[Self.length] == Self.dash)
        else { return nil }
        self.init(high, low, span, UInt8(truncatingIfNeeded: flags))
    }

    private init(_ high: UInt64, _ low: UInt64, _ span: UInt64, _ flags: UInt8) {
        traceHigh = high
        traceLow = low
        self.span = span
        self.flags = flags
    }

    /// A new trace.
    public static func new() -> TraceParent {
        TraceParent(PlainRandom.next() | 1, PlainRandom.next(), PlainRandom.next() | 1, 1)
    }

    /// A span of the same trace.
    public func child() -> TraceParent {
        TraceParent(traceHigh, traceLow, PlainRandom.next() | 1, flags)
    }

    /// Up to 16 digits; letters in lower case alone.
    private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for index in range {
            let byte = bytes[index]
            switch byte {
            case 0x30...0x39: number = number << 4 | UInt64(byte - 0x30)
            case 0x61...0x66: number = number << 4 | UInt64(byte - 0x57)
            default: return nil
            }
        }
        return number
    }
}

/// What the identifiers of requests name.
public enum RequestName {}

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
    ///
    /// Wraps: the generator is defined modulo 2^64.
    public static func next() -> UInt64 {
        let gamma: UInt64 = 0x9e37_79b9_7f4a_7c15
        var value = state.counter.wrappingAdd(gamma, ordering: .relaxed).newValue
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// A new name for a request.
    public static func requestID() -> String { requestName().text }

    /// A new name for a request, not yet written out.
    public static func requestName() -> ID<RequestName> { .at(.now(), random: next()) }
}
