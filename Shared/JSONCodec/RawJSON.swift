/// JSON that has been checked and is passed on as it was written.
public struct RawJSON: JSONValue, Hashable {
    /// The text.
    public let bytes: [UInt8]

    /// What a value is written as.
    public init(_ value: some JSONValue) {
        bytes = JSON.write(value)
    }

    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Keeps the text of any value.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> RawJSON? {
        RawJSON(unchecked: source.text)
    }

    /// Writes the text.
    public func write(to writer: inout JSONWriter) { writer.append(raw: bytes) }

    /// Anything.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree { [:] }
}

extension JSONSource {
    /// The bytes of the whole value.
    var text: [UInt8] {
        let node = node
        let quotes = node.kind == .string ? 1 : 0
        return Array(document.bytes[(Int(node.start) - quotes)..<(Int(node.end) + quotes)])
    }
}
