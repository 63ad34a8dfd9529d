/// The header fields of a message to be sent, written as they go over the wire.
///
/// A value that holds CR, LF or NUL cannot get in: it traps in ours and is cleaned from elsewhere.
public struct HeaderBlock: Sendable {
    /// The fields, each ended by CR LF.
    public private(set) var bytes: [UInt8] = []

    /// An empty block.
    public init() {}

    /// Whether there is no field.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Appends a field whose value is a text of our own making.
    public mutating func append(_ name: StaticString, _ value: some StringProtocol) {
        append(name, value.utf8)
    }

    /// Appends a field whose value is bytes; what no value may hold becomes a space.
    public mutating func append(_ name: StaticString, _ value: some Collection<UInt8>) {
        // Safety: a literal's bytes, lent for one append.
        name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: ":"))
        bytes.append(0x20)
        let start = bytes.count
        bytes.append(contentsOf: value)
        for index in start..<bytes.count where bytes[index] < 0x20 || bytes[index] == 0x7f {
            bytes[index] = 0x20
        }
        bytes.append(0x0d)
        bytes.append(0x0a)
    }

    /// Appends a known field.
    public mutating func append(_ header: KnownHeader, _ value: some StringProtocol) {
        append(header.name, value.utf8)
    }

    /// Appends a known field whose value is a number.
    public mutating func append(_ header: KnownHeader, _ value: Int) {
        append(header.name, String(value).utf8)
    }

    /// Makes room for so many bytes more, once.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Appends a field that the parser has checked.
    mutating func appendChecked(_ source: Span<UInt8>, name: Range<Int>, value: Range<Int>) {
        let names = source.extracting(name)
        let values = source.extracting(value)
        // Safety: both were cut from the source with a check, and are read during the append.
        unsafe names.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: ":"))
        bytes.append(0x20)
        unsafe values.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(0x0d)
        bytes.append(0x0a)
    }
}
