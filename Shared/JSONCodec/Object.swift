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
    @inlinable public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Self?
    {
        json.read(source, &reading)
    }

    /// Writes by the description.
    @inlinable public func write(to writer: inout JSONWriter) { Self.json.write(self, to: &writer) }

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
    @usableFromInline let make: @Sendable (repeat each Value) -> Root
    @usableFromInline let fields: (repeat Field<Root, each Value>)
    @usableFromInline let names: [[UInt8]]

    /// Describes a type by its initialiser and its fields in the order of the parameters.
    public init(
        _ make: @escaping @Sendable (repeat each Value) -> Root,
        _ fields: repeat Field<Root, each Value>
    ) {
        self.make = make
        self.fields = (repeat each fields)
        var names: [[UInt8]] = []
        for field in repeat each fields { names.append(field.key) }
        // Cannot fire: the fields are literals, of a description made once.
        precondition(Set(names).count == names.count, "a field twice in \(Root.self)")
        self.names = names
    }

    /// Reads every field, the good and the bad.
    @inlinable public func read(_ source: JSONSource, _ reading: inout JSONReading) -> Root? {
        guard source.isObject else {
            reading.fail(.wrongType, "must be an object")
            return nil
        }
        let before = reading.failures
        var members = MemberReader(source)
        let values = (repeat members.value(of: each fields, &reading))
        if members.hasUnread && !reading.ignoresUnknownFields {
            members.failUnknown(names, &reading)
        }
        guard reading.failures == before else {
            guard reading.takesFaulty else { return nil }
            return try? make(
                repeat Self.present(each values ?? (each Value).absent ?? (each Value).unread)
            )
        }
        return try? make(repeat reading.present(each values))
    }

    @inlinable static func present<Part>(_ value: Part?) throws(UnreadValue) -> Part {
        guard let value else { throw UnreadValue() }
        return value
    }

    /// Writes every field that is not absent.
    @inlinable public func write(_ root: Root, to writer: inout JSONWriter) {
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
