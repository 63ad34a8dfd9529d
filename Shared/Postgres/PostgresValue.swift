/// A type of the server, by its number in `pg_type`, and the type of arrays of it.
public struct PostgresType: Sendable, Hashable {
    /// The type's number; 0 lets the server infer it, as it does for a quoted literal.
    public let oid: UInt32
    /// The number of the type of its elements in an array.
    public let elementOID: UInt32
    /// The number of its array type.
    public let arrayOID: UInt32

    /// A type by its numbers in `pg_type`.
    public init(oid: UInt32, arrayOID: UInt32, elementOID: UInt32? = nil) {
        self.oid = oid
        self.arrayOID = arrayOID
        self.elementOID = elementOID ?? oid
    }
}

/// A value that travels to and from PostgreSQL in its binary form.
public protocol PostgresValue: Sendable {
    /// The type that a parameter of this kind is declared as.
    static var parameterType: PostgresType { get }
    /// Writes the binary form, or `writer.null()`.
    func encode(into writer: inout ParameterWriter)
    /// Reads the binary form; `FieldProblem` where the column is of another type or null.
    init(decoding field: borrowing PostgresField) throws(FieldProblem)
}

/// A value that may stand in an array.
public protocol PostgresArrayElement: Sendable {
    /// The type of arrays of it.
    static var arrayParameterType: PostgresType { get }
    /// Writes an array.
    static func encodeArray(_ elements: [Self], into writer: inout ParameterWriter)
    /// Reads an array of one dimension.
    static func decodeArray(_ field: borrowing PostgresField) throws(FieldProblem) -> [Self]
}

/// A value that stands alone and in arrays: all but arrays themselves.
public protocol PostgresScalar: PostgresValue, PostgresArrayElement {}

/// A type of ours that the database keeps as another: identifiers, enumerations, days.
///
/// An enumeration with raw values conforms by its declaration alone.
public protocol PostgresConvertible: PostgresScalar {
    /// What the database keeps.
    associatedtype PostgresStorage: PostgresScalar
    /// The value as the database keeps it.
    var postgresStorage: PostgresStorage { get }
    /// The value that the database kept; nil where it is none of ours.
    init?(postgresStorage: PostgresStorage)
}

/// Why a field could not be read; names types, never values.
public enum FieldProblem: Error, Sendable, Equatable {
    /// NULL where a value is needed.
    case null
    /// The column's type is another.
    case wrongType(expected: String, oid: UInt32)
    /// The bytes are not those of the type.
    case malformed(String)

    var text: String {
        switch self {
        case .null: "is null"
        case .wrongType(let expected, let oid): "has type \(oid), not one of \(expected)"
        case .malformed(let what): what
        }
    }
}

extension PostgresConvertible {
    /// That of what is kept.
    public static var parameterType: PostgresType { PostgresStorage.parameterType }
    /// Writes what is kept.
    public func encode(into writer: inout ParameterWriter) {
        postgresStorage.encode(into: &writer)
    }
    /// Reads what is kept.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        guard let value = Self(postgresStorage: try PostgresStorage(decoding: field)) else {
            throw .malformed("is no \(Self.self)")
        }
        self = value
    }
}

extension PostgresConvertible
where Self: RawRepresentable, RawValue: PostgresScalar, PostgresStorage == RawValue {
    /// The raw value.
    public var postgresStorage: RawValue { rawValue }
    /// From the raw value.
    public init?(postgresStorage: RawValue) { self.init(rawValue: postgresStorage) }
}

extension Optional: PostgresValue where Wrapped: PostgresValue {
    /// That of the value.
    public static var parameterType: PostgresType { Wrapped.parameterType }
    /// Writes the value or NULL.
    public func encode(into writer: inout ParameterWriter) {
        if let value = self { value.encode(into: &writer) } else { writer.null() }
    }
    /// Reads the value or NULL.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        self = field.isNull ? .none : .some(try Wrapped(decoding: field))
    }
}

extension Array: PostgresValue where Element: PostgresArrayElement {
    /// That of arrays of the element; `bytea` for bytes.
    public static var parameterType: PostgresType { Element.arrayParameterType }
    /// Writes the array.
    public func encode(into writer: inout ParameterWriter) {
        Element.encodeArray(self, into: &writer)
    }
    /// Reads the array.
    public init(decoding field: borrowing PostgresField) throws(FieldProblem) {
        self = try Element.decodeArray(field)
    }
}
