/// One field of a type: its name, where it is kept, and what must hold of it.
public final class Field<Root, Value: JSONValue>: Sendable {
    let name: String
    let key: [UInt8]
    private let hash: UInt32
    private let opening: [UInt8]
    private let path: any KeyPath<Root, Value> & Sendable
    private let rules: [Rule<Value>]
    private let fallback: Value?
    private let about: String?

    /// A field.
    /// - Parameters:
    ///   - rules: what must hold of a value that is there.
    ///   - fallback: what a missing field reads as.
    ///   - about: a sentence for the OpenAPI document.
    public init(
        _ name: String,
        _ path: any KeyPath<Root, Value> & Sendable,
        _ rules: Rule<Value>...,
        default fallback: Value? = nil,
        about: String? = nil
    ) {
        self.name = name
        let key = Array(name.utf8)
        self.key = key
        self.hash = nameHash(key.span)
        self.opening = Array("\"\(name)\":".utf8)
        self.path = path
        self.rules = rules
        self.fallback = fallback
        self.about = about
    }

    var isRequired: Bool { fallback == nil && Value.absent == nil }

    func matches(_ node: JSONNode, in document: JSONDocument) -> Bool {
        guard UInt32(bitPattern: node.next) == hash else { return false }
        if node.hasEscapes {
            return document.unescaped(node) == key
        }
        guard Int(node.end - node.start) == key.count else { return false }
        let start = Int(node.start)
        for index in 0..<key.count where document.bytes[start + index] != key[index] {
            return false
        }
        return true
    }

    func read(_ source: JSONSource?, _ reading: inout JSONReading) -> Value? {
        let count = reading.failures
        guard let source else {
            if let value = fallback ?? Value.absent { return value }
            reading.fail(.required, "is required", at: "/\(name)")
            return nil
        }
        let value = Value.read(source, &reading).map { rules.checked($0, &reading) }
        if reading.failures > count { reading.prefix(since: count, name) }
        return value
    }

    @usableFromInline func write(_ root: Root, _ first: inout Bool, to writer: inout JSONWriter) {
        let value = root[keyPath: path]
        if value.isAbsent { return }
        if !first { writer.append(byte: UInt8(ascii: ",")) }
        first = false
        writer.append(raw: opening)
        value.write(to: &writer)
    }

    func schema(_ components: inout SchemaComponents) -> JSONTree {
        var schema = Value.schema(&components)
        for rule in rules {
            for member in rule.schema { schema = schema.setting(member.name, member.value) }
        }
        if let fallback, let tree = JSONTree(written: fallback) {
            schema = schema.setting("default", tree)
        }
        if let about { schema = schema.setting("description", .string(about)) }
        return schema
    }
}
