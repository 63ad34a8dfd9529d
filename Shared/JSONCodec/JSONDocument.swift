/// A text that is JSON, ready to be read as some type.
public final class JSONDocument: Sendable {
    let bytes: [UInt8]
    let nodes: [JSONNode]

    /// Checks the bytes, whole.
    /// - Throws: `MalformedJSON`.
    public init(_ bytes: [UInt8]) throws(MalformedJSON) {
        nodes = try JSONScanner.scan(bytes.span)
        self.bytes = bytes
    }

    /// The value that the text is.
    public var root: JSONSource { JSONSource(document: self, index: 0) }

    func unescaped(_ node: JSONNode) -> [UInt8] {
        let bytes = bytes
        return JSONText.unescaped(bytes.span, Int(node.start), Int(node.end))
    }
}

/// One value inside a document: what `JSONValue.read` reads from.
public struct JSONSource: Sendable {
    let document: JSONDocument
    let index: Int

    var node: JSONNode { document.nodes[index] }
    var kind: JSONNode.Kind { document.nodes[index].kind }

    /// The bytes of a string without escapes, of a number, or nil.
    var plainBytes: ArraySlice<UInt8> {
        let node = node
        return document.bytes[Int(node.start)..<Int(node.end)]
    }

    /// Whether it is `null`.
    public var isNull: Bool { kind == .null }

    @usableFromInline var isObject: Bool { kind == .object }

    /// The bytes of a string with its escapes resolved; nil when it is none.
    package var stringBytes: ArraySlice<UInt8>? {
        let node = node
        guard node.kind == .string else { return nil }
        guard node.hasEscapes else { return plainBytes }
        return document.unescaped(node)[...]
    }

    /// The text of a string; nil when it is none.
    public var string: String? {
        let node = node
        guard node.kind == .string || node.kind == .name else { return nil }
        guard node.hasEscapes else { return String(decoding: plainBytes, as: UTF8.self) }
        return String(decoding: document.unescaped(node), as: UTF8.self)
    }

    /// A whole number; nil when it is none or does not fit.
    public var integer: Int64? {
        let node = node
        guard node.kind == .integer else { return nil }
        return Int64(String(decoding: plainBytes, as: UTF8.self))
    }

    /// A number; nil when it is none or does not fit.
    public var double: Double? {
        guard kind == .integer || kind == .number,
            let value = Double(String(decoding: plainBytes, as: UTF8.self)), value.isFinite
        else { return nil }
        return value
    }

    /// The values of an array in order; nil when it is none.
    public var elements: [JSONSource]? {
        guard kind == .array else { return nil }
        var all: [JSONSource] = []
        var at = index + 1
        let end = Int(node.next)
        while at < end {
            all.append(JSONSource(document: document, index: at))
            at = Int(document.nodes[at].next)
        }
        return all
    }

    /// The members of an object in order; nil when it is none.
    public var members: [(name: String, value: JSONSource)]? {
        guard kind == .object else { return nil }
        var all: [(name: String, value: JSONSource)] = []
        var at = index + 1
        let end = Int(node.next)
        while at < end {
            let name = JSONSource(document: document, index: at).string ?? ""
            all.append((name, JSONSource(document: document, index: at + 1)))
            at = Int(document.nodes[at + 1].next)
        }
        return all
    }
}
