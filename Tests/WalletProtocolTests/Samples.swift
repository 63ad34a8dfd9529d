import WalletProtocol

/// A type with one field of each kind.
struct Sample: JSONObject, Equatable {
    let name: String
    let amount: Money
    let day: Day?
    let id: ID<Account>?
    let count: Int
    let tags: [String]
    let kind: Kind
    let note: Patch<String>
    let nested: Nested?

    enum Kind: String, StringEnum {
        case small, large
    }

    static let json = Object(
        Sample.init,
        Field("name", \.name, .line(1...20)),
        Field("amount", \.amount, .positive),
        Field("day", \.day),
        Field("id", \.id),
        Field("count", \.count, .range(0...100), default: 7),
        Field("tags", \.tags, .count(0...3), default: []),
        Field("kind", \.kind, default: .small),
        Field("note", \.note, .text(0...10)),
        Field("nested", \.nested)
    )
}

struct Nested: JSONObject, Equatable {
    let latitude: Double
    let flag: Bool
    static let json = Object(
        Nested.init,
        Field("lat", \.latitude, .range(-90...90)),
        Field("flag", \.flag)
    )
}

/// Reads a body, or gives the refusal.
func reading<Value: JSONValue>(
    _ type: Value.Type,
    _ text: String
) -> Result<Value, APIError> {
    Result { () throws(APIError) in try JSON.read(type, from: Array(text.utf8)) }
}

/// «pointer code» of each bad field.
func faults<Value: JSONValue>(_ type: Value.Type, _ text: String) -> [String] {
    guard case .failure(let error) = reading(type, text) else { return [] }
    return error.errors.map { "\($0.pointer) \($0.code.text)" }
}
