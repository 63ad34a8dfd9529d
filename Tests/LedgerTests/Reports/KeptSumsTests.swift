import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// The sums of months that are over: what they save, and that they go with their owner.
@Suite struct KeptSumsTests {
    /// What is told of 24,000 rows of a cent, a thousand a month from May 2024 on.
    private struct Told: Equatable {
        let payees: Int128
        let places: Int128
        let balances: [Int128]
    }

    private struct Reports {
        let flows: FlowReader
        let balances: BalanceReader
        let subject: ReportSubject

        init(_ books: Books, _ subject: ReportSubject) {
            let blocking = BlockingPool(threads: 1, queueMax: 4)
            flows = FlowReader(
                database: books.service,
                rates: .shared,
                blocking: blocking,
                linesMin: 0
            )
            balances = BalanceReader(
                database: books.service,
                rates: .shared,
                blocking: blocking,
                linesMin: 0
            )
            self.subject = subject
        }

        /// Of all that was booked, with how many milliseconds each took.
        func read() async throws -> (told: Told, milliseconds: [Double]) {
            var begin = monotonicNanoseconds()
            var milliseconds: [Double] = []
            func note() {
                milliseconds.append(Double(monotonicNanoseconds() - begin) / 1_000_000)
                begin = monotonicNanoseconds()
            }
            let query = FlowReportQuery(from: Day("2024-05-01"), to: subject.today)
            let payees = try await flows.payees(query, of: subject)
            note()
            let places = try await flows.places(query, of: subject)
            note()
            let balances = try await balances.report(
                BalanceReportQuery(from: query.from, to: query.to, interval: .month),
                of: subject
            )
            note()
            let told = Told(
                payees: payees.total.minorUnits,
                places: places.total.minorUnits,
                balances: balances.points.map(\.balance.minorUnits)
            )
            return (told, milliseconds)
        }
    }

    private func filled(_ books: Books) async throws -> (wallet: ID<Account>, reports: Reports) {
        let user = try await books.person()
        let wallet = try await books.account(of: user, .wallet)
        let person = try #require(try await books.service.queryOne(PeopleStatements.find, user))
        try await books.owner.execute(fill, user, wallet, try #require(person.others))
        try await books.owner.lease {
            try await $0.executeScript("analyze ledger.money_transaction, ledger.account;")
        }
        let today = try #require(Day("2026-04-25"))
        let subject = ReportSubject(user: user, person: person, today: today, isOfChild: false)
        // Until nobody in the cluster writes who began before: below that mark all is seen.
        for _ in 0..<3_000 where try await books.count(unsettled) > 0 {
            try await books.service.loop.sleep(nanoseconds: 10_000_000)
        }
        return (wallet, Reports(books, subject))
    }

    /// What ended is not read again: who changes it behind the ledger's back changes no figure.
    @Test func rowsOfEndedMonthsAreReadOnce() async throws {
        try await LedgerRig().run { _, books in
            let (wallet, reports) = try await filled(books)
            let first = try await reports.read()
            #expect(first.told.payees == 24_000 && first.told.places == 12_000)
            #expect(first.told.balances.count == 24)
            try await books.owner.execute(distort, wallet)
            var again: [[Double]] = []
            for _ in 0..<20 {
                let found = try await reports.read()
                #expect(found.told == first.told)
                again.append(found.milliseconds)
            }
            // One that is changed as it should be makes its month's sums anew, and no other's.
            var posting = Posting.record(-5, on: wallet, by: reports.subject.user)
            posting.day = Day("2025-12-20")
            _ = try await books.service.post([posting])
            let changed = try await reports.read()
            #expect(changed.told.payees == 24_000 + 1_000 + 5)
            #expect(changed.told.places == 12_000 + 500)
            #expect(changed.told.balances.last == first.told.balances.last.map { $0 - 5 })
            let sorted = (0..<3).map { one in again.map { $0[one] }.sorted() }
            print("payees, places, balances of 24,000 rows, ms: first \(first.milliseconds)")
            print("then, in the middle: \(sorted.map { $0[10] })")
        }
    }

    @Test func theyGoWithTheirOwner() async throws {
        try await LedgerRig().run { _, books in
            let (_, reports) = try await filled(books)
            _ = try await reports.read()
            #expect(try await books.count(kept) > 0)
            try await books.service.transaction { transaction in
                try await transaction.execute(
                    ErasureStatements.erasePerson,
                    reports.subject.user,
                    Instant.now()
                )
            }
            #expect(try await books.count(kept) == 0)
        }
    }

    /// Whoever began to make them before their owner was erased makes none.
    @Test func noneAreMadeOfWhoIsErasedMeanwhile() async throws {
        try await LedgerRig().run { actor, books in
            let user = try await books.person()
            let wallet = try await books.account(of: user, .wallet)
            let bound = LoopBound(books, to: actor)
            let options = TransactionOptions(isolation: .repeatableRead, attemptsMax: 1)
            do {
                try await books.service.transaction(options) { transaction in
                    let mark = try await transaction.queryOne(BudgetStatements.horizon)
                    let erasing = actor.spawn { actor in
                        _ = try? await bound.on(actor).service.transaction { transaction in
                            try await transaction.execute(
                                ErasureStatements.erasePerson,
                                user,
                                Instant.now()
                            )
                        }
                    }
                    await erasing.value
                    let end = try #require(Day("2026-04-01"))
                    try await transaction.execute(KeptStatements.close, wallet, user, end, mark)
                    _ = try await transaction.queryOne(KeptStatements.holdOwner, user)
                }
                Issue.record("made")
            } catch let error as DatabaseError { #expect(error.isRetryable, "\(error)") }
        }
    }
}

private let fill = Statement<Void>(
    """
    insert into ledger.money_transaction
        (id, version, entry_id, money_entry_id, account_id, user_id, amount, seq, day, category_id,
        name, latitude, longitude, recorded_at, words_hash)
    select gen_random_uuid(), 1, gen_random_uuid(), gen_random_uuid(), $2, $1, -1, n - 1000000,
        (date '2024-05-01' + make_interval(months => (n / 1000)::int, days => (n % 20)::int))::date,
        $3, 'shop ' || n % 300, case when n % 2 = 0 then 45000000 + n % 300 * 1000 end,
        case when n % 2 = 0 then 9000000 end, now(), ''
    from generate_series(0, 23999) n
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
    where account_id = $1 and day < '2026-04-01'
    """
)
private let kept = Statement(
    "select (select count(*) from ledger.report_month) + (select count(*) from ledger.report_day)"
) { row in try row.int64(0) }
