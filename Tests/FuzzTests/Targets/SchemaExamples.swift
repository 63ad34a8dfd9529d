@testable import WalletProtocol

/// Makes values out of schemas, so that an endpoint of tomorrow has its seeds today.
struct SchemaExamples {
    /// How much is there: what is required alone, all of it, or all with the other alternatives.
    enum Extent: CaseIterable {
        case least, all, others
    }

    let components: SchemaComponents
    let extent: Extent

    /// A value of the schema.
    func value(_ schema: JSONTree, depth: Int = 0) -> JSONTree {
        if case .string(let name)? = schema["$ref"] {
            let key = name.split(separator: "/").last.map(String.init) ?? ""
            return value(components.schemas[key] ?? [:], depth: depth + 1)
        }
        for name in ["examples", "enum"] {
            if case .array(let choices)? = schema[name] { return picked(choices) }
        }
        for name in ["anyOf", "oneOf"] {
            if case .array(let choices)? = schema[name] {
                return value(picked(choices), depth: depth + 1)
            }
        }
        if let constant = schema["const"] { return constant }
        switch schema["type"] {
        case .string("object"): return object(schema, depth)
        case .string("array"):
            let item = value(schema["items"] ?? [:], depth: depth + 1)
            let least = integer(schema["minItems"]) ?? (extent == .least || depth > 12 ? 0 : 1)
            return .array([JSONTree](repeating: item, count: least))
        case .string("string"): return .string(text(schema))
        case .string("integer"), .string("number"): return number(schema)
        case .string("boolean"): return .bool(extent == .others)
        case .string("null"): return .null
        default: return ["a": 1]
        }
    }

    private func picked(_ choices: [JSONTree]) -> JSONTree {
        switch extent {
        case .least: choices.first ?? .null
        case .all: choices.dropFirst().first ?? choices.first ?? .null
        case .others: choices.last ?? .null
        }
    }

    /// A value under a name: cursors alone have no schema that tells them.
    func value(_ schema: JSONTree, named name: String, depth: Int = 0) -> JSONTree {
        ["cursor", "nextCursor", "since"].contains(name) && schema["type"] == "string"
            ? .string(Cursor(JSONTree.integer(1)).queryText) : value(schema, depth: depth)
    }

    private func object(_ schema: JSONTree, _ depth: Int) -> JSONTree {
        guard case .object(let properties)? = schema["properties"] else { return [:] }
        var required: [JSONTree] = []
        if case .array(let names)? = schema["required"] { required = names }
        let isWhole = extent != .least && depth < 12
        return .object(
            properties.filter { isWhole || required.contains(.string($0.name)) }
                .map { JSONMember($0.name, value($0.value, named: $0.name, depth: depth + 1)) }
        )
    }

    private func number(_ schema: JSONTree) -> JSONTree {
        switch (schema["minimum"], schema["maximum"]) {
        case (_, let largest?) where extent == .others: largest
        case (let least?, _): least
        default: 1
        }
    }

    private func integer(_ tree: JSONTree?) -> Int? {
        if case .integer(let number)? = tree { Int(number) } else { nil }
    }

    private func text(_ schema: JSONTree) -> String {
        switch schema["format"] {
        case .string("uuid"): return "0190163d-8694-739b-aea5-966c26f8ad90"
        case .string("date"): return extent == .others ? "2024-02-29" : "2023-12-31"
        case .string("date-time"): return "2024-02-29T23:59:59.123456Z"
        case .string("email"): return "ada@example.org"
        case .string("uri"), .string("uri-reference"): return "https://example.org/a"
        default: break
        }
        let least = integer(schema["minLength"]) ?? 0
        let most = integer(schema["maxLength"]) ?? 4_096
        let lengths = Self.candidates.filter { (least...max(least, most)).contains($0.count) }
        guard case .string(let pattern)? = schema["pattern"], let regex = try? Regex(pattern) else {
            return lengths.first ?? String(repeating: "a", count: least)
        }
        return Self.candidates.first { $0.firstMatch(of: regex) != nil } ?? "a"
    }

    /// Texts of which one mostly is of a pattern.
    private static let candidates = [
        "Straße & \"Töchter\" 😀", "word", "ab", "a", "2024-05", "EUR", "12.50", "#a0B1c2",
        "+393331234567", "123456", "IT60X0542811101000000123456", "category,converted",
        "correct horse battery staple", "Europe/Rome", "it", "01", "AAAAAAAA", "a-word",
        String(repeating: "0f", count: 32), String(repeating: "A", count: 43), "",
    ]
}
