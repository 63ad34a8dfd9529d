/// The one sequence of bytes that stands for some values, for hashes over them.
///
/// Each text and each run of bytes carries its length, what may be missing a mark, so that no two
/// sequences of values share their bytes.
public struct CanonicalBytes: Sendable {
    /// The bytes so far.
    public private(set) var bytes: [UInt8] = []

    /// Begins with what the bytes are of, so that a hash of one kind of thing is of no other.
    public init(_ context: String) { append(context) }

    /// A whole number, as eight bytes.
    public mutating func append(_ number: some FixedWidthInteger) {
        let number = UInt64(truncatingIfNeeded: number)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Bytes behind their length.
    public mutating func append(_ more: [UInt8]) {
        append(more.count)
        bytes.append(contentsOf: more)
    }

    /// A text's UTF-8 behind its length.
    public mutating func append(_ text: String) { append(Array(text.utf8)) }

    /// Bytes that may be missing: a mark, then they.
    public mutating func append(_ more: [UInt8]?) {
        bytes.append(more == nil ? 0 : 1)
        if let more { append(more) }
    }

    /// A text that may be missing.
    public mutating func append(_ text: String?) { append(text.map { Array($0.utf8) }) }
}
