import ServiceKit
import Text
import WalletProtocol

/// A report that can be a table of text: what each line is stands in its first field.
protocol TabularReport: JSONValue {
    func table() -> CSVTable
}

extension Response where View: TabularReport {
    /// A report as it is asked for.
    static func report(_ report: View, as format: TableFormat) -> Response {
        switch format {
        case .json: .ok(report)
        case .csv: .file(report.table().bytes, type: "text/csv; charset=utf-8")
        }
    }
}

extension CSVTable.Field {
    static func amount(_ total: Total) -> CSVTable.Field { .plain(total.amount) }
    static func days(_ from: Day, _ to: Day) -> [CSVTable.Field] {
        [.plain(from.text), .plain(to.text)]
    }
    static func count(_ number: Int) -> CSVTable.Field { .plain(String(number)) }
}
