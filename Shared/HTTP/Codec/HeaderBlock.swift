/// The header fields of a message to be sent, written as they go over the wire.
///
/// A value that holds CR, LF or NUL cannot get in: it is cleaned, so that no message can be split.
public struct HeaderBlock: Sendable {
    /// The fields, each ended by CR LF.
    public private(set) var bytes: [UInt8] = []

    /// An empty block.
    public init() {}

    /// Appends to what is there, until `take`.
    init(behind bytes: consuming [UInt8]) { self.bytes = bytes }

    /// Gives the bytes up.
    mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Whether there is no field.
    public var isEmpty: Bool { bytes.isEmpty }

    // The forms that a proxy uses for each request are not generic: across modules those would run
    // unspecialised.

    /// Appends a field; what no value may hold becomes a space.
    public mutating func append(_ name: StaticString, _ value: String) {
        var value = value
        // Safety: the text's bytes, lent for one append.
        value.withUTF8 { unsafe append(name, cleaning: $0) }
    }

    /// Appends a field whose value is a part of a text.
    public mutating func append(_ name: StaticString, _ value: some StringProtocol) {
        append(name, String(value))
    }

    /// Appends a field whose value is part of another message.
    public mutating func append(_ name: StaticString, _ value: ArraySlice<UInt8>) {
        // Safety: the slice's bytes, lent for one append.
        unsafe value.withUnsafeBufferPointer { unsafe append(name, cleaning: $0) }
    }

    /// Appends a field whose value is bytes.
    public mutating func append(_ name: StaticString, _ value: some Collection<UInt8>) {
        append(name, Array(value)[...])
    }

    /// Appends a known field.
    public mutating func append(_ header: KnownHeader, _ value: String) {
        append(header.name, value)
    }

    /// Appends a known field whose value is a part of a text.
    public mutating func append(_ header: KnownHeader, _ value: some StringProtocol) {
        append(header.name, String(value))
    }

    /// Appends a known field whose value is a number.
    public mutating func append(_ header: KnownHeader, _ value: Int) {
        bytes.append(header.name)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(0x20)
        bytes.append(decimal: value)
        bytes.appendLineEnd()
    }

    /// Appends a known field whose value is a few bytes.
    public mutating func append(_ header: KnownHeader, _ value: Span<UInt8>) {
        // Safety: the span's bytes, lent for one append.
        unsafe value.withUnsafeBufferPointer { unsafe append(header.name, cleaning: $0) }
    }

    /// Appends all fields of another block.
    public mutating func append(_ others: HeaderBlock) { bytes.append(others.bytes.span) }

    private mutating func append(_ name: StaticString, cleaning value: UnsafeBufferPointer<UInt8>) {
        if bytes.capacity == 0 { bytes.reserveCapacity(512) }
        bytes.append(name)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(0x20)
        let start = bytes.count
        unsafe bytes.append(copying: value)
        // Safety: the value lies still while it is lent.
        if !Characters.isPrintable(unsafe value.span) {
            for index in start..<bytes.count where bytes[index] < 0x20 || bytes[index] == 0x7f {
                bytes[index] = 0x20
            }
        }
        bytes.appendLineEnd()
    }

    /// Makes room for so many bytes more, once.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count + 256) }

    /// Appends a field that the parser has checked.
    mutating func appendChecked(_ source: Span<UInt8>, name: Range<Int>, value: Range<Int>) {
        bytes.append(source.extracting(name))
        bytes.append(UInt8(ascii: ":"))
        bytes.append(0x20)
        bytes.append(source.extracting(value))
        bytes.appendLineEnd()
    }
}
