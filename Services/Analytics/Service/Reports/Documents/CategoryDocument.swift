import Documents
import ReportFiles
import Text
import WalletProtocol

extension CategoryReport: DocumentedReport, CategorizedReport {
    static let name = "categories"
    var categories: [CategoryID] {
        items.map(\.categoryID) + items.flatMap { $0.parts.map(\.categoryID) }
    }

    func csv(_ labels: LabelBook) -> [UInt8] {
        var table = CSVTable([
            "row", "from", "to", "categoryId", "category", "parentId", "currency", "amount",
            "count", "percent", "previous", "net",
        ])
        func names(_ category: CategoryID, below top: CategoryID?) -> [CSVTable.Field] {
            [
                .day(from), .day(to), .plain(category.text), .text(labels.name(of: category)),
                .plain(top?.text), .plain(currency.code),
            ]
        }
        for top in items {
            table.append(
                ["category"] + names(top.categoryID, below: nil) + [
                    .amount(top.amount), .plain(String(top.count)), .plain(top.percent.text),
                    .amount(top.previous), .amount(top.net),
                ]
            )
            for part in top.parts {
                table.append(
                    ["part"] + names(part.categoryID, below: top.categoryID) + [
                        .amount(part.amount), .plain(String(part.count)),
                        .plain(part.percent.text), .amount(part.previous), .amount(part.net),
                    ]
                )
            }
        }
        func append(
            _ row: CSVTable.Field,
            _ total: Total,
            _ from: Day,
            _ to: Day,
            net: Total? = nil
        ) {
            table.append([
                row, .day(from), .day(to), .plain(nil), .plain(nil), .plain(nil),
                .plain(total.currency.code), .amount(total), .plain(nil), .plain(nil), .plain(nil),
                net.map { .amount($0) } ?? .plain(nil),
            ])
        }
        append("total", total, from, to, net: net)
        if let previous { append("previous", previous.total, previous.from, previous.to) }
        for sum in unconverted { append("unconverted", sum, from, to) }
        return table.bytes
    }

    func printed(by composer: ReportComposer) -> PrintedReport {
        let words = composer.words
        let way = composer.way == .incoming ? words.income : words.expenses
        let names = items.map { composer.name(of: $0.categoryID) }
        let series = PrintedSeries(
            name: way,
            colours: items.map { composer.labels.colour(of: $0.categoryID) },
            values: items.map(\.amount.minorUnits)
        )
        let chart = composer.chart(
            .pie,
            way,
            names,
            [series],
            tenths: items.map(\.percent.tenths)
        )
        var facts = [
            composer.period(from, to), composer.fact(way, total), composer.fact(words.net, net),
        ]
        if let previous { facts.append(composer.fact(words.before, previous.total)) }
        return composer.report(
            "\(words.categories) – \(way)",
            facts + composer.unconverted(unconverted),
            [chart],
            [printedTable(by: composer)],
            in: currency
        )
    }

    private func printedTable(by composer: ReportComposer) -> PrintedTable {
        let words = composer.words
        var rows: [[String]] = []
        for top in items {
            let name = composer.name(of: top.categoryID)
            rows.append([
                name, top.amount.amount, top.percent.text, String(top.count), top.previous.amount,
                top.net.amount,
            ])
            for part in top.parts {
                rows.append([
                    "\(name) › \(composer.name(of: part.categoryID))", part.amount.amount,
                    part.percent.text, String(part.count), part.previous.amount, part.net.amount,
                ])
            }
        }
        return PrintedTable(
            columns: [
                PrintedColumn(words.category, .text), PrintedColumn(words.amount, .amount),
                PrintedColumn("%", .percent), PrintedColumn(words.count, .count),
                PrintedColumn(words.before, .amount), PrintedColumn(words.net, .amount),
            ],
            rows: rows
        )
    }
}
