import Documents
import Palette
import ReportFiles
import WalletProtocol

/// What is told of a payee or a place.
private struct FlowSlice {
    let name: String
    let amount: Total
    let count: Int
    let percent: ExactDecimal
    let previous: Total?
}

extension ReportComposer {
    /// A pie of what went where, and a table of it; what is beyond the report's limit is one.
    fileprivate func flows(
        _ title: String,
        _ slices: [FlowSlice],
        _ rest: ReportRest,
        _ facts: [PrintedFact],
        in currency: Currency
    ) -> PrintedReport {
        var slices = slices
        if rest.items > 0 {
            slices.append(
                FlowSlice(
                    name: "\(words.others) (\(rest.items))",
                    amount: rest.amount,
                    count: rest.count,
                    percent: rest.percent,
                    previous: nil
                )
            )
        }
        let title = "\(title) – \(way == .incoming ? words.income : words.expenses)"
        let colours = Palette.view.colors
        let series = PrintedSeries(
            name: title,
            colours: slices.indices.map { colours[$0 % colours.count].rgb },
            values: slices.map(\.amount.minorUnits)
        )
        let pie = chart(
            .pie,
            title,
            slices.map(\.name),
            [series],
            tenths: slices.map(\.percent.tenths)
        )
        let table = PrintedTable(
            columns: [
                PrintedColumn(words.text, .text), PrintedColumn(words.amount, .amount),
                PrintedColumn("%", .percent), PrintedColumn(words.count, .count),
                PrintedColumn(words.before, .amount),
            ],
            rows: slices.map { one in
                [
                    one.name, one.amount.amount, one.percent.text, String(one.count),
                    one.previous?.amount ?? "",
                ]
            }
        )
        return report(title, facts, [pie], [table], in: currency)
    }
}

extension PayeeReport {
    func printed(by composer: ReportComposer) -> PrintedReport {
        let slices = items.map { item in
            FlowSlice(
                name: item.name ?? "–",
                amount: item.amount,
                count: item.count,
                percent: item.percent,
                previous: item.previous
            )
        }
        let facts = [
            composer.period(from, to), composer.fact(composer.words.amount, total),
            composer.fact(composer.words.before, previous.total),
        ]
        return composer.flows(
            composer.words.payees,
            slices,
            rest,
            facts + composer.unconverted(unconverted),
            in: currency
        )
    }
}

extension PlaceReport {
    func printed(by composer: ReportComposer) -> PrintedReport {
        let slices = features.map { feature in
            let place = feature.properties
            let point = feature.geometry.coordinates.reversed().map { "\($0)" }
            return FlowSlice(
                name: place.label ?? point.joined(separator: ", "),
                amount: place.amount,
                count: place.count,
                percent: place.percent,
                previous: place.previous
            )
        }
        let facts = [
            composer.period(from, to), composer.fact(composer.words.amount, total),
            composer.fact(composer.words.before, previous.total),
        ]
        return composer.flows(
            composer.words.places,
            slices,
            rest,
            facts + composer.unconverted(unconverted),
            in: currency
        )
    }
}

extension Forecast {
    func printed(by composer: ReportComposer) -> PrintedReport {
        let words = composer.words
        let bars = composer.chart(
            .bars,
            words.forecast,
            [composer.days(previous.from, previous.to), composer.days(from, to)],
            [
                composer.series(
                    words.income,
                    ReportComposer.income,
                    [previous.income, income.total]
                ),
                composer.series(
                    words.expenses,
                    ReportComposer.expenses,
                    [previous.expenses, expenses.total]
                ),
            ]
        )
        let flows = [(words.income, income), (words.expenses, expenses), (words.net, net)]
        let sums = PrintedTable(
            columns: [
                PrintedColumn(words.text, .text), PrintedColumn(words.booked, .amount),
                PrintedColumn(words.expected, .amount), PrintedColumn(words.amount, .amount),
            ],
            rows: flows.map { [$0, $1.booked.amount, $1.expected.amount, $1.total.amount] }
        )
        // Each in its own currency.
        let accounts = PrintedTable(
            columns: [
                PrintedColumn(words.account, .text), PrintedColumn(words.balance, .text),
                PrintedColumn(words.expected, .text),
            ],
            rows: self.accounts.map {
                [$0.name, composer.money($0.today), composer.money($0.expected)]
            }
        )
        let coming = PrintedTable(
            columns: [
                PrintedColumn(words.text, .text), PrintedColumn(words.period, .days),
                PrintedColumn(words.amount, .text),
            ],
            rows: items.flatMap { item in
                item.dates.map { day in
                    [item.name ?? "–", day.text, composer.money(Total(item.amount))]
                }
            }
        )
        return composer.report(
            words.forecast,
            [
                composer.period(from, to), composer.fact(words.balance, balance.today),
                composer.fact(words.expected, balance.expected),
            ] + composer.unconverted(unconverted + balance.unconverted),
            [bars],
            [sums, accounts, coming],
            in: currency
        )
    }
}
