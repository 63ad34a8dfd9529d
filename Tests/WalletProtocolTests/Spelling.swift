import TestKit
import WalletProtocol

/// Ways to write an object in JSON: most of them right, the others wrong in one thing or more.
struct Spelling {
    enum Kind { case id, line, money, bool, day, split, payments, rare }

    private var random: SeededGenerator
    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func index(_ count: Int) -> Int { .random(in: 0..<count, using: &random) }
    mutating func byte() -> UInt8 {
        isOnce(in: 4) ? .random(in: 0...255, using: &random) : .random(in: 32...126, using: &random)
    }

    private mutating func isOnce(in turns: Int) -> Bool {
        Int.random(in: 0..<turns, using: &random) == 0
    }

    private mutating func space() -> String {
        isOnce(in: 3) ? [" ", "\n", "\t", "\r\n  "].randomElement(using: &random) ?? "" : ""
    }

    private mutating func one(of texts: [String]) -> String {
        texts.randomElement(using: &random) ?? ""
    }

    mutating func object(_ members: [(name: String, kind: Kind)]) -> String {
        var all: [(name: String, kind: Kind)] = []
        for member in members where isOnce(in: member.kind == .rare ? 12 : 2) {
            all.append(member)
        }
        all.shuffle(using: &random)
        if isOnce(in: 30), let first = all.first { all.append(first) }
        if isOnce(in: 30) { all.append(("later", .bool)) }
        var text = space() + "{" + space()
        for (index, member) in all.enumerated() {
            if index > 0 { text += space() + "," + space() }
            let name = isOnce(in: 40) ? escaped(member.name) : member.name
            // A name without a value, before whatever comes.
            if isOnce(in: 40), let other = all.randomElement(using: &random) {
                text += "\"\(other.name)\"" + space()
            }
            text += "\"\(name)\"" + space() + ":" + space() + value(member.kind)
        }
        return text + space() + (isOnce(in: 60) ? "," : "") + "}" + space()
    }

    /// Its first letter as an escape, which says the same.
    private func escaped(_ name: String) -> String {
        guard let first = name.utf8.first else { return name }
        return "\\u00" + String(first, radix: 16) + name.dropFirst()
    }

    private mutating func value(_ kind: Kind) -> String {
        if isOnce(in: 25) {
            return one(of: ["null", "1", "1.5e3", "\"\"", "{}", "[]", "true", "\"\\u0041\"", "-"])
        }
        switch kind {
        case .id:
            let id = "\"\(ID<Account>.new().text)\""
            return isOnce(in: 10) ? id.uppercased() : isOnce(in: 20) ? String(id.dropLast(2)) : id
        case .line: return line()
        case .money: return money()
        case .bool: return one(of: ["true", "false"])
        case .day:
            return one(of: ["\"2026-02-28\"", "\"2024-02-29\"", "\"2026-02-29\"", "\"2026-1-1\""])
        case .split: return split()
        case .payments:
            return list(
                (0..<index(4)).map { _ in
                    "{" + space() + "\"memberId\":" + value(.id) + space() + ",\"amount\":"
                        + money() + "}"
                }
            )
        case .rare:
            return one(of: [
                "null", #"["a"]"#, #"{"lat":1,"lon":2}"#, "[]", "[1]", #"{"every":"month"}"#,
            ])
        }
    }

    private mutating func list(_ elements: [String]) -> String {
        "[" + space() + elements.joined(separator: space() + ",") + space() + "]"
    }

    private mutating func split() -> String {
        let kind =
            isOnce(in: 10) ? one(of: ["halves", "Equal", ""]) : one(of: ["equal", "shares"])
        let parts = list(
            (0..<index(6)).map { _ in
                let rest = isOnce(in: 12) ? one(of: [",\"value\":\"2\"", ",\"later\":1"]) : ""
                return "{" + space() + "\"memberId\"" + space() + ":" + value(.id) + rest + "}"
            }
        )
        var members = ["\"kind\":\"\(kind)\"", "\"parts\":" + space() + parts]
        if isOnce(in: 2) { members.swapAt(0, 1) }
        if isOnce(in: 20) { members.append(one(of: [members[0], "\"items\":[]", "\"later\":1"])) }
        if isOnce(in: 20) { members.removeFirst() }
        return "{" + space() + members.joined(separator: space() + ",") + space() + "}"
    }

    private mutating func line() -> String {
        let count = isOnce(in: 10) ? Int.random(in: 1...200, using: &random) : 27
        return one(of: [
            "\"" + String(repeating: "x", count: count) + "\"", "\"IT60X0542811101000000123456\"",
            "\"a sixteen letters\"", "\"\(String(repeating: " ", count: count))\"",
            "\"fünfzehn Zeichen und mehr\"", "\"with an escape \\n here\"",
            "\"with a delete \u{7F} here\"", "\"with a nul \\u0000 here\"",
        ])
    }

    private mutating func money() -> String {
        let odd = [
            "1200", "1.000", "0.00", "-1.00", "1.0", "01.00", "10000000000000.00", "1,00", "",
            "10000000000000.01", "99999999999999999999.00", "-0.00",
        ]
        let amount = one(of: isOnce(in: 3) ? odd : ["1.00", "0.01", "12.50", "1000000.00"])
        let currency = isOnce(in: 4) ? one(of: ["JPY", "KWD", "XXX", "eur", "EURO"]) : "EUR"
        var members = ["\"amount\"" + space() + ":\"\(amount)\"", "\"currency\":\"\(currency)\""]
        if isOnce(in: 2) { members.swapAt(0, 1) }
        if isOnce(in: 40) { members.append(members[0]) }
        if isOnce(in: 40) { members.removeLast() }
        if isOnce(in: 40) { members.append("\"later\":1") }
        return "{" + space() + members.joined(separator: space() + ",") + space() + "}"
    }
}
