/// The query parameters of an endpoint: one description, as for bodies.
///
/// ```swift
/// public struct Filter: QueryObject {
///     public let from: Day?
///     public let limit: Int
///     public let accountIDs: [ID<Account>]
///     public static let query = QueryFields(
///         Filter.init(from:limit:accountIDs:),
///         QueryField("from", \.from),
///         QueryField("limit", \.limit, .range(1...200), default: 50),
///         QueryField("accountId", \.accountIDs)
///     )
/// }
/// ```
public protocol QueryObject: Sendable {
    /// `QueryFields<Self, …>`.
    associatedtype Description: QueryDescription where Description.Root == Self
    /// The description.
    static var query: Description { get }
}

extension QueryObject {
    /// Reads what stands after the question mark.
    /// - Throws: 400 `invalid-query` naming every bad parameter.
    public static func read(query text: String) throws(APIError) -> Self {
        var reading = JSONReading()
        let parameters = QueryParameters(text, &reading)
        let value = query.read(parameters, &reading)
        guard let value, reading.errors.isEmpty else {
            throw APIError(.invalidQuery, errors: reading.errors)
        }
        return value
    }

    /// What stands after the question mark for this value; empty for the defaults.
    public var queryText: String {
        Self.query.write(self).map { name, value in
            Percent.encode(name) + "=" + Percent.encode(value)
        }.joined(separator: "&")
    }
}

/// Takes no parameters.
public struct NoQuery: QueryObject, Hashable {
    /// Nothing.
    public init() {}
    /// No parameters.
    public static let query = QueryFields(NoQuery.init)
}

/// What `QueryFields` can do, whatever its fields.
public protocol QueryDescription: Sendable {
    /// The type described.
    associatedtype Root
    /// Reads it.
    func read(_ parameters: QueryParameters, _ reading: inout JSONReading) -> Root?
    /// Names and values that read back as it.
    func write(_ root: Root) -> [(name: String, value: String)]
    /// The parameters for the OpenAPI document.
    func parameters(_ components: inout SchemaComponents) -> [JSONTree]
}

/// Names and values after the question mark, decoded.
public struct QueryParameters: Sendable {
    let pairs: [(name: String, value: String)]

    /// Splits and decodes the text; what cannot be decoded is noted as an error.
    init(_ text: String, _ reading: inout JSONReading) {
        var pairs: [(name: String, value: String)] = []
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let decodedName = Percent.decode(part[..<end], plusIsSpace: true)
            let value = Percent.decode(part[end...].dropFirst(), plusIsSpace: true)
            guard let name = decodedName, let value else {
                let name = decodedName ?? ""
                reading.fail(.invalidValue, "is not percent-encoded UTF-8", at: "query:\(name)")
                continue
            }
            pairs.append((name, value))
        }
        self.pairs = pairs
    }

    func values(_ name: String) -> [String] {
        pairs.lazy.filter { $0.name == name }.map(\.value)
    }
}

/// A type that a query parameter can have: a text value, an optional or an array of them.
public protocol QueryValue: JSONValue {
    /// Reads the texts given under one name; the first that is wrong is noted without a pointer.
    static func read(texts: [String], _ reading: inout JSONReading) -> Self?
    /// The texts that read back as it.
    var texts: [String] { get }
    /// Whether the name may be repeated.
    static var isRepeatable: Bool { get }
}

extension QueryValue {
    /// Once.
    public static var isRepeatable: Bool { false }
}

extension QueryValue where Self: TextValue {
    /// The one text.
    public static func read(texts: [String], _ reading: inout JSONReading) -> Self? {
        guard let text = texts.first, let value = parse(Array(text.utf8)[...]) else {
            reading.fail(fault, "must be \(expectation)")
            return nil
        }
        return value
    }
    /// The one text.
    public var texts: [String] { [queryText] }
}

extension Optional: QueryValue where Wrapped: QueryValue {
    /// The one text.
    public static func read(texts: [String], _ reading: inout JSONReading) -> Wrapped?? {
        Wrapped.read(texts: texts, &reading).map { .some($0) }
    }
    /// The text, if any.
    public var texts: [String] { self?.texts ?? [] }
}

extension Array: QueryValue where Element: QueryValue {
    /// Every text.
    public static func read(texts: [String], _ reading: inout JSONReading) -> [Element]? {
        var values: [Element] = []
        for text in texts {
            guard let value = Element.read(texts: [text], &reading) else { return nil }
            values.append(value)
        }
        return values
    }
    /// Every text.
    public var texts: [String] { flatMap { $0.texts } }
    /// As often as wanted.
    public static var isRepeatable: Bool { true }
}

extension ID: QueryValue {}
extension Day: QueryValue {}
extension Month: QueryValue {}
extension Instant: QueryValue {}
extension Currency: QueryValue {}
extension ExactDecimal: QueryValue {}

extension String: QueryValue {
    /// The text as it is.
    public static func read(texts: [String], _ reading: inout JSONReading) -> String? {
        texts.first
    }
    /// Itself.
    public var texts: [String] { [self] }
}

extension Int: QueryValue {
    /// Digits, with a minus before them where it is below zero.
    public static func read(texts: [String], _ reading: inout JSONReading) -> Int? {
        let digits = texts.first?.drop { $0 == "-" } ?? ""
        guard let text = texts.first, let value = Int(text), text.first != "+", !digits.isEmpty
        else {
            reading.fail(.invalidValue, "must be a whole number")
            return nil
        }
        return value
    }
    /// Its digits.
    public var texts: [String] { [String(self)] }
}

extension Bool: QueryValue {
    /// `true` or `false`.
    public static func read(texts: [String], _ reading: inout JSONReading) -> Bool? {
        guard let value = Bool(texts.first ?? "") else {
            reading.fail(.invalidValue, "must be true or false")
            return nil
        }
        return value
    }
    /// The word.
    public var texts: [String] { [String(self)] }
}

/// The description of a query: how the type is made from its parameters, and the parameters.
public struct QueryFields<Root, each Value: QueryValue>: QueryDescription {
    private let make: @Sendable (repeat each Value) -> Root
    private let fields: (repeat QueryField<Root, each Value>)
    private let names: [String]

    /// Describes a query by its type's initialiser and its fields in the order of the parameters.
    public init(
        _ make: @escaping @Sendable (repeat each Value) -> Root,
        _ fields: repeat QueryField<Root, each Value>
    ) {
        self.make = make
        self.fields = (repeat each fields)
        var names: [String] = []
        for field in repeat each fields { names.append(field.name) }
        precondition(Set(names).count == names.count, "a parameter twice in \(Root.self)")
        self.names = names
    }

    /// Reads every parameter, the good and the bad.
    public func read(_ parameters: QueryParameters, _ reading: inout JSONReading) -> Root? {
        let before = reading.errors.count
        let values = (repeat (each fields).read(parameters, &reading))
        var unknown: Set<String> = []
        for (name, _) in parameters.pairs where !names.contains(name) {
            guard unknown.insert(name).inserted else { continue }
            reading.fail(.unknownField, "is not a parameter of this call", at: "query:\(name)")
        }
        guard reading.errors.count == before else { return nil }
        return make(repeat present(each values))
    }

    private func present<Part>(_ value: Part?) -> Part {
        guard let value else { preconditionFailure("a parameter neither read nor refused") }
        return value
    }

    /// Names and values.
    public func write(_ root: Root) -> [(name: String, value: String)] {
        var all: [(name: String, value: String)] = []
        for field in repeat each fields { all += field.write(root) }
        return all
    }

    /// One parameter object for each.
    public func parameters(_ components: inout SchemaComponents) -> [JSONTree] {
        var all: [JSONTree] = []
        for field in repeat each fields { all.append(field.parameter(&components)) }
        return all
    }
}

/// One query parameter: its name, where it is kept, and what must hold of it.
public final class QueryField<Root, Value: QueryValue>: Sendable {
    let name: String
    private let path: any KeyPath<Root, Value> & Sendable
    private let rules: [Rule<Value>]
    private let fallback: Value?
    private let about: String?

    /// A parameter.
    /// - Parameters:
    ///   - rules: what must hold of a value that is there.
    ///   - fallback: what a missing parameter reads as.
    ///   - about: a sentence for the OpenAPI document.
    public init(
        _ name: String,
        _ path: any KeyPath<Root, Value> & Sendable,
        _ rules: Rule<Value>...,
        default fallback: Value? = nil,
        about: String? = nil
    ) {
        self.name = name
        self.path = path
        self.rules = rules
        self.fallback = fallback
        self.about = about
    }

    /// What a missing one reads as: nil where it must be there.
    private var missing: Value? {
        if let fallback { return fallback }
        if Value.isRepeatable {
            var nothing = JSONReading()
            return Value.read(texts: [], &nothing)
        }
        return Value.absent
    }

    func read(_ parameters: QueryParameters, _ reading: inout JSONReading) -> Value? {
        let texts = parameters.values(name)
        guard !texts.isEmpty else {
            if let missing { return missing }
            reading.fail(.required, "is required", at: "query:\(name)")
            return nil
        }
        var own = JSONReading()
        let value = Value.read(texts: texts, &own)
        if texts.count > 1 && !Value.isRepeatable {
            own.fail(.duplicate, "may be given once")
        } else if let content = value?.content {
            for rule in rules { rule.check(content, &own) }
        }
        for error in own.errors { reading.fail(error.code, error.detail, at: "query:\(name)") }
        return own.errors.isEmpty ? value : nil
    }

    func write(_ root: Root) -> [(name: String, value: String)] {
        let value = root[keyPath: path]
        if let fallback, fallback.texts == value.texts { return [] }
        return value.texts.map { (name, $0) }
    }

    func parameter(_ components: inout SchemaComponents) -> JSONTree {
        var schema = Value.schema(&components)
        for rule in rules {
            for member in rule.schema { schema = schema.setting(member.name, member.value) }
        }
        if let fallback, let tree = JSONTree(written: fallback) {
            schema = schema.setting("default", tree)
        }
        var parameter: JSONTree = [
            "name": .string(name), "in": "query", "required": .bool(missing == nil),
            "schema": schema,
        ]
        if Value.isRepeatable {
            parameter = parameter.setting("style", "form").setting("explode", true)
        }
        if let about { parameter = parameter.setting("description", .string(about)) }
        return parameter
    }
}
