import Text
import WalletProtocol

/// Reads a CSV file: the statements of its accounts, of one where no column tells accounts apart.
///
/// The delimiter and the header line are those under which the most columns are known, searched
/// in the file's first records: banks put lines about the account above. How days and amounts are
/// written is decided over the whole file. `mapping` says what of this is known already, `order`
/// what the account's last file was. A table whose columns are not to be found has no rows, and
/// tells so: it wants a mapping.
/// Source: RFC 4180.
func readCSV(
    _ bytes: [UInt8],
    mapping: CSVMapping? = nil,
    order: DateOrder? = nil,
    asOf today: Day? = nil,
    assuming currency: Currency
) throws(UnreadableStatement) -> [BankStatement] {
    let text = CSVText(bytes, mapping?.charset)
    let found: CSVHeader
    if let mapping {
        found = try CSVHeader(mapping, in: text.bytes)
    } else if let known = CSVHeader(in: text.bytes) {
        found = known
    } else {
        return [try unknownTable(text.bytes)]
    }
    let rows = try records(of: text.bytes, found)
    let style = CSVStyle(
        rows,
        found,
        mapping,
        charset: text.charset,
        CSVStyle.Assumed(
            order: order.map(StatementDates.Order.init),
            today: today,
            currency: currency
        )
    )
    let accounts = style.accounts(rows)
    guard accounts.count <= StatementLimits.statementsMax else {
        throw .tooManyStatements(found.line + 1)
    }
    // Once for all accounts, which differ in whether fees are taken off.
    var plain = style
    plain.header.columns.set(.fee, nil)
    let layouts = CSVLayouts(taking: style.header.layout(style), plain: plain.header.layout(plain))
    return accounts.map { account, rows in CSVReader(rows, style, layouts, account).statement() }
}

/// How a file is laid out where its fees are taken off, and where not.
struct CSVLayouts {
    let taking: CSVLayout
    let plain: CSVLayout
}

/// The records behind the header.
private func records(
    of text: [UInt8],
    _ header: CSVHeader
) throws(UnreadableStatement) -> [CSVRecord] {
    var records = CSVRecords(text, delimiter: header.delimiter)
    var rows: [CSVRecord] = []
    var fields = 0
    while let record = try records.next() {
        guard record.line > header.line, !record.isBlank else { continue }
        guard rows.count < StatementLimits.rowsMax else {
            throw .unreadable(line: record.line, detail: "the file has more than 200,000 rows")
        }
        fields += record.fields.count
        guard fields <= StatementLimits.fieldsMax else {
            throw .unreadable(line: record.line, detail: "the file has too many fields")
        }
        rows.append(record)
    }
    return rows
}

/// What is a table, but of unknown columns.
private func unknownTable(_ text: [UInt8]) throws(UnreadableStatement) -> BankStatement {
    let detail = "no header line with a date and an amount is among the first lines"
    guard let table = CSVHeader.table(in: text) else {
        throw .unreadable(line: 1, detail: detail)
    }
    return BankStatement(
        format: .csv,
        accountNumber: nil,
        currency: nil,
        rows: [],
        faults: [
            StatementFault(
                line: 1,
                detail: "\(detail): say which column tells what, or confirm the mapping that "
                    + "is proposed"
            )
        ],
        opening: nil,
        closing: nil,
        from: nil,
        to: nil,
        layout: CSVLayout(
            columns: table.names,
            mapping: nil,
            proposal: CSVHeader.proposal(in: text, table.delimiter)
        )
    )
}
