import Text
import WalletProtocol

/// RFC 4180: a header line, then a line each, ended by CR LF, in UTF-8 with its byte order mark,
/// without which Excel takes it for Windows-1252.
package struct CSVStatement: TextStatementWriter {
    static let columns = [
        "date", "amount", "currency", "balance", "name", "description", "category",
        "counterparty IBAN", "id",
    ]
    private var exponent = 2
    private var currency = ""

    /// Nothing is written yet.
    package init() {}

    package mutating func begin(_ head: StatementHead) -> [UInt8] {
        exponent = head.currency.exponent
        currency = head.currency.code
        return Array(("\u{feff}" + Self.columns.joined(separator: ",") + "\r\n").utf8)
    }

    package func append(_ lines: [StatementLine]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(lines.count * 160)
        for line in lines {
            let fields = [
                line.day.text, decimalText(Int128(line.amount), exponent: exponent), currency,
                decimalText(line.balance, exponent: exponent),
            ]
            out.append(contentsOf: fields.joined(separator: ",").utf8)
            for text in [line.name, line.description, line.category, line.counterIBAN ?? ""] {
                out.append(UInt8(ascii: ","))
                CSVField.append(text, to: &out)
            }
            out.append(UInt8(ascii: ","))
            out.append(contentsOf: line.id.text.utf8)
            out.append(contentsOf: [0x0d, 0x0a])
        }
        return out
    }

    package func end() -> [UInt8] { [] }
}
