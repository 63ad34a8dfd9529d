import TestKit
import WalletProtocol

@testable import BankFiles

/// Writes MT940 in a random dialect: of days after 1989 and before 2080.
func writtenMT940(_ meant: MeantStatement, _ random: inout SeededGenerator) -> [UInt8] {
    let end = random.pick(["\n", "\r\n", "\r"])
    let isEnveloped = random.chance(30)
    let zeros = random.chance(30) ? "00000" : ""
    func amount(_ units: Int64) -> String {
        let text = meant.written(units, decimal: ",", group: nil)
        return zeros + (text.contains(",") ? text : text + ",")
    }
    func balance(_ units: Int64) -> String {
        (units < 0 ? "D" : "C") + "240229" + meant.currency.code + amount(units)
    }
    func date(_ day: Day, _ count: Int) -> String {
        String(day.text.replacing("-", with: "").suffix(count))
    }
    func subfields(_ codes: [Int], _ text: String) -> String {
        var rest = text.unicodeScalars[...]
        var out = ""
        for code in codes where !rest.isEmpty {
            out += "?\(code)"
            out.unicodeScalars.append(contentsOf: rest.prefix(27))
            rest = rest.dropFirst(27)
        }
        return out
    }
    func head(_ opening: Int64, isFirst: Bool) -> [String] {
        let envelope = isEnveloped ? ["{1:F01X}{2:O940X}{4:"] : []
        return envelope + [":20:X", ":25:A 1", ":28C:1/1"]
            + [":60\(isFirst ? "F" : "M"):" + balance(opening)]
    }
    func tail(_ closing: Int64, isLast: Bool) -> [String] {
        [":62\(isLast ? "F" : "M"):" + balance(closing), isEnveloped ? "-}{5:}" : "-"]
    }
    var lines = head(meant.opening, isFirst: true)
    var sum = meant.opening
    for (index, row) in meant.rows.enumerated() {
        if index > 0, random.chance(15) {
            lines += tail(sum, isLast: false) + head(sum, isFirst: false)
        }
        sum += row.amount
        let value = row.day.adding(days: random.below(41) - 20) ?? row.day
        let mark = (row.amount < 0 ? "D" : "C") + random.pick(["", "R", "N"])
        let days = random.chance(30) ? date(row.day, 6) : date(value, 6) + date(row.day, 4)
        let reference = row.reference.map { "NONREF//\($0)" } ?? "NONREF"
        lines.append(":61:\(days)\(mark)\(amount(row.amount))NTRF\(reference)")
        let purpose = row.description.map { subfields(Array(20...29), "SVWZ+\($0)") } ?? ""
        let text = "166\(purpose)\(subfields([32, 33], row.name))"
        // Any line may be cut, and goes on without a space.
        let cut = text.index(text.startIndex, offsetBy: min(text.count, 10 + random.below(30)))
        let parts = [String(text[..<cut]), String(text[cut...])]
        let isClean = !parts[1].hasPrefix(":") && !parts[1].hasPrefix("-")
        let blank = parts.contains { $0.allSatisfy { $0.isWhitespace } }
        lines +=
            random.chance(50) && isClean && !blank
            ? [":86:" + parts[0], parts[1]] : [":86:" + text]
    }
    lines += tail(sum, isLast: true)
    return meant.charset.bytes(lines.joined(separator: end) + random.pick(["", end]))
}

/// Writes camt.053 in a random dialect.
func writtenCamt(_ meant: MeantStatement, _ random: inout SeededGenerator) -> [UInt8] {
    let prefix = random.pick(["", "", "ns2:", "camt:"])
    let gap = random.pick(["", "\n", "\r\n  "])
    let isNew = random.chance(50)
    func element(_ name: String, _ content: String, currency: Bool = false) -> String {
        let attribute = currency ? " Ccy=\"\(meant.currency.code)\"" : ""
        return "<\(prefix)\(name)\(attribute)>\(content)</\(prefix)\(name)>" + gap
    }
    func escaped(_ text: String) -> String {
        if random.chance(10) { return "<![CDATA[\(text)]]>" }
        return text.replacing("&", with: random.pick(["&amp;", "&#38;"]))
            .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
    func side(_ units: Int64) -> String {
        element("CdtDbtInd", units < 0 ? "DBIT" : "CRDT")
    }
    func amount(_ units: Int64) -> String {
        element("Amt", meant.written(units, decimal: ".", group: nil), currency: true)
    }
    func day(_ day: Day) -> String {
        random.chance(50)
            ? element("Dt", day.text) : element("DtTm", "\(day.text)T23:59:59.999+02:00")
    }
    func balance(_ kind: String, _ units: Int64) -> String {
        let code = element("Tp", element("CdOrPrtry", element("Cd", kind)))
        return element(
            "Bal",
            code + amount(units) + side(units) + element("Dt", day(meant.rows[0].day))
        )
    }
    func entry(_ row: MeantRow) -> String {
        let party = element("Nm", escaped(row.name))
        let name = row.amount > 0 ? "Dbtr" : "Cdtr"
        let parties = element(
            "RltdPties",
            element(name, isNew ? element("Pty", party) : party)
        )
        let words = row.description.map { element("RmtInf", element("Ustrd", escaped($0))) } ?? ""
        let reference = row.reference.map { element("AcctSvcrRef", $0) } ?? ""
        let status = isNew ? element("Sts", element("Cd", "BOOK")) : element("Sts", "BOOK")
        return element(
            "Ntry",
            amount(row.amount) + side(row.amount) + status + element("BookgDt", day(row.day))
                + reference + element("NtryDtls", element("TxDtls", parties + words))
        )
    }
    func statement(_ rows: ArraySlice<MeantRow>, from opening: Int64) -> String {
        let closing = rows.reduce(opening) { $0 + $1.amount }
        let account = element(
            "Acct",
            element("Id", element("Othr", element("Id", "A 1")))
                + element("Ccy", meant.currency.code)
        )
        let balances = [
            balance(random.pick(["OPBD", "PRCD"]), opening), balance("CLBD", closing),
        ]
        let more = random.chance(30) ? balance("CLAV", closing &+ 1) : ""
        return element(
            "Stmt",
            element("Id", "1") + account + balances.joined() + more + rows.map(entry).joined()
        )
    }
    // Once in a while two statements of the same account.
    let cut = random.chance(30) ? random.below(meant.rows.count + 1) : meant.rows.count
    let middle = meant.rows[..<cut].reduce(meant.opening) { $0 + $1.amount }
    var statements = [statement(meant.rows[..<cut], from: meant.opening)]
    if cut < meant.rows.count { statements.append(statement(meant.rows[cut...], from: middle)) }
    let name = prefix.isEmpty ? "xmlns" : "xmlns:\(prefix.dropLast())"
    let version = isNew ? "08" : "02"
    let open =
        "<\(prefix)Document \(name)=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.\(version)\">"
    let encoding =
        switch meant.charset {
        case .windows1252: " encoding=\"windows-1252\""
        case .utf16Little, .utf16Big: " encoding=\"UTF-16\""
        default: random.pick(["", " encoding=\"UTF-8\""])
        }
    return meant.charset.bytes(
        "<?xml version=\"1.0\"\(encoding)?>" + open
            + element("BkToCstmrStmt", element("GrpHdr", "") + statements.joined())
            + "</\(prefix)Document>"
    )
}
