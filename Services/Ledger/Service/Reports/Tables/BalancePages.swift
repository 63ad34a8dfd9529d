import Documents
import ReportFiles
import WalletProtocol

extension BalanceReport {
    func printed(by composer: ReportComposer) -> PrintedReport {
        let words = composer.words
        let last = points.last ?? opening
        let line = composer.chart(
            .lines,
            words.balance,
            points.map { composer.days($0.from, $0.to) },
            [composer.series(words.balance, ReportComposer.income, points.map(\.balance))]
        )
        // Each in its own currency.
        let accounts = PrintedTable(
            columns: [
                PrintedColumn(words.account, .text), PrintedColumn(words.opening, .text),
                PrintedColumn(words.closing, .text),
            ],
            rows: self.accounts.map { one in
                let closing = one.balances.last ?? one.opening
                return [one.name, composer.money(one.opening), composer.money(closing)]
            }
        )
        let days = PrintedTable(
            columns: [
                PrintedColumn(words.period, .days), PrintedColumn(words.balance, .amount),
            ],
            rows: points.map { [composer.days($0.from, $0.to), $0.balance.amount] }
        )
        let facts = [
            composer.period(from, to), composer.fact(words.opening, opening.balance),
            composer.fact(words.closing, last.balance),
        ]
        return composer.report(
            words.balance,
            facts + composer.unconverted(last.unconverted),
            [line],
            [accounts, days],
            in: currency
        )
    }
}

extension BudgetReport {
    func printed(by composer: ReportComposer) -> PrintedReport {
        let words = composer.words
        let names = months.map { composer.days($0.from, $0.to) }
        let bars = composer.chart(
            .bars,
            words.budget,
            names,
            [
                composer.series(words.allocated, ReportComposer.income, months.map(\.allocated)),
                composer.series(words.spent, ReportComposer.expenses, months.map(\.spent)),
            ]
        )
        let figures = [
            PrintedColumn(words.period, .days), PrintedColumn(words.allocated, .amount),
            PrintedColumn(words.spent, .amount), PrintedColumn(words.available, .amount),
            PrintedColumn("%", .percent),
        ]
        let all = PrintedTable(
            columns: figures,
            rows: zip(names, months).map { name, month in
                [
                    name, month.allocated.amount, month.spent.amount, month.available.amount,
                    month.percent.value?.text ?? "",
                ]
            }
        )
        let rows = items.flatMap { item in
            zip(names, item.months).filter { !$0.1.isIdle }.map { name, month in
                [
                    item.name, name, month.allocated.amount, month.spent.amount,
                    month.available.amount, month.percent.value?.text ?? "",
                ]
            }
        }
        let envelopes = PrintedTable(
            columns: [PrintedColumn(words.category, .text)] + figures,
            rows: rows
        )
        return composer.report(
            words.budget,
            [
                composer.period(from, to), composer.fact(words.spent, spent),
                composer.fact(words.before, previous),
            ],
            [bars],
            [all, envelopes],
            in: currency
        )
    }
}

extension Envelope {
    /// Whether there is nothing to tell of it.
    fileprivate var isIdle: Bool {
        [rolledOver, allocated, spent, available].allSatisfy(\.isZero)
    }
}
