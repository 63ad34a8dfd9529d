import ReportFiles
import Text
import WalletProtocol

extension BalanceReport: DocumentedReport {
    static let name = "balances"

    func csv(_ labels: LabelBook) -> [UInt8] {
        var table = CSVTable(["row", "from", "to", "accountId", "account", "currency", "balance"])
        let all = [opening] + points
        func append(_ row: CSVTable.Field, _ point: BalancePoint, _ balance: Total) {
            table.append(
                [row] + CSVTable.Field.days(point.from, point.to) + [
                    .plain(nil), .plain(nil), .plain(balance.currency.code), .amount(balance),
                ]
            )
        }
        for point in all {
            append("all", point, point.balance)
            for sum in point.unconverted { append("unconverted", point, sum) }
        }
        for one in currencies {
            for (point, balance) in zip(all, [one.opening] + one.balances) {
                append("currency", point, balance)
            }
        }
        for one in accounts {
            for (point, balance) in zip(all, [one.opening] + one.balances) {
                table.append(
                    ["account"] + CSVTable.Field.days(point.from, point.to) + [
                        .plain(one.accountID.text), .text(one.name),
                        .plain(balance.currency.code), .amount(balance),
                    ]
                )
            }
        }
        return table.bytes
    }
}

extension BudgetReport: DocumentedReport {
    static let name = "budgets"

    func csv(_ labels: LabelBook) -> [UInt8] {
        var table = CSVTable([
            "row", "from", "to", "categoryId", "category", "currency", "rolledOver", "allocated",
            "spent", "available", "percent",
        ])
        for month in months {
            table.append(
                ["all"] + CSVTable.Field.days(month.from, month.to) + [
                    .plain(nil), .plain(nil), .plain(currency.code), .amount(month.rolledOver),
                    .amount(month.allocated), .amount(month.spent), .amount(month.available),
                    .plain(month.percent.value?.text),
                ]
            )
        }
        for item in items {
            let names: [CSVTable.Field] = [.plain(item.categoryID.text), .text(item.name)]
            for (month, envelope) in zip(months, item.months) {
                let days = CSVTable.Field.days(month.from, month.to)
                table.append(
                    ["envelope"] + days + names + [
                        .plain(currency.code), .amount(envelope.rolledOver),
                        .amount(envelope.allocated), .amount(envelope.spent),
                        .amount(envelope.available), .plain(envelope.percent.value?.text),
                    ]
                )
                for sum in envelope.unconverted {
                    table.append(
                        ["unconverted"] + days + names + [
                            .plain(sum.currency.code), .plain(nil), .plain(nil), .amount(sum),
                        ]
                    )
                }
            }
        }
        for (row, sum) in [("total", spent), ("previous", previous)] {
            table.append([
                .plain(row), .plain(row == "total" ? from.text : nil),
                .plain(row == "total" ? to.text : nil), .plain(nil), .plain(nil),
                .plain(currency.code), .plain(nil), .plain(nil), .amount(sum),
            ])
        }
        return table.bytes
    }
}

extension CSVTable.Field {
    /// Two fields.
    static func days(_ from: Day, _ to: Day) -> [CSVTable.Field] { [.day(from), .day(to)] }
}
