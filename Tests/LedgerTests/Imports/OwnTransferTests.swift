import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Rows of two own accounts that tell of the same money become one transfer, and two rows again.
@Suite struct OwnTransferTests {
    static let giro = "DE02120300000000202051"
    static let savings = "DE02500105170137075030"

    private struct Pair {
        let ada: ID<User>
        let giro: ID<Account>
        let savings: ID<Account>
    }

    private static func pair(_ books: Books) async throws -> Pair {
        let ada = try await books.person()
        return Pair(
            ada: ada,
            giro: try await books.account(of: ada, .wallet),
            savings: try await books.account(of: ada, .wallet)
        )
    }

    private static let out = TestStatement(
        number: giro,
        opening: 100_000,
        rows: [
            .init(day: "260105", amount: -50_000, name: "Ada", counterparty: savings),
            .init(day: "260106", amount: -999, name: "Baker"),
        ]
    )
    private static let into = TestStatement(
        number: savings,
        opening: 7,
        rows: [.init(day: "260107", amount: 50_000, name: "Ada L.", counterparty: giro)]
    )

    @Test func oneTransferComesOfTwoRows() async throws {
        try await LedgerRig().run { _, books in
            let own = try await Self.pair(books)
            let first = try await books.preview(Self.into.bytes, into: own.savings, of: own.ada)
            #expect(try await books.commit(first) == "committed")
            let second = try await books.preview(Self.out.bytes, into: own.giro, of: own.ada)
            let shown = try await ImportStore.find(second, of: own.ada, in: books.service).view
            #expect(shown.rows.first?.transfer?.accountID == own.savings)
            #expect(shown.rows.first?.transfer?.name == "Ada L.")
            #expect(shown.rows.last?.transfer == nil)
            #expect(try await books.commit(second) == "committed")
            #expect(try await books.balance(own.giro) == Self.out.closing)
            #expect(try await books.balance(own.savings) == Self.into.closing)
            let (giro, savings) = try await (
                books.lines(of: own.giro), books.lines(of: own.savings)
            )
            #expect(giro == ["2026-01-05 -50000 Ada (own)", "2026-01-06 -999 Baker"])
            #expect(savings == ["2026-01-05 50000 Ada L. (own)"])
            try await books.check()

            // The later one goes: the other's row stands as it did.
            #expect(try await books.withdraw(second) == "withdrawn")
            #expect(try await books.lines(of: own.giro) == [])
            #expect(try await books.lines(of: own.savings) == ["2026-01-07 50000 Ada L."])
            #expect(try await books.balance(own.giro) == 0)
            #expect(try await books.balance(own.savings) == Self.into.closing)
            // It comes again, and matches again.
            let again = try await books.preview(Self.out.bytes, into: own.giro, of: own.ada)
            #expect(try await books.commit(again) == "committed")
            #expect(try await books.lines(of: own.savings) == ["2026-01-05 50000 Ada L. (own)"])
            // The earlier one goes: the later row stands alone.
            #expect(try await books.withdraw(first) == "withdrawn")
            #expect(try await books.lines(of: own.savings) == [])
            let rest = ["2026-01-05 -50000 Ada", "2026-01-06 -999 Baker"]
            #expect(try await books.lines(of: own.giro) == rest)
            #expect(try await books.balance(own.savings) == 0)
            #expect(try await books.balance(own.giro) == Self.out.closing)
            #expect(try await books.withdraw(again) == "withdrawn")
            #expect(try await books.balance(own.giro) == 0)
            try await books.check()
        }
    }

    @Test func theReceivingSideMayComeLater() async throws {
        try await LedgerRig().run { _, books in
            let own = try await Self.pair(books)
            let first = try await books.preview(Self.out.bytes, into: own.giro, of: own.ada)
            // Both previews stand before either is taken in.
            let second = try await books.preview(Self.into.bytes, into: own.savings, of: own.ada)
            #expect(try await books.commit(first) == "committed")
            #expect(try await books.commit(second) == "committed")
            #expect(try await books.lines(of: own.savings) == ["2026-01-05 50000 Ada L. (own)"])
            #expect(try await books.balance(own.savings) == Self.into.closing)
            #expect(try await books.withdraw(second) == "withdrawn")
            let rest = ["2026-01-05 -50000 Ada", "2026-01-06 -999 Baker"]
            #expect(try await books.lines(of: own.giro) == rest)
            try await books.check()
        }
    }

    @Test func aDeclinedMatchStaysTwoRows() async throws {
        try await LedgerRig().run { _, books in
            let own = try await Self.pair(books)
            let first = try await books.preview(Self.into.bytes, into: own.savings, of: own.ada)
            _ = try await books.commit(first)
            let second = try await books.preview(Self.out.bytes, into: own.giro, of: own.ada)
            try await books.service.execute(
                ImportStatements.declineMatches,
                second,
                [Int32(0)],
                [true]
            )
            #expect(try await books.commit(second) == "committed")
            #expect(try await books.lines(of: own.savings) == ["2026-01-07 50000 Ada L."])
            #expect(try await books.lines(of: own.giro).contains("2026-01-05 -50000 Ada"))
        }
    }

    /// Whatever comes and goes in whatever order, each account holds what its files say.
    @Test(arguments: [1, 2, 3, UInt64.random(in: 0...UInt64.max)])
    func whateverComesAndGoesTheBalancesAreTheFiles(_ seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var random = SeededGenerator(seed: seed)
            let ada = try await books.person()
            let numbers = [Self.giro, Self.savings, "NL91ABNA0417164300"]
            var accounts: [ID<Account>] = []
            for _ in numbers { accounts.append(try await books.account(of: ada, .wallet)) }
            var files: [(account: Int, statement: TestStatement)] = []
            for account in numbers.indices {
                for _ in 0..<2 {
                    files.append((account, TestStatement(number: numbers[account], rows: [])))
                }
            }
            for _ in 0..<40 {
                let amount = Int64(1 + random.below(8)) * 100
                let day = 10 + random.below(15)
                let from = random.below(files.count)
                let to = random.below(files.count)
                let id = random.chance(50) ? "E2E-\(random.below(1_000_000))" : nil
                let names = random.chance(70)
                let number = (numbers[files[from].account], numbers[files[to].account])
                files[from].statement.rows.append(
                    .init(
                        day: "2601\(day)",
                        amount: -amount,
                        name: "File \(from)",
                        counterparty: names ? number.1 : nil,
                        endToEnd: id
                    )
                )
                guard from != to, random.chance(80) else { continue }
                files[to].statement.rows.append(
                    .init(
                        day: "2601\(day + random.below(6))",
                        amount: amount,
                        name: "File \(to)",
                        counterparty: random.chance(70) ? number.0 : nil,
                        endToEnd: id
                    )
                )
            }
            var standing: [Int: ID<StatementImport>] = [:]
            var hadTransfers = false
            for step in 0..<30 {
                let file = random.below(files.count)
                let account = files[file].account
                if let id = standing[file] {
                    #expect(try await books.withdraw(id) == "withdrawn", "seed \(seed), \(step)")
                    standing[file] = nil
                } else {
                    let id = try await books.preview(
                        files[file].statement.bytes,
                        into: accounts[account],
                        of: ada
                    )
                    #expect(try await books.commit(id) == "committed", "seed \(seed), \(step)")
                    standing[file] = id
                }
                for (index, account) in accounts.enumerated() {
                    let rows = standing.keys.filter { files[$0].account == index }
                        .map { files[$0].statement }
                    let lines = try await books.lines(of: account)
                    let sum = rows.reduce(0) { $0 + $1.closing }
                    let balance = try await books.balance(account)
                    #expect(balance == sum, "seed \(seed), step \(step)")
                    let count = rows.reduce(0) { $0 + $1.rows.count }
                    #expect(lines.count == count, "seed \(seed), step \(step)")
                    hadTransfers = hadTransfers || lines.contains { $0.hasSuffix("(own)") }
                }
                try await books.check("seed \(seed), step \(step)")
            }
            for id in standing.values { #expect(try await books.withdraw(id) == "withdrawn") }
            for account in accounts {
                #expect(try await books.balance(account) == 0, "seed \(seed)")
                #expect(try await books.lines(of: account) == [], "seed \(seed)")
            }
            #expect(hadTransfers, "seed \(seed)")
        }
    }

    // MARK: The rules

    private static func candidate(
        _ place: Int32,
        _ other: Int32,
        of account: ID<Account>,
        in importID: ID<StatementImport>,
        counterparty: String? = nil,
        otherCounterparty: String? = nil,
        sameEndToEnd: Bool = false,
        sameOwner: Bool = false
    ) -> OwnTransferCandidate {
        OwnTransferCandidate(
            place: place,
            account: account,
            other: ImportPlace(importID: importID, place: other),
            counterparty: counterparty,
            otherCounterparty: otherCounterparty,
            sameEndToEnd: sameEndToEnd,
            sameOwner: sameOwner
        )
    }

    @Test func onlyAnUnambiguousPairWithEvidenceIsOne() {
        let (near, far) = (ID<Account>.new(), ID<Account>.new())
        let file = ID<StatementImport>.new()
        let rules = OwnTransfers(
            numbers: [near: [Self.giro], far: [Self.savings]],
            account: near
        )
        func one(
            _ place: Int32,
            _ other: Int32,
            _ number: String? = nil,
            _ otherNumber: String? = nil,
            id: Bool = false
        ) -> OwnTransferCandidate {
            Self.candidate(
                place,
                other,
                of: far,
                in: file,
                counterparty: number,
                otherCounterparty: otherNumber,
                sameEndToEnd: id
            )
        }
        #expect(rules.pairs(among: [one(0, 0)]).isEmpty)
        #expect(rules.pairs(among: [one(0, 0, Self.savings)]).count == 1)
        #expect(rules.pairs(among: [one(0, 0, nil, Self.giro)]).count == 1)
        #expect(rules.pairs(among: [one(0, 0, id: true)]).count == 1)
        // Another account is named: no id makes up for it.
        let stranger = "NL91ABNA0417164300"
        #expect(rules.pairs(among: [one(0, 0, stranger, Self.giro, id: true)]).isEmpty)
        #expect(rules.pairs(among: [one(0, 0, Self.savings, stranger)]).isEmpty)
        // Two that are as good as each other, on either side.
        #expect(rules.pairs(among: [one(0, 0, Self.savings), one(0, 1, Self.savings)]).isEmpty)
        #expect(rules.pairs(among: [one(0, 0, Self.savings), one(1, 0, Self.savings)]).isEmpty)
        // A number is better than an id.
        let pairs = rules.pairs(among: [one(0, 0, Self.savings), one(0, 1, id: true)])
        #expect(pairs.map(\.other.place) == [0])
    }

    @Test(arguments: [
        ("DE02120300000000202051", "DE02120300000000202051", true),
        ("NL91ABNA0417164300", "0417164300", true), ("0417164300", "NL91ABNA0417164300", true),
        ("NL91ABNA0417164300", "4300", false), ("0417164300", "99990417164300", false),
        ("NL91ABNA0417164300", "NL91ABNA0417164301", false),
    ])
    func aNumberMayBeTheEndOfItsIBAN(_ first: String, _ second: String, _ isSame: Bool) {
        #expect(OwnTransfers.isSame(first, second) == isSame)
    }
}

extension SeededGenerator {
    fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    fileprivate mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
