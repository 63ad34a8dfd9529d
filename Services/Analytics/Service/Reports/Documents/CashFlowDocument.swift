import Documents
import ReportFiles
import Text
import WalletProtocol

extension CashFlowReport: DocumentedReport, CategorizedReport {
    static let name = "cash-flow"
    var categories: [CategoryID] { [] }

    func csv(_ labels: LabelBook) -> [UInt8] {
        var table = CSVTable([
            "row", "from", "to", "currency", "inflow", "outflow", "net", "cumulative",
        ])
        for point in points {
            table.append([
                "point", .day(point.from), .day(point.to), .plain(currency.code),
                .amount(point.inflow), .amount(point.outflow), .amount(point.net),
                .amount(point.cumulative),
            ])
        }
        table.append([
            "total", .day(from), .day(to), .plain(currency.code), .amount(inflow),
            .amount(outflow), .amount(net),
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
        let names = points.map { composer.days($0.from, $0.to) }
        let bars = composer.chart(
            .bars,
            words.cashFlow,
            names,
            [
                composer.series(words.income, ReportComposer.income, points.map(\.inflow)),
                composer.series(words.expenses, ReportComposer.expenses, points.map(\.outflow)),
            ]
        )
        let sums = points.map(\.cumulative)
        let line = composer.chart(
            .lines,
            words.cumulative,
            names,
            [composer.series(words.cumulative, ReportComposer.income, sums)]
        )
        let table = PrintedTable(
            columns: [
                PrintedColumn(words.period, .days), PrintedColumn(words.income, .amount),
                PrintedColumn(words.expenses, .amount), PrintedColumn(words.net, .amount),
                PrintedColumn(words.cumulative, .amount),
            ],
            rows: points.map { point in
                [
                    composer.days(point.from, point.to), point.inflow.amount,
                    point.outflow.amount, point.net.amount, point.cumulative.amount,
                ]
            }
        )
        let facts = [
            composer.period(from, to), composer.fact(words.income, inflow),
            composer.fact(words.expenses, outflow), composer.fact(words.net, net),
        ]
        return composer.report(
            words.cashFlow,
            facts + composer.unconverted(unconverted),
            [bars, line],
            [table],
            in: currency
        )
    }
}
