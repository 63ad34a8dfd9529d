import TestKit
import WalletProtocol

@testable import BankFiles

extension SeededGenerator {
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
}

/// A row as it was meant, before some dialect wrote it.
struct MeantRow: Equatable {
    let day: Day
    let amount: Int64
    let name: String
    let description: String?
    let reference: String?

    init(_ row: StatementRow) {
        day = row.day
        amount = row.amount
        name = row.name
        description = row.description
        reference = row.reference
    }

    init(_ random: inout SeededGenerator, day: Day, alphabet: [String]) {
        self.day = day
        // Mostly small, sometimes as large as 13 digits, which writers still can group.
        amount =
            Int64.random(in: -9_999_999_999_999...9_999_999_999_999, using: &random)
            / random.pick([1, 1_000_000, 100_000_000, 10_000_000_000])
        name = "N" + MeantRow.text(&random, alphabet)
        description = random.chance(50) ? "D" + MeantRow.text(&random, alphabet) : nil
        reference = random.chance(70) ? "R\(random.below(1_000_000))" : nil
    }

    private static func text(_ random: inout SeededGenerator, _ alphabet: [String]) -> String {
        let raw = (0..<random.below(30)).map { _ in random.pick(alphabet) }.joined()
        return raw.split(separator: " ").joined(separator: " ")
    }

    /// Letters that never are UTF-8 when written in Windows-1252.
    static let latin = [
        "a", "B", "7", " ", " ", "'", "\"", "&", "<", ">", ",", ";", ".", "é", "ü", "ß", "ñ", "ö",
    ]
    static let wide = latin + ["漢", "😀", "e\u{301}", "€", "Ж"]
}

/// How bytes are made of text.
enum WrittenCharset: CaseIterable {
    case utf8, utf8Marked, utf16Little, utf16Big, windows1252

    func bytes(_ text: String) -> [UInt8] {
        switch self {
        case .utf8: Array(text.utf8)
        case .utf8Marked: [0xEF, 0xBB, 0xBF] + Array(text.utf8)
        case .utf16Little:
            [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16Big:
            [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .windows1252:
            text.unicodeScalars.map { $0 == "€" ? 0x80 : UInt8($0.value) }
        }
    }
}

/// A statement as it was meant.
struct MeantStatement {
    let currency: Currency
    var rows: [MeantRow]
    let opening: Int64
    let charset: WrittenCharset

    var closing: Int64 { rows.reduce(opening) { $0 + $1.amount } }

    init(_ random: inout SeededGenerator) {
        currency = random.pick([.eur, .usd, .jpy, .kwd, .chf])
        charset = random.pick(WrittenCharset.allCases)
        opening = Int64.random(in: -1_000_000...1_000_000, using: &random)
        let alphabet = charset == .windows1252 ? MeantRow.latin : MeantRow.wide
        var days = (0..<random.below(12)).map { _ in
            Day(
                year: 1990 + random.below(60),
                month: 1 + random.below(12),
                day: 1 + random.below(28)
            )
        }
        // One day over 12 settles which part of `3/4/2024` is the day.
        days.append(Day(year: 2024, month: 2, day: 29))
        rows = days.compactMap { $0 }.sorted().map {
            MeantRow(&random, day: $0, alphabet: alphabet)
        }
    }

    /// Digits with a point, a comma or nothing, and perhaps with groups.
    func written(_ units: Int64, decimal: String, group: String?) -> String {
        var digits = String(units.magnitude)
        let exponent = currency.exponent
        digits = String(repeating: "0", count: max(0, exponent + 1 - digits.count)) + digits
        var whole = String(digits.dropLast(exponent))
        if let group {
            var parts: [String] = []
            while whole.count > 3 {
                parts.insert(String(whole.suffix(3)), at: 0)
                whole = String(whole.dropLast(3))
            }
            whole = ([whole] + parts).joined(separator: group)
        }
        return exponent == 0 ? whole : whole + decimal + digits.suffix(exponent)
    }
}

/// Writes OFX 1 or 2 in a random dialect.
func writtenOFX(_ meant: MeantStatement, _ random: inout SeededGenerator) -> [UInt8] {
    let isXML = random.chance(50)
    let closes = isXML || random.chance(30)
    let end = random.pick(["\n", "\r\n", "\r"])
    // The end of an unclosed leaf at least ends with its value.
    let gap = random.chance(30) ? "" : end + String(repeating: " ", count: random.below(4))
    let decimal = random.pick([".", ","])
    func leaf(_ name: String, _ value: String) -> String {
        "<\(name)>\(value)" + (closes ? "</\(name)>" : "") + gap
    }
    func escaped(_ text: String) -> String {
        if isXML && random.chance(20) { return "<![CDATA[\(text)]]>" }
        return text.map { letter in
            switch letter {
            case "&": random.pick(["&amp;", "&#38;", "&#x26;"])
            case "<": random.pick(["&lt;", "&#60;"])
            case ">": random.pick(["&gt;", ">"])
            case "\"": random.pick(["&quot;", "\""])
            case "'": random.pick(["&apos;", "&#39;", "'"])
            default: String(letter)
            }
        }.joined()
    }
    var out = ""
    if isXML {
        out += "<?xml version=\"1.0\"?>\(end)<?OFX OFXHEADER=\"200\" VERSION=\"211\"?>\(end)"
    } else if random.chance(80) {
        let keys = ["OFXHEADER:100", "DATA:OFXSGML", "ENCODING:USASCII", "CHARSET:1252"]
        out +=
            keys.joined(separator: random.pick([end, " "])) + random.pick([end, " ", end + end])
    }
    let (wrapper, from) = random.pick([("STMTRS", "BANKACCTFROM"), ("CCSTMTRS", "CCACCTFROM")])
    out += "<OFX>\(gap)<BANKMSGSRSV1>\(gap)<STMTTRNRS>\(gap)<\(wrapper)>\(gap)"
    out += leaf("CURDEF", meant.currency.code) + "<\(from)>" + leaf("ACCTID", "A 1") + "</\(from)>"
    out += "<BANKTRANLIST>" + gap + leaf("DTSTART", "19900101") + leaf("DTEND", "20501231120000")
    for row in meant.rows {
        let time = random.pick(["", "120000", "235959.999[-11:SST]", "0000[+14]"])
        let sign = row.amount < 0 ? "-" : random.pick(["", "+"])
        let amount = sign + meant.written(row.amount, decimal: decimal, group: nil)
        out += "<STMTTRN>\(gap)" + leaf("TRNTYPE", "OTHER")
        out += leaf("DTPOSTED", row.day.text.replacing("-", with: "") + time)
        out += leaf(
            "TRNAMT",
            amount + (meant.currency.exponent > 0 && random.chance(20) ? "00" : "")
        )
        if let reference = row.reference { out += leaf("FITID", reference) }
        if random.chance(30) {
            out += "<PAYEE>" + leaf("NAME", escaped(row.name)) + "</PAYEE>"
        } else {
            out += leaf("NAME", escaped(row.name))
        }
        if let text = row.description { out += leaf("MEMO", escaped(text)) }
        out += "</STMTTRN>\(gap)"
    }
    let closing = meant.written(meant.closing, decimal: decimal, group: nil)
    out +=
        "</BANKTRANLIST>\(gap)<LEDGERBAL>"
        + leaf("BALAMT", (meant.closing < 0 ? "-" : "") + closing)
    out +=
        leaf("DTASOF", "20501231")
        + "</LEDGERBAL>\(gap)</\(wrapper)></STMTTRNRS></BANKMSGSRSV1></OFX>"
    return meant.charset.bytes(out)
}

/// Writes CSV in a random dialect.
func writtenCSV(_ meant: MeantStatement, _ random: inout SeededGenerator) -> [UInt8] {
    let end = random.pick(["\n", "\r\n", "\r"])
    let delimiter = random.pick([",", ";", "\t"])
    let quotesAll = random.chance(30)
    var headers = random.pick([
        ["Date", "Name", "Description", "Reference", "Amount", "Debit", "Credit", "Balance"],
        ["Datum", "Empfänger", "Verwendungszweck", "Referenz", "Betrag", "Soll", "Haben", "Saldo"],
        ["Data", "Controparte", "Causale", "Riferimento", "Importo", "Dare", "Avere", "Saldo"],
        ["Date", "Bénéficiaire", "Libellé", "Référence", "Montant", "Débit", "Crédit", "Solde"],
        ["Fecha", "Beneficiario", "Concepto", "Referencia", "Importe", "Cargo", "Abono", "Saldo"],
    ])
    if random.chance(30) {
        let (debit, credit) = random.pick([
            ("Montant débit", "Montant crédit"), ("Amount Debit", "Amount Credit"),
            ("Betrag Soll", "Betrag Haben"), ("Importo Dare", "Importo Avere"),
            ("Importe Debe", "Importe Haber"), ("Amount (debit)", "Amount (credit)"),
        ])
        headers.replaceSubrange(5...6, with: [debit, credit])
    }
    let order = random.below(9)
    let months = random.pick([
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
        ["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September"]
            + ["Oktober", "November", "Dezember"],
        ["gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"],
        ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct."]
            + ["nov.", "déc."],
        ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"],
    ])
    let decimal = random.pick([".", ","])
    let group = random.pick([nil, "'", " ", decimal == "." ? "," : "."])
    let sign = random.below(3)
    let suffix = random.pick(["", "", " " + meant.currency.code])
    let splits = random.chance(30)
    let hasBalance = random.chance(50)
    func money(_ units: Int64) -> String {
        let text = meant.written(units, decimal: decimal, group: group)
        guard units < 0 else { return text + suffix }
        return switch sign {
        case 0: "-" + text + suffix
        case 1: text + "-" + suffix
        default: "(" + text + suffix + ")"
        }
    }
    func day(_ day: Day) -> String {
        let parts = day.text.split(separator: "-").map { String($0) }
        return switch order {
        case 0: day.text
        case 1: day.text.replacing("-", with: "")
        case 2: "\(parts[2]).\(parts[1]).\(parts[0])"
        case 3: "\(parts[2])/\(parts[1])/\(parts[0])"
        case 4: "\(parts[1])/\(parts[2])/\(parts[0])"
        case 5: "\(parts[2]) \(months[day.parts.month - 1]) \(parts[0])"
        case 6: "\(months[day.parts.month - 1]) \(day.parts.day), \(parts[0])"
        default: "\(parts[2])-\(parts[1])-\(parts[0]) 12:34"
        }
    }
    func field(_ text: String) -> String {
        let needs = text.utf8.contains { "\"\n\r\(delimiter)".utf8.contains($0) }
        guard needs || quotesAll || random.chance(10) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
    var balance = meant.opening
    var lines = meant.rows.map { row in
        balance += row.amount
        // A space of a description may as well be the end of a line.
        let description = (row.description ?? "").map { letter in
            letter == " " && random.chance(30) ? random.pick(["\n", "\r\n"]) : String(letter)
        }.joined()
        let out = splits && row.amount <= 0 ? money(-row.amount) : ""
        let amounts =
            splits ? [out, row.amount > 0 ? money(row.amount) : ""] : [money(row.amount)]
        let fields =
            [day(row.day), row.name, description, row.reference ?? ""] + amounts
            + (hasBalance ? [money(balance)] : [])
        return fields.map(field).joined(separator: delimiter)
    }
    if random.chance(30) { lines.reverse() }
    let names =
        headers[0..<4] + (splits ? headers[5...6] : headers[4...4])
        + (hasBalance ? [headers[7]] : [])
    let preamble = random.chance(30) ? ["Account" + delimiter + "1", ""] : []
    let header = names.map(field).joined(separator: delimiter)
    let text = (preamble + [header] + lines).joined(separator: end) + random.pick(["", end])
    return meant.charset.bytes(text)
}
