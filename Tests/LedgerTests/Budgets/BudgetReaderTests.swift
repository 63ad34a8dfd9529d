import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Envelopes read from the journal, with the sums of ended months kept, against a model that keeps
/// nothing.
@Suite struct BudgetReaderTests {
    /// One person's books as a child would keep them.
    private struct Model {
        struct Line {
            let category: CategoryID
            let amount: Int64
        }
        struct Item {
            let account: ID<Account>
            var day: Day
            let currency: Currency
            var lines: [Line]
        }
        struct Allocation {
            let category: CategoryID
            let month: Month
            let day: Day
            let currency: Currency
            let amount: Int64
        }
        var items: [ID<MoneyTransaction>: Item] = [:]
        var allocations: [Allocation] = []

        /// Rolled over, allocated, spent, by their definitions.
        func envelope(
            of category: CategoryID,
            in month: Month,
            start: Int,
            currency: Currency,
            _ rates: RateHistory
        ) throws -> [Int128] {
            func name(_ day: Day) -> Month {
                let month = day.month
                return day.parts.day >= start ? month : month.adding(-1) ?? month
            }
            func shown(_ amount: Int128, _ from: Currency, _ day: Day) throws -> Int128 {
                if from == currency { return amount }
                return try rates.required(from: from, to: currency, on: day).shown(amount)
            }
            let own = allocations.filter { $0.category == category && $0.month <= month }
            let first = own.map(\.month).min()
            var byDay: [Month: [Currency: [Day: Int64]]] = [:]
            for item in items.values {
                for line in item.lines where line.category == category {
                    byDay[name(item.day), default: [:]][item.currency, default: [:]][
                        item.day,
                        default: 0
                    ] += line.amount
                }
            }
            var given: [Month: [Currency: [Day: Int64]]] = [:]
            for one in own {
                given[one.month, default: [:]][one.currency, default: [:]][one.day, default: 0] +=
                    one.amount
            }
            func sum(_ figures: [Currency: [Day: Int64]]?) throws -> Int128 {
                var total: Int128 = 0
                for (currency, days) in figures ?? [:] {
                    for (day, amount) in days { total += try shown(Int128(amount), currency, day) }
                }
                return total
            }
            var rolled: Int128 = 0
            if var at = first {
                while at < month {
                    rolled += try sum(given[at]) + sum(byDay[at])
                    at = try #require(at.adding(1))
                }
            }
            return [rolled, try sum(given[month]), -(try sum(byDay[month]))]
        }
    }

    private func reader(_ user: ID<User>, _ person: Person, _ today: Day) -> BudgetReader {
        BudgetReader(
            user: user,
            person: person,
            today: today,
            rates: .shared,
            blocking: BlockingPool(threads: 1, queueMax: 4)
        )
    }

    @Test(arguments: ledgerSeeds)
    func envelopesAreThoseOfAModelThatKeepsNothing(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var random = SeededGenerator(seed: seed)
            let rates = try RateStore.shared.history()
            let user = try await books.person()
            var person = try #require(
                try await books.service.queryOne(PeopleStatements.find, user)
            )
            let accounts = [
                (try await books.account(of: user, .wallet), Currency.eur),
                (try await books.account(of: user, .wallet, .jpy), .jpy),
                (try await books.account(of: user, .wallet, .usd), .usd),
            ]
            var categories = [try #require(person.others)]
            for name in ["Food", "Rent", "Fun"] {
                categories.append(try await books.category(of: user, name))
            }
            let start = try #require(Day("2025-01-10"))
            var today = start
            var model = Model()
            func someDay(_ random: inout SeededGenerator) throws -> Day {
                let back = Int.random(in: 0...3, using: &random) == 0 ? 200 : 20
                return try #require(
                    today.adding(days: -Int.random(in: -10...back, using: &random))
                )
            }
            for step in 0..<220 {
                switch Int.random(in: 0...9, using: &random) {
                case 0...3:
                    let (account, currency) = try #require(accounts.randomElement(using: &random))
                    var posting = Posting.record(
                        Int64.random(in: -9_000...3_000, using: &random),
                        currency,
                        on: account,
                        by: user
                    )
                    posting.day = try someDay(&random)
                    let amount = try #require(posting.amount)
                    var lines: [Model.Line] = []
                    if amount < -1, Int.random(in: 0...3, using: &random) == 0 {
                        let two = categories.shuffled(using: &random).prefix(2)
                        let part = Int64.random(in: (amount + 1)...(-1), using: &random)
                        lines = [
                            Model.Line(category: two[0], amount: part),
                            Model.Line(category: two[1], amount: amount - part),
                        ]
                        posting.lines = lines.map {
                            Posting.Line(category: $0.category, amount: $0.amount)
                        }
                    } else {
                        posting.category = categories.randomElement(using: &random)
                        lines = [
                            Model.Line(category: try #require(posting.category), amount: amount)
                        ]
                    }
                    let outcomes = try await books.service.post([posting])
                    #expect(outcomes.map(\.status) == [.posted], "seed \(seed)")
                    model.items[try #require(posting.transaction)] = Model.Item(
                        account: account,
                        day: try #require(posting.day),
                        currency: currency,
                        lines: lines
                    )
                case 4:
                    guard let id = model.items.keys.sorted().randomElement(using: &random),
                        let row = try await books.service.queryOne(
                            TransactionStatements.find(id, for: user)
                        )?.row
                    else { continue }
                    let outcomes = try await books.service.post([
                        Posting(reversing: row, .init(of: user), by: user)
                    ])
                    #expect(outcomes.map(\.status) == [.posted], "seed \(seed)")
                    model.items[id] = nil
                case 5:
                    guard let id = model.items.keys.sorted().randomElement(using: &random),
                        let row = try await books.service.queryOne(
                            TransactionStatements.find(id, for: user)
                        )?.row, let to = categories.randomElement(using: &random)
                    else { continue }
                    var posting = Posting(revising: row, .init(of: user), by: user)
                    posting.lines = []
                    posting.category = to
                    let outcomes = try await books.service.post([posting])
                    #expect(outcomes.map(\.status) == [.posted], "seed \(seed)")
                    model.items[id]?.lines = [Model.Line(category: to, amount: row.amount)]
                case 6:
                    guard let id = model.items.keys.sorted().randomElement(using: &random),
                        let row = try await books.service.queryOne(
                            TransactionStatements.find(id, for: user)
                        )?.row
                    else { continue }
                    // To another day, as an edit does: taken back and recorded anew.
                    var back = Posting(reversing: row, .init(of: user), by: user)
                    var anew = Posting(recordingAnew: row, nil, by: user)
                    anew.day = try someDay(&random)
                    (back.chain, anew.chain) = (1, 1)
                    let outcomes = try await books.service.post([back, anew])
                    #expect(outcomes.map(\.status) == [.posted, .posted], "seed \(seed)")
                    model.items[id]?.day = try #require(anew.day)
                case 7:
                    let reader = reader(user, person, today)
                    let month = try #require(
                        reader.currentMonth.adding(-Int.random(in: -1...4, using: &random))
                    )
                    let category = try #require(categories.randomElement(using: &random))
                    let amount = Int64.random(in: -2_000...9_000, using: &random)
                    try await books.service.transaction(BudgetReader.options) { transaction in
                        try await reader.allocate(amount, to: category, in: month, transaction)
                    }
                    model.allocations.append(
                        Model.Allocation(
                            category: category,
                            month: month,
                            day: today,
                            currency: person.currency,
                            amount: amount
                        )
                    )
                case 8:
                    today = try #require(
                        today.adding(days: Int.random(in: 0...25, using: &random))
                    )
                default:
                    if Int.random(in: 0...5, using: &random) == 0 {
                        person.monthStart = Int.random(in: 1...28, using: &random)
                    } else if Int.random(in: 0...7, using: &random) == 0 {
                        person.currency = [.eur, .usd].randomElement(using: &random) ?? .eur
                    }
                }
                guard step % 4 == 0 else { continue }
                let reader = reader(user, person, today)
                let month = try #require(
                    reader.currentMonth.adding(-Int.random(in: -2...5, using: &random))
                )
                let some = Array(
                    categories.shuffled(using: &random)
                        .prefix(Int.random(in: 1...4, using: &random))
                )
                let found = try await books.service.transaction(BudgetReader.options) {
                    try await reader.envelopes(of: some, in: month, $0)
                }
                for envelope in found {
                    let wanted = try model.envelope(
                        of: envelope.categoryID,
                        in: month,
                        start: person.monthStart,
                        currency: person.currency,
                        rates
                    )
                    let had = [envelope.rolledOver, envelope.allocated, envelope.spent]
                    #expect(had.map(\.minorUnits) == wanted, "seed \(seed), step \(step), \(month)")
                    #expect(
                        envelope.available.minorUnits == wanted[0] + wanted[1] - wanted[2],
                        "seed \(seed)"
                    )
                }
            }
            try await books.check("seed \(seed)")
        }
    }

    /// What ended is not read again: who changes it behind the ledger's back changes no figure.
    @Test func rowsOfEndedMonthsAreReadOnce() async throws {
        try await LedgerRig().run { _, books in
            let user = try await books.person()
            let wallet = try await books.account(of: user, .wallet)
            let person = try #require(
                try await books.service.queryOne(PeopleStatements.find, user)
            )
            let others = try #require(person.others)
            try await books.owner.execute(fill, user, wallet, others, 24_600)
            try await books.owner.lease {
                try await $0.executeScript("analyze ledger.money_transaction, ledger.account;")
            }
            let today = try #require(Day("2026-01-15"))
            let reader = reader(user, person, today)
            let first = try #require(Month("2024-01"))
            try await books.service.transaction(BudgetReader.options) {
                try await reader.allocate(1, to: others, in: first, $0)
            }
            // Until nobody in the cluster writes who began before: below that mark all is seen.
            for _ in 0..<3_000 where try await books.count(unsettled) > 0 {
                try await books.service.loop.sleep(nanoseconds: 10_000_000)
            }
            func read() async throws -> (Envelope, UInt64) {
                let begin = monotonicNanoseconds()
                let found = try await books.service.transaction(BudgetReader.options) {
                    try await reader.envelopes(of: [others], in: reader.currentMonth, $0)
                }
                return (try #require(found.first), monotonicNanoseconds() - begin)
            }
            let before = try await read()
            // 1,000 rows a month of one cent each, in 24 months, and 600 in the running one.
            #expect(before.0.rolledOver.minorUnits == 1 - 24_000)
            #expect(before.0.spent.minorUnits == 600)
            try await books.owner.execute(distort, user)
            let after = try await read()
            #expect(after.0 == before.0)
            // One that is changed as it should be makes its month's sum anew, and no other's.
            var posting = Posting.record(-5, on: wallet, by: user)
            posting.day = Day("2025-12-20")
            _ = try await books.service.post([posting])
            let changed = try await read()
            #expect(changed.0.rolledOver.minorUnits == before.0.rolledOver.minorUnits - 5 - 1_000)
            let shown = [before.1, after.1, changed.1].map { Double($0) / 1_000_000 }
            print("envelopes of 24,000 rows, ms: first, again, a month changed:", shown)
        }
    }
}

/// So many rows of one cent, a thousand a month from January 2024 on, in the past of the database.
private let fill = Statement<Void>(
    """
    insert into ledger.money_transaction
        (id, version, entry_id, money_entry_id, account_id, user_id, amount, seq, day, category_id,
        name, recorded_at, words_hash)
    select gen_random_uuid(), 1, gen_random_uuid(), gen_random_uuid(), $2, $1, -1, n - 1000000,
        (date '2024-01-01' + make_interval(months => (n / 1000)::int, days => (n % 20)::int))::date,
        $3, 'a row', now(), ''
    from generate_series(0, $4::bigint - 1) n
    """
)
private let unsettled = Statement(
    """
    select count(*) from ledger.money_transaction
    where xid >= pg_snapshot_xmin(pg_current_snapshot())
    """
) { row in try row.int64(0) }
private let distort = Statement<Void>(
    """
    update ledger.money_transaction set amount = amount * 2
    where user_id = $1 and day < '2026-01-01'
    """
)
