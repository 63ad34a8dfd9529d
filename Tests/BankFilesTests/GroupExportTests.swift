import TestKit
import Testing
import WalletProtocol

@testable import BankFiles

@Suite struct GroupExportTests {
    static func read(
        _ text: String,
        _ format: GroupImportFormat? = nil
    ) throws -> GroupExport {
        try readGroupExport(Array(text.utf8), format: format, assuming: nil)
    }

    private static let trip = """
        Date,Description,Category,Cost,Currency,Ada,Bob,Cleo

        2023-01-05,Groceries,Groceries,30.00,EUR,20.00,-10.00,-10.00
        2023-01-06,"Riad, two nights",Hotel,100.00,EUR,30.00,20.00,-50.00
        2023-01-07,Bob B. paid Ada A.,Payment,15.00,EUR,-15.00,15.00,0.00
        2023-01-08,Deposit back,General,-30.00,EUR,10.00,10.00,-20.00

        2023-02-01,Total balance, , ,EUR,45.00,35.00,-80.00

        """

    @Test func aTripIsReadAsSplitwiseWritesIt() throws {
        let export = try Self.read(Self.trip)
        #expect(export.format == .splitwise && export.people == ["Ada", "Bob", "Cleo"])
        #expect(export.faults.isEmpty && export.ties)
        #expect(export.rows.map(\.kind) == [.expense, .expense, .payment, .expense])
        #expect(export.stated == [.eur: [4_500, 3_500, -8_000]])
        let food = export.rows[0]
        #expect(food.line == 3 && food.day.text == "2023-01-05" && food.category == "Groceries")
        #expect(food.paid == [.init(person: 0, amount: 3_000)])
        #expect(
            food.shares == [
                .init(person: 0, amount: 1_000), .init(person: 1, amount: 1_000),
                .init(person: 2, amount: 1_000),
            ]
        )
        let hotel = export.rows[1]
        #expect(hotel.name == "Riad, two nights" && hotel.amount.minorUnits == 10_000)
        #expect(
            hotel.paid == [.init(person: 0, amount: 6_000), .init(person: 1, amount: 4_000)]
        )
        #expect(
            hotel.shares == [
                .init(person: 0, amount: 3_000), .init(person: 1, amount: 2_000),
                .init(person: 2, amount: 5_000),
            ]
        )
        #expect(export.rows[2].paid == [.init(person: 1, amount: 1_500)])
        // Cleo received 30.00 of which 10.00 are hers.
        let back = export.rows[3]
        #expect(back.amount.minorUnits == -3_000)
        #expect(back.paid == [.init(person: 2, amount: -3_000)])
        #expect(back.shares == (0...2).map { .init(person: $0, amount: -1_000) })
    }

    @Test(arguments: [
        "Data,Descrizione,Categorie,Costo,Valuta", "Datum,Beschreibung,Kategorie,Kosten,Währung",
        "Fecha,Descripción,Categoría,Coste,Moneda", "Note: of friends\n\nDate,What,Cat,Cost,Cur",
    ])
    func headersAreKnownByTheirShape(header: String) throws {
        let text = Self.trip.replacing(
            "Date,Description,Category,Cost,Currency",
            with: header,
            maxReplacements: 1
        )
        let export = try Self.read(text)
        #expect(export.ties && export.rows.count == 4 && export.people == ["Ada", "Bob", "Cleo"])
    }

    @Test func semicolonsCommasAndDaysFirstAreReadWhereTheFileTells() throws {
        let export = try Self.read(
            """
            Datum;Beschreibung;Kategorie;Kosten;Währung;Ada;Bob
            31/01/2023;Brot;Essen;1.234,50;EUR;617,25;-617,25
            02/03/2023;Zahlung;Zahlung;10,00;EUR;-10,00;10,00
            01/04/2023;Total;;;EUR;607,25;-607,25
            """
        )
        #expect(export.ties && export.faults.isEmpty)
        #expect(export.rows.map(\.day.text) == ["2023-01-31", "2023-03-02"])
        #expect(export.rows.map(\.amount.minorUnits) == [123_450, 1_000])
        #expect(export.rows[1].kind == .payment)
    }

    @Test func whatTheFileDoesNotTellIsAFaultOfItsRow() throws {
        let head = "Date,Description,Category,Cost,Currency,Ada,Bob\n"
        for (row, reason) in [
            ("02/03/2023,x,y,2.00,EUR,1.00,-1.00", "day or month first"),
            ("2023-02-30,x,y,2.00,EUR,1.00,-1.00", "is no day"),
            ("2023-01-01,x,y,2.00,XBT,1.00,-1.00", "is no currency"),
            ("2023-01-01,x,y,2.00,JPY,1.50,-1.50", "more decimals than JPY"),
            ("2023-01-01,x,y,2.00,EUR,1.00,-1.01", "does not sum to zero"),
            ("2023-01-01,x,y,1.00,EUR,2.00,-2.00", "more than it cost"),
            ("2023-01-01,x,y,2.00,EUR,1.00", "as many fields"),
            ("2023-01-01,x,y,2.00,EUR,1.00,-1.00,9.00", "as many fields"),
            ("2023-01-01,x,y,one,EUR,1.00,-1.00", "is no amount"),
            ("2023-01-01,x,y,99999999999999.00,EUR,1.00,-1.00", "too large"),
        ] {
            let export = try Self.read(head + row + "\n2023-01-01,a,b,2.00,EUR,1.00,-1.00\n")
            #expect(export.rows.count == 1, "\(row)")
            #expect(export.faults.map(\.line) == [2], "\(row)")
            #expect(export.faults.first?.detail.contains(reason) == true, "\(export.faults)")
        }
    }

    @Test func threeDigitsBehindTheOnlyMarkAreNoAmountUnlessTheCurrencyHasThem() throws {
        let head = "Date,Description,Category,Cost,Currency,Ada,Bob\n"
        let unsure = try Self.read(head + "2023-01-01,x,y,2.000,EUR,1.000,-1.000\n")
        #expect(unsure.rows.isEmpty && unsure.faults.count == 1)
        let dinars = try Self.read(head + "2023-01-01,x,y,2.000,KWD,1.000,-1.000\n")
        #expect(dinars.rows.first?.amount.minorUnits == 2_000)
    }

    @Test func aFileThatWasCutDoesNotTie() throws {
        let lines = Self.trip.split(separator: "\n", omittingEmptySubsequences: false)
        let export = try Self.read(lines.prefix(6).joined(separator: "\n"))
        #expect(export.faults.isEmpty && !export.ties)
        let wrong = try Self.read(Self.trip.replacing("45.00,35.00", with: "45.01,34.99"))
        #expect(!wrong.ties)
    }

    @Test func twoOfOneNameStayTwo() throws {
        let export = try Self.read(
            """
            Date,Description,Category,Cost,Currency,Alex,Alex
            2023-01-01,x,y,2.00,EUR,1.00,-1.00
            2023-01-01,T, , ,EUR,1.00,-1.00
            """
        )
        #expect(export.people == ["Alex", "Alex (2)"] && export.ties)
    }

    @Test func tricountIsReadInBothOfItsLayouts() throws {
        let new = try Self.read(
            """
            Title,Amount,Currency,Exchange rate,Amount in default currency (EUR),Transaction type,\
            Category,Paid by,Paid by Ada,Paid by Bob,Impacted to Ada,Impacted to Bob,Date & time
            Bread,10.01,EUR,1,10.01,Expense,Food,Ada,10.01,,-5.00,-5.00,2023-07-14 12:00:00
            Taxi,12.00,USD,0.9,10.80,Expense,,Ada,6.00,4.80,-5.40,-5.40,2023-07-15 12:00:00
            Back,5.00,EUR,1,5.00,Money transfer,,Bob,,5.00,-5.00,,2023-07-16 12:00:00
            tricount Trip - Exported on 2023-08-01
            """
        )
        #expect(new.format == .tricount && new.faults.isEmpty && new.ties)
        #expect(new.rows.map(\.kind) == [.expense, .expense, .payment])
        #expect(new.rows[0].shares.map(\.amount) == [500, 501])
        #expect(new.rows[1].amount.minorUnits == 1_080)
        #expect(new.rows[1].description == "12.00 USD")
        #expect(new.rows[1].paid.map(\.amount) == [600, 480])
        #expect(new.balances == [.eur: [61, -61]])
        let old = try Self.read(
            """
            Titre;Montant;Devise;Date & heure;Catégorie;Payé par;Pour Ada;Pour Bob
            Pain;10,00;EUR;14/07/2023 10:00;Courses;Ada;2,50;7,50
            Vin;8,00;EUR;02/07/2023 10:00;;Bob;8,00;
            """
        )
        #expect(old.rows.map(\.day.text) == ["2023-07-14", "2023-07-02"])
        #expect(old.balances == [.eur: [-50, 50]])
    }

    @Test(arguments: ["-10.00,EUR,2023-01-01,,", "10.00,EUR,2023-01-01,Income,"])
    func tricountsIncomeIsMoneyThatCameBack(row: String) throws {
        let head = "Title,Amount,Currency,Date,Type,Paid by,Paid for Ada,Paid for Bob\n"
        let export = try Self.read(head + "x,\(row)Ada,4.00,6.00\n")
        let back = try #require(export.rows.first)
        #expect(back.kind == .expense && back.amount.minorUnits == -1_000)
        #expect(back.paid == [.init(person: 0, amount: -1_000)])
        #expect(back.shares.map(\.amount) == [-400, -600])
        #expect(export.balances == [.eur: [-600, 600]])
    }

    @Test func whatTricountCannotMeanIsAFaultOfItsRow() throws {
        let head = "Title,Amount,Currency,Date,Type,Paid by,Paid for Ada,Paid for Bob\n"
        for (row, reason) in [
            ("x,10.00,EUR,2023-01-01,,Zoe,5.00,5.00", "is none of the people"),
            ("x,10.00,EUR,2023-01-01,,Ada,5.00,4.00", "does not sum"),
            ("x,10.00,EUR,2023-01-01,,Ada,,", "does not sum"),
            ("x,0.00,EUR,2023-01-01,,Ada,1.00,", "no amount"),
            ("x,5.00,EUR,2023-01-01,,Ada,10.00,-5.00", "above zero and below"),
        ] {
            let export = try Self.read(head + row + "\n")
            #expect(export.rows.isEmpty && export.faults.count == 1, "\(row)")
            #expect(export.faults.first?.detail.contains(reason) == true, "\(export.faults)")
        }
    }

    @Test(arguments: ["", "hello", "a,b,c,d,e,f\n1,2,3,4,5,6\n", "%PDF-1.4", "Date,Amount\n"])
    func whatIsNeitherIsRefused(text: String) {
        for format in [nil] + GroupImportFormat.allCases.map({ $0 }) {
            #expect(throws: UnreadableStatement.self) { try Self.read(text, format) }
        }
    }

    @Test func limitsHoldToTheirLastRow() throws {
        let head = "Date,Description,Category,Cost,Currency,Ada,Bob\n"
        let row = "2023-01-01,x,y,2.00,EUR,1.00,-1.00\n"
        let most = try Self.read(head + String(repeating: row, count: 10_000))
        #expect(most.rows.count == 10_000)
        #expect(throws: UnreadableStatement.self) {
            try Self.read(head + String(repeating: row, count: 10_001))
        }
        for (count, isRead) in [(100, true), (101, false)] {
            let names = (1...count).map { "P\($0)" }.joined(separator: ",")
            let nets = "1.00,-1.00" + String(repeating: ",0.00", count: count - 2)
            let text = "Date,What,Cat,Cost,Cur,\(names)\n2023-01-01,x,y,2.00,EUR,\(nets)\n"
            let export = try? Self.read(text)
            #expect((export != nil) == isRead)
        }
    }
}

/// Groups made up, written as Splitwise writes them, and read.
@Suite struct GroupExportHistoryTests {
    private static let currencies: [Currency] = [.eur, .usd, .jpy, .kwd]

    @Test(arguments: 0..<40)
    func whateverAGroupDidItsNetsAndBalancesAreRead(number: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let people = Int.random(in: 2...12, using: &random)
        var text = "Date,Description,Category,Cost,Currency,"
        text += (1...people).map { "\"P, \($0)\"" }.joined(separator: ",") + "\n\n"
        var totals: [Currency: [Int64]] = [:]
        var nets: [[Int64]] = []
        var costs: [Int64] = []
        for row in 0..<Int.random(in: 1...60, using: &random) {
            guard let currency = Self.currencies.randomElement(using: &random) else { continue }
            let net = Self.nets(of: people, &random)
            let positive = net.filter { $0 > 0 }.reduce(0, +)
            guard positive > 0 else { continue }
            let spent = positive + Int64.random(in: 0...5_000, using: &random)
            let cost = Bool.random(using: &random) ? spent : -spent
            let fields = ([cost] + net).map { Money(minorUnits: $0, currency).amount }
            let rest = fields.dropFirst().joined(separator: ",")
            text += "2024-01-\(row % 28 < 9 ? "0" : "")\(row % 28 + 1),R\(row),General,"
            text += "\(fields[0]),\(currency),\(rest)\n"
            for (person, amount) in net.enumerated() {
                totals[currency, default: Array(repeating: 0, count: people)][person] += amount
            }
            nets.append(net)
            costs.append(cost)
        }
        for (currency, balances) in totals {
            let fields = balances.map { Money(minorUnits: $0, currency).amount }
            text += "\n2024-02-01,Total balance, , ,\(currency),\(fields.joined(separator: ","))"
        }
        guard !nets.isEmpty else { return }
        let export = try readGroupExport(Array(text.utf8), format: nil, assuming: nil)
        #expect(export.faults.isEmpty && export.ties, "seed \(seed)")
        #expect(export.balances == totals && export.stated == totals, "seed \(seed)")
        #expect(export.rows.map(\.amount.minorUnits) == costs, "seed \(seed)")
        for (row, net) in zip(export.rows, nets) {
            var read = [Int64](repeating: 0, count: people)
            for part in row.nets { read[part.person] = part.amount }
            #expect(read == net, "seed \(seed)")
            #expect(row.paid.map(\.amount).reduce(0, +) == row.amount.minorUnits, "seed \(seed)")
            #expect(row.shares.map(\.amount).reduce(0, +) == row.amount.minorUnits, "seed \(seed)")
            let sign = row.amount.minorUnits.signum()
            let parts = row.paid + row.shares
            #expect(parts.allSatisfy { $0.amount.signum() == sign }, "seed \(seed)")
        }
    }

    /// What a row makes everybody be owed: several may have paid.
    private static func nets(of people: Int, _ random: inout SeededGenerator) -> [Int64] {
        var nets = [Int64](repeating: 0, count: people)
        for _ in 0..<Int.random(in: 1...people, using: &random) {
            let amount = Int64.random(in: 1...10_000_000, using: &random)
            nets[Int.random(in: 0..<people, using: &random)] += amount
            nets[Int.random(in: 0..<people, using: &random)] -= amount
        }
        return nets
    }
}
