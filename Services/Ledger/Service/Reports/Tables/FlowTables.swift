import ReportFiles
import Text
import WalletProtocol

/// What tables by payee and by place have in common: amounts and their parts of the whole.
private struct FlowLines {
    var table: CSVTable
    let from: Day
    let to: Day

    mutating func append(
        _ row: CSVTable.Field,
        _ names: [CSVTable.Field],
        _ amount: Total,
        count: Int? = nil,
        percent: ExactDecimal? = nil,
        previous: Total? = nil,
        of days: (Day, Day)? = nil
    ) {
        let days = days ?? (from, to)
        table.append(
            [row] + CSVTable.Field.days(days.0, days.1) + names + [
                .plain(amount.currency.code), .amount(amount), .plain(count.map { String($0) }),
                .plain(percent?.text), .plain(previous?.amount),
            ]
        )
    }

    mutating func end(
        _ rest: ReportRest,
        _ total: Total,
        _ count: Int,
        _ previous: PeriodBefore,
        _ unconverted: [Total],
        names: Int
    ) {
        let none = [CSVTable.Field](repeating: .plain(nil), count: names)
        append("rest", none, rest.amount, count: rest.count, percent: rest.percent)
        append("total", none, total, count: count)
        for sum in unconverted { append("unconverted", none, sum) }
        let days = (previous.from, previous.to)
        append("previous", none, previous.total, count: previous.count, of: days)
        for sum in previous.unconverted { append("previousUnconverted", none, sum, of: days) }
    }

    static let figures = ["currency", "amount", "count", "percent", "previous"]
}

extension PayeeReport: DocumentedReport {
    static let name = "payees"

    func csv(_ labels: LabelBook) -> [UInt8] {
        var lines = FlowLines(
            table: CSVTable(["row", "from", "to", "payee"] + FlowLines.figures),
            from: from,
            to: to
        )
        for item in items {
            lines.append(
                "payee",
                [.text(item.name)],
                item.amount,
                count: item.count,
                percent: item.percent,
                previous: item.previous
            )
        }
        lines.end(rest, total, count, previous, unconverted, names: 1)
        return lines.table.bytes
    }
}

extension PlaceReport: DocumentedReport {
    static let name = "places"

    func csv(_ labels: LabelBook) -> [UInt8] {
        let names = ["place", "longitude", "latitude"]
        var lines = FlowLines(
            table: CSVTable(["row", "from", "to"] + names + FlowLines.figures),
            from: from,
            to: to
        )
        for feature in features {
            let place = feature.properties
            lines.append(
                "place",
                [.text(place.label)] + feature.geometry.coordinates.map { .plain("\($0)") },
                place.amount,
                count: place.count,
                percent: place.percent,
                previous: place.previous
            )
        }
        lines.end(rest, total, count, previous, unconverted, names: names.count)
        return lines.table.bytes
    }
}

extension Forecast: DocumentedReport {
    static let name = "forecast"

    func csv(_ labels: LabelBook) -> [UInt8] {
        var table = CSVTable([
            "row", "from", "to", "id", "name", "currency", "booked", "expected", "total",
        ])
        func append(
            _ row: CSVTable.Field,
            _ days: (Day, Day),
            _ currency: Currency,
            names: [CSVTable.Field] = [.plain(nil), .plain(nil)],
            booked: Total? = nil,
            expected: Total? = nil,
            total: Total? = nil
        ) {
            table.append(
                [row] + CSVTable.Field.days(days.0, days.1) + names + [
                    .plain(currency.code), .plain(booked?.amount), .plain(expected?.amount),
                    .plain(total?.amount),
                ]
            )
        }
        for (row, sum) in [("income", income), ("expenses", expenses), ("net", net)] {
            append(
                .plain(row),
                (from, to),
                currency,
                booked: sum.booked,
                expected: sum.expected,
                total: sum.total
            )
        }
        append("balance", (today, to), currency, booked: balance.today, total: balance.expected)
        for one in accounts {
            append(
                "account",
                (today, to),
                one.today.currency,
                names: [.plain(one.accountID.text), .text(one.name)],
                booked: one.today,
                total: one.expected
            )
        }
        for item in items {
            let id = item.recurrenceID?.text ?? item.standingOrderID?.text
            for day in item.dates {
                append(
                    "item",
                    (day, day),
                    item.amount.currency,
                    names: [.plain(id), .text(item.name)],
                    expected: Total(item.amount)
                )
            }
        }
        let before = (previous.from, previous.to)
        append("previousIncome", before, currency, total: previous.income)
        append("previousExpenses", before, currency, total: previous.expenses)
        for sum in previous.unconverted {
            append("previousUnconverted", before, sum.currency, total: sum)
        }
        for sum in unconverted { append("unconverted", (from, to), sum.currency, total: sum) }
        for sum in balance.unconverted {
            append("balanceUnconverted", (today, to), sum.currency, total: sum)
        }
        return table.bytes
    }
}
