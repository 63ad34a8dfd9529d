/// Any JSON: for schemas, documents and members whose shape is not fixed.
public indirect enum JSONTree: Sendable, Hashable {
    /// `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// Another number.
    case number(Double)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSONTree])
    /// Members in order.
    case object([JSONMember])

    /// The member of this name, where this is an object that has it.
    public subscript(name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The same object with one more member, or with another value for it.
    public func setting(_ name: String, _ value: JSONTree) -> JSONTree {
        guard case .object(var members) = self else { return self }
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].value = value
        } else {
            members.append(JSONMember(name, value))
        }
        return .object(members)
    }
}

/// A member of an object.
public struct JSONMember: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: JSONTree

    /// A member.
    public init(_ name: String, _ value: JSONTree) {
        self.name = name
        self.value = value
    }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral, ExpressibleByStringInterpolation
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Values in order.
    public init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
    /// Members in order.
    public init(dictionaryLiteral elements: (String, JSONTree)...) {
        self = .object(elements.map { JSONMember($0.0, $0.1) })
    }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSONTree: JSONValue {
    /// Reads anything.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> JSONTree? {
        switch source.kind {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .integer:
            if let integer = source.integer { return .integer(integer) }
            fallthrough
        case .number:
            guard let number = source.double else {
                reading.fail(.outOfRange, "the number does not fit")
                return nil
            }
            return .number(number)
        case .string, .name: return String.read(source, &reading).map { .string($0) }
        case .array: return [JSONTree].read(source, &reading).map { .array($0) }
        case .object:
            var members: [JSONMember] = []
            for (name, value) in source.members ?? [] {
                let count = reading.failures
                if let tree = JSONTree.read(value, &reading) {
                    members.append(JSONMember(name, tree))
                } else {
                    reading.prefix(since: count, name)
                }
            }
            return .object(members)
        }
    }

    /// Writes it as it stands.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.append(raw: "null".utf8)
        case .bool(let value): value.write(to: &writer)
        case .integer(let value): writer.append(value)
        case .number(let value): value.write(to: &writer)
        case .string(let value): writer.append(value)
        case .array(let values): values.write(to: &writer)
        case .object(let members):
            writer.append(byte: UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
                writer.append(member.name)
                writer.append(byte: UInt8(ascii: ":"))
                member.value.write(to: &writer)
            }
            writer.append(byte: UInt8(ascii: "}"))
        }
    }

    /// Anything.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree { [:] }
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
