import Crypto

@testable import ServiceKit
@testable import WalletProtocol

extension FuzzTarget {
    static let values = [
        FuzzTarget(
            "json",
            words: jsonWords,
            growths: [
                Growth("[", "1,", "1]"), Growth("[", "[],", "[]]"), Growth("{\"a\":\"", "a", "\"}"),
                Growth("[\"", "\\u00e9", "\"]"), Growth("[", "1", "]"), Growth("[1.", "1", "]"),
                Growth("[1e", "1", "]"), Growth("[", " ", "]"), Growth("", "["),
                Growth("{", numbered: "\"a", "\":1,", "\"z\":1}"),
                Growth("[", "{\"a\":{\"b\":[]}},", "0]"), Growth("[\"", "漢", "\"]"),
                Growth("{\"a", "\\n", "\":1}"),
            ],
            seeds: {
                [
                    #"{"a":[1,-2.5e3,true,false,null,"é\u00e9\ud83d\ude00\n"],"b":{"c":{}}}"#,
                    "[[[[1]]],{}]", "\"text\"", " 12 ", "-0", "1E+2", "9223372036854775807",
                    "9223372036854775808", "1e308", #"{"a":1,"\u0061":2}"#,
                    "{" + (0..<20).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}",
                ].map { Array($0.utf8) }
            },
            check: { try json($0) }
        ),
        FuzzTarget(
            "cursors",
            growths: [Growth("A"), Growth("AAAA", "_")],
            seeds: {
                let trees: [JSONTree] = [
                    1, "2024-02-29", ["day": "2024-02-29", "id": "x"], [1, "a", nil],
                    ["a": .number(1.5)],
                ]
                return trees.map { Array(Cursor($0).queryText.utf8) }
            },
            check: { try cursor($0) }
        ),
        FuzzTarget(
            "values",
            words: ["T", "Z", ":", "+14:00", ".", "-", "2024-02-29", "000", "@", "#", ","],
            growths: [Growth("1"), Growth("0.", "1"), Growth("-", "0"), Growth("a@", "b.", "org")],
            seeds: {
                [
                    "0190163d-8694-739b-aea5-966c26f8ad90", "2024-02-29", "2024-02", "EUR",
                    "-12.50",
                    "2024-02-29T23:59:59.123456Z", "2024-02-29T23:59:60+14:00", "0.000000000001",
                    "170141183460469231731687303715884105727", "#a0B1c2", "category,converted",
                    "ada@example.org", "-9223372036854775808", "9999-12-31T23:59:59-23:59",
                    "0001-01-01", "0000-12-31", "-0.1", "92233720368547758.07",
                ].map { Array($0.utf8) }
            },
            check: { bytes in
                try text(ID<User>.self, bytes)
                try text(Day.self, bytes)
                try text(Month.self, bytes)
                try text(Instant.self, bytes)
                try text(Currency.self, bytes)
                try text(ExactDecimal.self, bytes)
                try text(Colour.self, bytes)
                try text(TransactionExpansion.self, bytes)
                try text(TransactionVicinity.self, bytes)
                try text(StatementFormat.self, bytes)
                try money(String(decoding: bytes, as: UTF8.self))
                let address = EmailAddress(String(decoding: bytes, as: UTF8.self))
                try hold(
                    address.map { $0.text.utf8.count <= EmailAddress.bytesMax } ?? true,
                    "an address that is too long"
                )
            }
        ),
        FuzzTarget(
            "headers",
            words: ["W/", "\"", ",", "*", "00-", "-01", "%", "+", "ff-", " ", "\t"],
            growths: [
                Growth(","), Growth("\"a\","), Growth("W/\"a\", "), Growth("a "), Growth("%61"),
                Growth("\"", "a"), Growth("a\t"), Growth("\""),
            ],
            seeds: {
                [
                    "\"a\"", "W/\"a\", \"b\",c", "*", "",
                    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                    "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                    "a%20b+c%c3%bc", "AQIDBA", "-_8",
                ].map { Array($0.utf8) }
            },
            check: { try header($0) }
        ),
    ]

    private static func json(_ bytes: [UInt8]) throws {
        let tree: JSONTree
        do throws(APIError) {
            tree = try JSON.read(JSONTree.self, from: bytes)
        } catch {
            return try judge(error, among: [.malformedJSON, .invalidBody])
        }
        let text = JSON.write(tree)
        guard let again = try? JSON.read(JSONTree.self, from: text) else {
            throw FuzzFault(description: "what we write is refused: \(JSON.text(tree))")
        }
        try hold(again == tree, "is another value when read again: \(JSON.text(tree))")
        try hold(JSON.write(again) == text, "is written otherwise the second time")
        let raw = try JSON.read(RawJSON.self, from: bytes)
        // Blanks around the value are not of it.
        let kept = try? JSON.read(JSONTree.self, from: raw.bytes)
        try hold(kept == tree, "what is kept as it is was changed")
    }

    private static func cursor(_ bytes: [UInt8]) throws {
        guard let cursor = Cursor.parse(bytes[...]) else { return }
        try hold(Array(cursor.queryText.utf8) == bytes, "one cursor has two spellings")
        let tree: JSONTree
        do throws(APIError) {
            tree = try cursor.decode(JSONTree.self)
        } catch {
            return try judge(error, among: [.invalidQuery])
        }
        try hold((try? Cursor(tree).decode(JSONTree.self)) == tree, "another place anew")
    }

    private static func text<Value: TextValue>(_ type: Value.Type, _ bytes: [UInt8]) throws {
        guard let value = Value.parse(bytes[...]) else { return }
        let written = value.queryText
        guard let again = Value.parse(Array(written.utf8)[...]) else {
            throw FuzzFault(description: "\(Value.self): what we write is refused: \(written)")
        }
        try hold(areEqual(value, again), "\(Value.self): another value when read again: \(written)")
        try hold(again.queryText == written, "\(Value.self): another text the second time")
        let quoted = JSON.write(value)
        let inside = try? JSON.read(Value.self, from: quoted)
        try hold(inside.map { areEqual($0, value) } == true, "\(Value.self): another in JSON")
    }

    private static func money(_ text: String) throws {
        for currency in [Currency.eur, .gbp, .usd] + Currency.all.prefix(4) {
            guard let money = try? Money(text, currency) else { continue }
            let again = try? JSON.read(Money.self, from: JSON.write(money))
            try hold(again == money, "\(text) in \(currency.code) is another amount anew")
        }
    }

    private static func header(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        if let tags = EntityTags([text]) {
            try hold(tags.versions.count <= bytes.count, "more tags than letters")
            try hold(tags.versions.allSatisfy { tags.contains($0) }, "a tag that is not among them")
        }
        if let trace = TraceParent(bytes[...]) {
            try hold(TraceParent(trace.text) == trace, "another trace when read again")
            try hold(trace.text.utf8.count == 55, "a trace of another length")
        }
        if let plain = Percent.decode(bytes) {
            let again = Percent.decode(Percent.encode(plain).utf8)
            try hold(again.map { Array($0.utf8) } == Array(plain.utf8), "another when encoded")
        }
        if let ours = Base64URL.decode(bytes) {
            try hold(Array(Base64URL.encode(ours).utf8) == bytes, "two spellings of bytes")
        }
    }
}
