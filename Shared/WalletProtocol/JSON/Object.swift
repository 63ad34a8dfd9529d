/// A type with fields: its one description gives reading, writing and the schema.
///
/// ```swift
/// public struct Price: JSONObject {
///     public let name: String
///     public let amount: Money?
///     public static let json = Object(
///         Price.init(name:amount:),
///         Field("name", \.name, .line(1...80)),
///         Field("amount", \.amount, .positive)
///     )
/// }
/// ```
/// A field is required unless its type has a value for «absent» (`Optional`, `Patch`, `Replace`) or
/// the field has a default. A field that the description does not have is an error.
public protocol JSONObject: JSONValue where Content == Self {
    /// `Object<Self, …>`.
    associatedtype Description: ObjectDescription where Description.Root == Self

    /// The description.
    static var json: Description { get }

    /// The name in `components/schemas`; the type's own unless stated.
    static var schemaName: String { get }
}

extension JSONObject {
    /// Reads by the description.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Self? {
        json.read(source, &reading)
    }

    /// Writes by the description.
    public func write(to writer: inout JSONWriter) { Self.json.write(self, to: &writer) }

    /// A reference to the schema, which goes into the components.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        components.reference(schemaName, to: Self.self) { json.schema(&$0) }
    }

    /// The type's own name.
    public static var schemaName: String { String(describing: Self.self) }
}

/// What `Object` can do, whatever its fields.
public protocol ObjectDescription: Sendable {
    /// The type described.
    associatedtype Root
    /// Reads it.
    func read(_ source: JSONSource, _ reading: inout JSONReading) -> Root?
    /// Writes it.
    func write(_ root: Root, to writer: inout JSONWriter)
    /// Its schema.
    func schema(_ components: inout SchemaComponents) -> JSONTree
}

/// The description of a type: how it is made from its fields, and the fields.
public struct Object<Root, each Value: JSONValue>: ObjectDescription {
    private let make: @Sendable (repeat each Value) -> Root
    private let fields: (repeat Field<Root, each Value>)
    private let names: [[UInt8]]

    /// Describes a type by its initialiser and its fields in the order of the parameters.
    public init(
        _ make: @escaping @Sendable (repeat each Value) -> Root,
        _ fields: repeat Field<Root, each Value>
    ) {
        self.make = make
        self.fields = (repeat each fields)
        var names: [[UInt8]] = []
        for field in repeat each fields { names.append(field.key) }
        precondition(Set(names).count == names.count, "a field twice in \(Root.self)")
        self.names = names
    }

    /// Reads every field, the good and the bad.
    public func read(_ source: JSONSource, _ reading: inout JSONReading) -> Root? {
        guard source.kind == .object else {
            reading.fail(.wrongType, "must be an object")
            return nil
        }
        let before = reading.errors.count
        var members = MemberReader(source)
        let values = (repeat members.value(of: each fields, &reading))
        if members.hasUnread && !reading.ignoresUnknownFields {
            members.failUnknown(names, &reading)
        }
        guard reading.errors.count == before else { return nil }
        return make(repeat present(each values))
    }

    private func present<Part>(_ value: Part?) -> Part {
        guard let value else { preconditionFailure("a field neither read nor refused") }
        return value
    }

    /// Writes every field that is not absent.
    public func write(_ root: Root, to writer: inout JSONWriter) {
        writer.append(byte: UInt8(ascii: "{"))
        var first = true
        for field in repeat each fields {
            field.write(root, &first, to: &writer)
        }
        writer.append(byte: UInt8(ascii: "}"))
    }

    /// An object with these properties and no others.
    public func schema(_ components: inout SchemaComponents) -> JSONTree {
        var properties: [JSONMember] = []
        var required: [JSONTree] = []
        for field in repeat each fields {
            properties.append(JSONMember(field.name, field.schema(&components)))
            if field.isRequired { required.append(.string(field.name)) }
        }
        var schema: JSONTree = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { schema = schema.setting("required", .array(required)) }
        return schema.setting("additionalProperties", false)
    }
}

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
        let count = reading.errors.count
        guard let source else {
            if let value = fallback ?? Value.absent { return value }
            reading.fail(.required, "is required", at: "/\(name)")
            return nil
        }
        let value = Value.read(source, &reading)
        if let value, !rules.isEmpty, let content = value.content {
            for rule in rules { rule.check(content, &reading) }
        }
        if reading.errors.count > count { reading.prefix(since: count, name) }
        return value
    }

    func write(_ root: Root, _ first: inout Bool, to writer: inout JSONWriter) {
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

/// Finds the members of one object; those in the order of the description at once.
struct MemberReader {
    private let source: JSONSource
    private let end: Int
    private var expected: Int
    private var read = 0

    init(_ source: JSONSource) {
        self.source = source
        expected = source.index + 1
        end = Int(source.node.next)
    }

    mutating func value<Root, Value>(
        of field: Field<Root, Value>,
        _ reading: inout JSONReading
    ) -> Value? {
        field.read(find(field), &reading)
    }

    private mutating func find<Root, Value>(_ field: Field<Root, Value>) -> JSONSource? {
        let document = source.document
        var at = expected
        var wrapped = false
        while true {
            if at >= end {
                if wrapped { return nil }
                wrapped = true
                at = source.index + 1
            }
            if wrapped && at >= expected { return nil }
            let next = Int(document.nodes[at + 1].next)
            if field.matches(document.nodes[at], in: document) {
                expected = next
                read += 1
                return JSONSource(document: document, index: at + 1)
            }
            at = next
        }
    }

    /// Whether the object has members that no field asked for; it has none twice.
    var hasUnread: Bool {
        var count = 0
        var at = source.index + 1
        while at < end {
            count += 1
            at = Int(source.document.nodes[at + 1].next)
        }
        return count > read
    }

    func failUnknown(_ names: [[UInt8]], _ reading: inout JSONReading) {
        for (name, _) in source.members ?? [] where !names.contains(Array(name.utf8)) {
            let count = reading.errors.count
            reading.fail(.unknownField, "is not a field of this object")
            reading.prefix(since: count, name)
        }
    }
}

extension JSONTree {
    /// The tree of a value as it is written.
    public init?(written value: some JSONValue) {
        guard let document = try? JSONDocument(JSON.write(value)) else { return nil }
        var reading = JSONReading()
        guard let tree = JSONTree.read(document.root, &reading) else { return nil }
        self = tree
    }
}
