/// Where a page begins, opaque to clients: base64url of a check sum and a small typed payload.
///
/// The check sum finds what was altered or cut; it keeps nobody from making one, so what a cursor
/// says is never trusted with more than a place in a list.
public struct Cursor: Hashable, Sendable {
    private let payload: [UInt8]

    /// The cursor that carries a value.
    public init(_ value: some JSONValue) {
        payload = JSON.write(value)
    }

    private init(payload: [UInt8]) {
        self.payload = payload
    }

    /// The value that it carries.
    /// - Throws: 400 `invalid-query`, when it is of another list.
    public func decode<Value: JSONValue>(
        _ type: Value.Type = Value.self,
        from parameter: String = "cursor"
    ) throws(APIError) -> Value {
        do throws(APIError) {
            return try JSON.read(Value.self, from: payload)
        } catch {
            throw .query(parameter, .invalidCursor, "is not a cursor of this list")
        }
    }

    /// 32 bits of FNV-1a.
    ///
    /// Wraps: the hash is defined modulo 2^32.
    private static func sum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}

extension Cursor: JSONValue, TextValue, QueryValue {
    /// The cursor in these bytes.
    public static func parse(_ text: ArraySlice<UInt8>) -> Cursor? {
        guard let bytes = Base64URL.decode(text), bytes.count > 4 else { return nil }
        let payload = Array(bytes.dropFirst(4))
        let sum = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return sum == Cursor.sum(payload) ? Cursor(payload: payload) : nil
    }
    /// The base64url.
    public func appendText(to writer: inout JSONWriter) {
        let sum = Cursor.sum(payload)
        let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
        writer.append(raw: Base64URL.encode(head + payload).utf8)
    }
    /// A cursor.
    public static var expectation: String { "a cursor that this list gave out" }
    /// `invalid-cursor`.
    public static var fault: FieldCode { .invalidCursor }
    /// A string.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string"]
    }
}
