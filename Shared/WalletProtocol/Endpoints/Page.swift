/// One page of a list; the last has no `nextCursor`.
public struct Page<Item: JSONObject>: JSONObject {
    /// The rows, in the list's order.
    public let items: [Item]
    /// What to ask for the next page with.
    public let nextCursor: Cursor?

    /// A page.
    public init(items: [Item], nextCursor: Cursor?) {
        self.items = items
        self.nextCursor = nextCursor
    }

    /// The page of up to `limit` rows, of which the caller has read one more than that.
    public init(
        rows: [Item],
        limit: Int,
        cursor: (Item) -> Cursor
    ) {
        items = Array(rows.prefix(limit))
        nextCursor = rows.count > limit ? items.last.map(cursor) : nil
    }

    /// The description.
    public static var json: Object<Page, [Item], Cursor?> {
        Object(
            { @Sendable in Page(items: $0, nextCursor: $1) },
            Field("items", \.items),
            Field("nextCursor", \.nextCursor, about: "Absent on the last page.")
        )
    }

    /// `PageOf` and the item's name.
    public static var schemaName: String { "PageOf\(Item.schemaName)" }
}

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
    public func decode<Value: JSONValue>(_ type: Value.Type = Value.self) throws(APIError) -> Value
    {
        do throws(APIError) {
            return try JSON.read(Value.self, from: payload)
        } catch {
            throw .query("cursor", .invalidCursor, "is not a cursor of this list")
        }
    }

    /// 32 bits of FNV-1a.
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

/// Base64 with the alphabet for addresses and without padding (RFC 4648, section 5).
public enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )
    private static let values: [UInt8] = alphabet.enumerated().reduce(
        into: Array(repeating: 255, count: 256)
    ) { $0[Int($1.element)] = UInt8($1.offset) }

    /// The text of bytes.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text; nil for another alphabet, length, or bits that mean nothing.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for letter in text {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        // No text is one letter too long, and the spare bits are zero: one text a value.
        guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }
}
