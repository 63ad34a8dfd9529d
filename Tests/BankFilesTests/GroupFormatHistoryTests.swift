import TestKit
import Testing
import Text
import WalletProtocol

@testable import BankFiles

/// Groups made up, written as each app writes them, and read: the same balances.
@Suite struct GroupFormatHistoryTests {
    /// A row of a made-up group, in minor units.
    private struct Row {
        let amount: Int64
        let paid: [Int64]
        let shares: [Int64]
        let weights: [Int64]
    }

    private struct Model {
        let currency: Currency
        let names: [String]
        let rows: [Row]

        var balances: [Int64] {
            names.indices.map { person in
                rows.reduce(0) { $0 + $1.paid[person] - $1.shares[person] }
            }
        }

        func text(_ units: Int64) -> String { Money(minorUnits: units, currency).amount }
        func fields(_ units: [Int64]) -> [String] { units.map { text($0) } }
    }

    /// - Parameter payersMax: how many pay for a row.
    private static func model(
        _ random: inout SeededGenerator,
        people: Int? = nil,
        payersMax: Int
    ) -> Model {
        let count = people ?? Int.random(in: 2...6, using: &random)
        let currency = [Currency.eur, .jpy, .kwd].randomElement(using: &random) ?? .eur
        let rows = (0..<Int.random(in: 1...30, using: &random)).map { _ in
            let sign: Int64 = Int.random(in: 0...4, using: &random) == 0 ? -1 : 1
            let weights = (0..<count).map { _ in Int64.random(in: 1...3, using: &random) }
            let unit = Int64.random(in: 1...100_000, using: &random)
            let shares = weights.map { $0 * unit * sign }
            let amount = shares.reduce(0, +)
            var paid = [Int64](repeating: 0, count: count)
            var left = amount
            for _ in 1..<Int.random(in: 1...payersMax, using: &random) + 1 {
                let part = left / 2
                paid[Int.random(in: 0..<count, using: &random)] += part
                left -= part
                if payersMax == 1 { break }
            }
            if payersMax == 1 {
                paid = [Int64](repeating: 0, count: count)
                left = amount
            }
            paid[Int.random(in: 0..<count, using: &random)] += left
            return Row(amount: amount, paid: paid, shares: shares, weights: weights)
        }
        return Model(currency: currency, names: (1...count).map { "P, \($0)" }, rows: rows)
    }

    private static func line(_ fields: [String]) -> String {
        var out: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            // Amounts below zero are not texts.
            if field.first == "-" {
                out += Array(field.utf8)
            } else {
                CSVField.append(field, to: &out)
            }
        }
        return String(decoding: out, as: UTF8.self) + "\n"
    }

    private static func hold(_ text: String, _ model: Model, _ format: GroupImportFormat) throws {
        let export = try readGroupExport(
            Array(text.utf8),
            format: nil,
            assuming: AssumedCurrency(model.currency, isNamed: true)
        )
        #expect(export.format == format && export.faults.isEmpty, "\(export.faults) in \(text)")
        let read = export.balances[model.currency] ?? model.names.map { _ in 0 }
        #expect(read == model.balances, "\(text)")
        #expect(export.rows.count == model.rows.count, "\(text)")
    }

    @Test(arguments: 0..<20)
    func appsThatStateBothSidesAreRead(number: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let model = Self.model(&random, payersMax: 3)
        let code = model.currency.code
        let names = model.names
        var sesterce = Self.line(
            ["Date", "Title"] + names.map { "Paid by " + $0 } + names.map { "Paid for " + $0 }
                + ["Currency", "Category"]
        )
        var own = Self.line(
            GroupTableColumns.all + names.map { GroupTableColumns.paidBy + $0 }
                + names.map { GroupTableColumns.shareOf + $0 }
        )
        var tricount = Self.line(
            ["Titel", "Betrag", "Währung", "Datum"] + names.map { "Bezahlt von " + $0 }
                + names.map { "Teil für " + $0 }
        )
        for row in model.rows {
            let (paid, shares) = (model.fields(row.paid), model.fields(row.shares))
            sesterce += Self.line(["2024-01-05", "x"] + paid + shares + [code, "y"])
            own += Self.line(
                ["2024-01-05", "expense", "x", code, model.text(row.amount), "", "", ""] + paid
                    + shares
            )
            tricount += Self.line(
                ["x", model.text(row.amount), code, "2024-01-05"] + paid + shares
            )
        }
        try Self.hold(sesterce, model, .sesterce)
        try Self.hold(own, model, .ezwallet)
        try Self.hold(tricount, model, .tricount)
    }

    @Test(arguments: 0..<20)
    func appsWithOnePayerAreRead(number: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let model = Self.model(&random, payersMax: 1)
        let code = model.currency.code
        var spliit = Self.line(
            [
                "Date", "Description", "Category", "Currency", "Cost", "Is Reimbursement",
                "Split mode",
            ]
                + model.names
        )
        var cospend = "what,amount,date,payer_name,payer_weight,owers\n"
        for name in model.names { cospend += "deleteMeIfYouWant,1,1970-01-01,\"\(name)\",1,x\n" }
        cospend = cospend.replacing(",1,x", with: ",1,\"\(model.names[0])\"")
        var equal: [Row] = []
        for row in model.rows {
            let payer = row.paid.firstIndex { $0 != 0 } ?? 0
            let signed = row.shares.enumerated().map { $0 == payer ? $1 : -$1 }
            spliit += Self.line(
                ["2024-01-05", "x", "", code, model.text(row.amount), "No", "Evenly"]
                    + model.fields(signed)
            )
            let share = row.shares[0]
            let even = Row(
                amount: share * Int64(model.names.count),
                paid: row.paid.map { $0 == 0 ? 0 : share * Int64(model.names.count) },
                shares: row.shares.map { _ in share },
                weights: []
            )
            equal.append(even)
            cospend += Self.line(
                [
                    "x", model.text(even.amount), "2024-01-05", model.names[payer], "1",
                    model.names.joined(separator: ","),
                ]
            )
        }
        try Self.hold(spliit, model, .spliit)
        let even = Model(currency: model.currency, names: model.names, rows: equal)
        try Self.hold(cospend, even, .cospend)
    }

    @Test(arguments: 0..<20)
    func splitProsTwoOweEachOtherWhatTheyDid(number: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let model = Self.model(&random, people: 2, payersMax: 1)
        var text =
            "Paid By,Name,Category,Amount,Split Type,Expense Date,Currency,You Lent,You Owe,"
            + "Settlement\n"
        for row in model.rows {
            let isOwn = row.paid[0] != 0
            let moved = model.text(abs(row.shares[isOwn ? 1 : 0]))
            text += Self.line(
                [
                    isOwn ? "You" : "Nat", "x", "", model.text(row.amount), "EXACT",
                    "2024-01-05 10:00:00", model.currency.code, isOwn ? moved : "0",
                    isOwn ? "0" : moved, "0",
                ]
            )
        }
        try Self.hold(text, model, .splitpro)
    }
}
