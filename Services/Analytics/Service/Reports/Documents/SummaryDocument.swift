import Documents
import ReportFiles
import Text
import WalletProtocol

extension SummaryView: DocumentedReport, CategorizedReport {
    static let name = "summary"
    var categories: [CategoryID] { [] }

    func csv(_ labels: LabelBook) -> [UInt8] {
        var table = CSVTable([
            "row", "from", "to", "currency", "income", "expenses", "net", "count",
        ])
        table.append([
            "period", .day(from), .day(to), .plain(currency.code), .amount(income),
            .amount(expenses), .amount(net), .plain(String(count)),
        ])
        previous?.append(to: &table, [])
        for sum in unconverted {
            table.append([
                "unconverted", .day(from), .day(to), .plain(sum.currency.code), .plain(nil),
                .plain(nil), .amount(sum),
            ])
        }
        return table.bytes
    }

    func printed(by composer: ReportComposer) -> PrintedReport {
        let words = composer.words
        var flows = [(days: composer.days(from, to), income, expenses, net, count: String(count))]
        if let previous {
            let days = composer.days(previous.from, previous.to)
            flows.insert((days, previous.income, previous.expenses, previous.net, ""), at: 0)
        }
        let chart = composer.chart(
            .bars,
            words.summary,
            flows.map(\.days),
            [
                composer.series(words.income, ReportComposer.income, flows.map(\.1)),
                composer.series(words.expenses, ReportComposer.expenses, flows.map(\.2)),
            ]
        )
        let table = PrintedTable(
            columns: [
                PrintedColumn(words.period, .days), PrintedColumn(words.income, .amount),
                PrintedColumn(words.expenses, .amount), PrintedColumn(words.net, .amount),
                PrintedColumn(words.count, .count),
            ],
            rows: flows.reversed().map {
                [$0.days, $0.1.amount, $0.2.amount, $0.3.amount, $0.count]
            }
        )
        let facts = [
            composer.period(from, to), composer.fact(words.income, income),
            composer.fact(words.expenses, expenses), composer.fact(words.net, net),
        ]
        return composer.report(
            words.summary,
            facts + composer.unconverted(unconverted),
            [chart],
            [table],
            in: currency
        )
    }
}

extension PreviousFlow {
    /// Adds its line to a table whose flows stand behind days, some fields, and the currency.
    func append(to table: inout CSVTable, _ fields: [CSVTable.Field]) {
        table.append(
            ["previous", .day(from), .day(to)] + fields + [
                .plain(net.currency.code), .amount(income), .amount(expenses), .amount(net),
            ]
        )
    }
}
