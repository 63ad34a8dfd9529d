import WalletProtocol

/// Rows as they are read, within what a file may have.
struct GroupExportRows {
    private(set) var export: GroupExport
    private var parts = 0
    private var costs: [Currency: Int64] = [:]

    init(_ format: GroupImportFormat, people: [String], exporter: Int? = nil) {
        export = GroupExport(format: format, people: people, exporter: exporter)
    }

    /// Adds what `read` makes of a record, or why it makes nothing.
    /// - Throws: `.unreadable`, beyond the limits of a file.
    mutating func add(
        _ line: Int,
        _ read: () throws(GroupRowFault) -> GroupExportRow
    ) throws(UnreadableStatement) {
        let count = export.rows.count + export.faults.count + export.notes.count
        guard count < GroupExportLimits.rowsMax else {
            throw .unreadable(line: line, detail: "the file has more than 10,000 rows")
        }
        do throws(GroupRowFault) {
            let row = try read()
            try take(row)
        } catch  where error.isNote {
            note(line, error.detail)
        } catch {
            fail(line, error.detail)
        }
        guard parts <= GroupExportLimits.partsMax else {
            throw .unreadable(line: line, detail: "the file has more than 100,000 shares")
        }
    }

    /// What all rows of a currency cost has to fit: so do all sums of their parts, then.
    private mutating func take(_ row: GroupExportRow) throws(GroupRowFault) {
        let currency = row.amount.currency
        let (sum, isOver) = costs[currency, default: 0]
            .addingReportingOverflow(abs(row.amount.minorUnits))
        if isOver { throw GroupRowFault("all rows in \(currency) come to too much") }
        costs[currency] = sum
        parts += row.paid.count + row.shares.count
        export.rows.append(row)
    }

    mutating func fail(_ line: Int, _ detail: String) {
        export.faults.append(StatementFault(line: line, detail: detail))
    }

    mutating func note(_ line: Int, _ detail: String) {
        export.notes.append(StatementFault(line: line, detail: detail))
    }

    mutating func state(_ balances: [Int64], in currency: Currency) throws(GroupRowFault) {
        if let said = export.stated[currency], said != balances {
            throw GroupRowFault("another line states other balances in \(currency)")
        }
        export.stated[currency] = balances
    }
}
