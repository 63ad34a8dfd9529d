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

    private init(_ pairs: [(name: String, value: String)]) { self.pairs = pairs }

    /// Those of these names alone.
    func only(_ names: [String]) -> QueryParameters {
        QueryParameters(pairs.filter { names.contains($0.name) })
    }

    func values(_ name: String) -> [String] {
        pairs.lazy.filter { $0.name == name }.map(\.value)
    }
}

/// The description of a query: how the type is made from its parameters, and the parameters.
public struct QueryFields<Root, each Value: QueryValue>: QueryDescription {
    private let make: @Sendable (repeat each Value) -> Root
    private let fields: (repeat QueryField<Root, each Value>)
    fileprivate let names: [String]

    /// Describes a query by its type's initialiser and its fields in the order of the parameters.
    public init(
        _ make: @escaping @Sendable (repeat each Value) -> Root,
        _ fields: repeat QueryField<Root, each Value>
    ) {
        self.make = make
        self.fields = (repeat each fields)
        var names: [String] = []
        for field in repeat each fields { names.append(field.name) }
        // Cannot fire: the fields are literals, of a description made once.
        precondition(Set(names).count == names.count, "a parameter twice in \(Root.self)")
        self.names = names
    }

    /// Reads every parameter, the good and the bad.
    public func read(_ parameters: QueryParameters, _ reading: inout JSONReading) -> Root? {
        let before = reading.failures
        let values = (repeat (each fields).read(parameters, &reading))
        var unknown: Set<String> = []
        for (name, _) in parameters.pairs where !names.contains(name) {
            guard unknown.insert(name).inserted else { continue }
            reading.fail(.unknownField, "is not a parameter of this call", at: "query:\(name)")
        }
        guard reading.failures == before else { return nil }
        return try? make(repeat reading.present(each values))
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

/// A query in which parameters that are not described are passed over: the protocol that it
/// belongs to says so (RFC 6749, 4.1.2).
public struct OpenQueryFields<Root, each Value: QueryValue>: QueryDescription {
    private let fields: QueryFields<Root, repeat each Value>

    /// Describes a query as `QueryFields` does.
    public init(
        _ make: @escaping @Sendable (repeat each Value) -> Root,
        _ fields: repeat QueryField<Root, each Value>
    ) {
        self.fields = QueryFields(make, repeat each fields)
    }

    /// Reads the parameters that are described.
    public func read(_ parameters: QueryParameters, _ reading: inout JSONReading) -> Root? {
        fields.read(parameters.only(fields.names), &reading)
    }

    /// Names and values.
    public func write(_ root: Root) -> [(name: String, value: String)] { fields.write(root) }

    /// One parameter object for each.
    public func parameters(_ components: inout SchemaComponents) -> [JSONTree] {
        fields.parameters(&components)
    }
}
