import Documents
import ReportFiles
import Text
import WalletProtocol

extension TrendReport: DocumentedReport, CategorizedReport {
    static let name = "trends"
    var categories: [CategoryID] { series.compactMap(\.categoryID) }

    func csv(_ labels: LabelBook) -> [UInt8] {
        var table = CSVTable([
            "row", "from", "to", "categoryId", "category", "currency", "income", "expenses", "net",
        ])
        for one in series {
            let names: [CSVTable.Field] = [
                .plain(one.categoryID?.text),
                .text(one.categoryID.flatMap { labels.name(of: $0) }), .plain(currency.code),
            ]
            for point in one.points {
                table.append(
                    ["point", .day(point.from), .day(point.to)] + names + [
                        .amount(point.income), .amount(point.expenses), .amount(point.net),
                    ]
                )
            }
            table.append(
                ["total", .day(from), .day(to)] + names + [
                    .amount(one.income), .amount(one.expenses), .amount(one.net),
                ]
            )
        }
        previous?.append(to: &table, [.plain(nil), .plain(nil)])
        for sum in unconverted {
            table.append([
                "unconverted", .day(from), .day(to), .plain(nil), .plain(nil),
                .plain(sum.currency.code), .plain(nil), .plain(nil), .amount(sum),
            ])
        }
        return table.bytes
    }

    func printed(by composer: ReportComposer) -> PrintedReport {
        let words = composer.words
        var facts = [composer.period(from, to)]
        let isByCategory = series.contains { $0.categoryID != nil }
        if !isByCategory, let all = series.first {
            facts += [
                composer.fact(words.income, all.income),
                composer.fact(words.expenses, all.expenses), composer.fact(words.net, all.net),
            ]
        }
        return composer.report(
            words.trends,
            facts + composer.unconverted(unconverted),
            isByCategory ? byCategory(composer) : [whole(composer)],
            [printedTable(by: composer, isByCategory)],
            in: currency
        )
    }

    /// Both ways in one chart; what nothing was asked of is left out.
    private func whole(_ composer: ReportComposer) -> PrintedChart {
        let words = composer.words
        let points = series.first?.points ?? []
        var lines: [PrintedSeries] = []
        if composer.way != .outgoing {
            let totals = points.map(\.income)
            lines.append(composer.series(words.income, ReportComposer.income, totals))
        }
        if composer.way != .incoming {
            let totals = points.map(\.expenses)
            lines.append(composer.series(words.expenses, ReportComposer.expenses, totals))
        }
        return composer.chart(
            .lines,
            words.trends,
            points.map { composer.days($0.from, $0.to) },
            lines
        )
    }

    /// A chart for each way in which anything went, the expenses first.
    private func byCategory(_ composer: ReportComposer) -> [PrintedChart] {
        let words = composer.words
        let names = (series.first?.points ?? []).map { composer.days($0.from, $0.to) }
        func chart(
            _ title: String,
            _ sum: (TrendSeries) -> Total,
            _ value: (TrendPoint) -> Total
        ) -> PrintedChart? {
            let shown = series.filter { !sum($0).isZero }
                .sorted { sum($1).minorUnits < sum($0).minorUnits }
            guard !shown.isEmpty else { return nil }
            let lines = shown.map { one in
                PrintedSeries(
                    name: one.categoryID.map { composer.name(of: $0) } ?? "–",
                    colours: [one.categoryID.map { composer.labels.colour(of: $0) } ?? 0],
                    values: one.points.map { value($0).minorUnits }
                )
            }
            return composer.chart(.lines, title, names, lines)
        }
        let charts = [
            chart(words.expenses, \.expenses, \.expenses), chart(words.income, \.income, \.income),
        ]
        return charts.compactMap(\.self)
    }

    /// Of categories those points alone at which anything was; CSV has all of them.
    private func printedTable(by composer: ReportComposer, _ isByCategory: Bool) -> PrintedTable {
        let words = composer.words
        var rows: [[String]] = []
        for one in series {
            let name = one.categoryID.map { [composer.name(of: $0)] } ?? []
            for point in one.points
            where !isByCategory || !point.income.isZero || !point.expenses.isZero {
                rows.append(
                    name + [
                        composer.days(point.from, point.to), point.income.amount,
                        point.expenses.amount, point.net.amount,
                    ]
                )
            }
        }
        let columns = isByCategory ? [PrintedColumn(words.category, .text)] : []
        return PrintedTable(
            columns: columns + [
                PrintedColumn(words.period, .days), PrintedColumn(words.income, .amount),
                PrintedColumn(words.expenses, .amount), PrintedColumn(words.net, .amount),
            ],
            rows: rows
        )
    }
}
