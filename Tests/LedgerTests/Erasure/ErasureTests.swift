import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import IBANs
@testable import LedgerService

/// What an erasure does to the books, and what it may not do to those of others.
@Suite struct ErasureTests {
    /// Two people who have paid each other, the first `count` times.
    private struct Pair {
        let ada: ID<User>
        let bob: ID<User>
        let adas: ID<Account>
        let bobs: ID<Account>

        init(_ books: Books, payments count: Int) async throws {
            ada = try await books.person()
            bob = try await books.person()
            adas = try await books.account(of: ada, holding: 1_000)
            bobs = try await books.account(of: bob, holding: 1_000)
            var postings: [Posting] = []
            for _ in 0..<count {
                var posting = Posting.transfer(1, from: adas, to: bobs, by: ada)
                posting.name = "Bob"
                posting.counterName = "Ada"
                posting.reference = "a secret"
                postings.append(posting)
            }
            var back = Posting.transfer(2, from: bobs, to: adas, by: bob)
            back.name = "Ada"
            back.counterName = "Bob"
            postings.append(back)
            let outcomes = try await books.service.post(postings)
            #expect(outcomes.allSatisfy { $0.status == .posted })
        }
    }

    private func order(_ user: ID<User>) -> ErasureOrder {
        ErasureOrder(userID: user, erasedAt: .now(), lastSequence: 0)
    }

    private func row(of books: Books, _ user: ID<User>) async throws {
        try await books.service.transaction { transaction in
            try await transaction.execute(ErasureStatements.erasePerson, user, Instant.now())
        }
    }

    @Test func namesGoOnBothSidesAndMovementsStay() async throws {
        try await LedgerRig().run { _, books in
            let pair = try await Pair(books, payments: 5)
            try await PersonEraser(database: books.service).erase(order(pair.ada))
            let lines = try await books.owner.query(linesOf, pair.bob)
            #expect(lines.filter { $0 == "Deleted user" }.count == 6)
            let left = try await books.owner.queryOne(textsOf, pair.ada)
            #expect(left == 0)
            #expect(try await books.balance(pair.bobs) == 1_003)
            try await books.check()
        }
    }

    /// Sums of ended months that others keep have the names of those whom they paid.
    @Test func keptSumsOfOthersGoWithTheNamesInThem() async throws {
        try await LedgerRig().run { _, books in
            let pair = try await Pair(books, payments: 1)
            try await books.service.transaction { transaction in
                let mark = try await transaction.queryOne(BudgetStatements.horizon)
                let end = try #require(Day("2026-04-01"))
                try await transaction.execute(
                    KeptStatements.close,
                    pair.bobs,
                    pair.bob,
                    end,
                    mark
                )
            }
            try await PersonEraser(database: books.service).erase(order(pair.ada))
            #expect(try await books.owner.queryOne(closings, pair.bobs) == 0)
        }
    }

    /// What a try has done is neither looked at nor written again by the next.
    @Test func eachTryGoesOnWhereTheLastStopped() async throws {
        try await LedgerRig().run { _, books in
            let pair = try await Pair(books, payments: 20)
            try await row(of: books, pair.ada)
            var calls = 0
            while try await books.service.queryOne(
                ErasureStatements.eraseTexts,
                pair.ada,
                Int32(4)
            ) == true {
                calls += 1
                if calls == 2 {
                    // Behind the place that is kept: whoever began anew would find it.
                    try await books.owner.execute(touchLines, pair.bob)
                }
            }
            #expect(calls >= 6)
            let touched = try await books.owner.query(linesOf, pair.bob)
            #expect(touched.contains("touched"))
            // All over again, as nobody does: what is as it should be is not written.
            try await books.owner.execute(untouchLines, pair.bob)
            let first = try await books.owner.query(versions, pair.bob)
            try await books.owner.execute(beginAnew, pair.ada)
            try await PersonEraser(database: books.service).erase(order(pair.ada))
            let second = try await books.owner.query(versions, pair.bob)
            #expect(first == second && !first.isEmpty)
        }
    }

    @Test func importsGoByTheChunk() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let bob = try await books.person()
            for user in [ada, bob] {
                let account = try await books.account(of: user)
                try await books.owner.execute(insertImport, user, account)
                try await books.owner.execute(insertRead, user)
                try await books.owner.execute(insertTaken, user)
            }
            try await row(of: books, ada)
            var calls = 0
            while try await books.service.queryOne(
                ErasureStatements.eraseImports,
                ada,
                Int32(3)
            ) == true {
                calls += 1
            }
            #expect(calls == 8)
            let left = try await books.owner.query(importRows)
            #expect(left == [0, 25])
        }
    }

    /// No version is written from what was read before the name went: both hold the balance.
    @Test func theOtherSideIsNotWrittenWhileItsAccountIsHeld() async throws {
        try await LedgerRig().run { _, books in
            let pair = try await Pair(books, payments: 3)
            try await row(of: books, pair.ada)
            let held = pair.bobs
            let refusal = try await books.owner.transaction { transaction in
                try await transaction.execute(holdBalance, held)
                do {
                    _ = try await books.service.transaction { other in
                        try other.setLockTimeout(milliseconds: 100)
                        return try await other.queryOne(
                            ErasureStatements.eraseTexts,
                            pair.ada,
                            Int32(10)
                        )
                    }
                    return SQLState?.none
                } catch DatabaseError.server(let error) {
                    return error.sqlState
                }
            }
            #expect(refusal == .lockNotAvailable)
            try await PersonEraser(database: books.service).erase(order(pair.ada))
            let lines = try await books.owner.query(linesOf, pair.bob)
            #expect(lines.filter { $0 == "Deleted user" }.count == 4)
        }
    }

    /// Behind a lock that is waited for, others would wait: it is the saga that comes again.
    @Test func agreementWaitsForNoAccountInUse() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada)
            try await books.owner.execute(insertBalance, account)
            let waited = try await books.owner.transaction { transaction in
                try await transaction.execute(holdBalance, account)
                let begun = monotonicNanoseconds()
                await #expect(throws: DatabaseError.self) {
                    _ = try await books.service.queryOne(
                        ErasureStatements.agree,
                        ID<Erasure>.new(),
                        ada
                    )
                }
                return monotonicNanoseconds() - begun
            }
            #expect(waited < 4_000_000_000)
            let isAgreed = try await books.service.queryOne(
                ErasureStatements.agree,
                ID<Erasure>.new(),
                ada
            )
            #expect(isAgreed == true)
        }
    }

    /// From the agreement on the number is nobody's, as one that never was.
    @Test func nobodyPaysToWhoGoes() async throws {
        try await LedgerRig().run { _, books in
            let pair = try await Pair(books, payments: 0)
            let registry = try IBANRegistry.shared()
            let iban = try registry.make(country: "DE", bankCode: "99999999", accountNumber: 7)
            try await books.owner.execute(setNumber, pair.adas, iban.text)
            func find(_ number: String) async throws -> Parties {
                try await Parties.find(
                    from: pair.bobs,
                    toAccount: nil,
                    toIBAN: number,
                    for: pair.bob,
                    in: books.service,
                    registry
                )
            }
            let before = try await find(iban.text)
            #expect(before.to.id == pair.adas)
            // All goes out, or the accounts would not close.
            let emptied = try await books.service.post([
                .transfer(1_002, from: pair.adas, to: pair.bobs, by: pair.ada)
            ])
            #expect(emptied.map(\.status) == [.posted])
            let isAgreed = try await books.service.queryOne(
                ErasureStatements.agree,
                ID<Erasure>.new(),
                pair.ada
            )
            #expect(isAgreed == true)
            let unknown = try registry.make(country: "DE", bankCode: "99999999", accountNumber: 8)
            for number in [iban.text, unknown.text] {
                await #expect(throws: APIError(.unknownIBAN)) { _ = try await find(number) }
            }
            // Whoever asked a moment before comes too late.
            let late = try await books.service.post([
                .transfer(1, from: pair.bobs, to: pair.adas, by: pair.bob)
            ])
            #expect(late.map(\.status) == [.accountClosed])
            try await PersonEraser(database: books.service).erase(order(pair.ada))
            await #expect(throws: APIError(.unknownIBAN)) { _ = try await find(iban.text) }
        }
    }

    /// A transfer to whoever is erased since can be asked about by its key, and its quote is read.
    @Test func whoIsErasedHasAnEmptyName() async throws {
        try await LedgerRig().run { _, books in
            let pair = try await Pair(books, payments: 0)
            let key = "key of Bob"
            let bob = pair.bob
            var posting = Posting.transfer(1, from: pair.bobs, to: pair.adas, by: bob, key: key)
            posting.counterName = "Bob"
            let made = try await books.service.post([posting])
            try await PersonEraser(database: books.service).erase(order(pair.ada))
            let account = try await books.service.queryOne(
                AccountStatements.named,
                [pair.adas],
                [String]()
            )?.reference
            #expect(account?.name == "" && account?.ownerName == "")
            let operation = try #require(posting.operation)
            let posted = try await books.service.queryOne(
                TransferStatements.posted,
                operation.id
            )
            #expect(posted?.transfer == made[0].transfer)
            #expect(posted?.request == operation.request)
        }
    }
}

private let setNumber = Statement<Void>("update ledger.account set iban = $2 where id = $1")
private let linesOf = Statement(
    "select coalesce(name, '–') from ledger.money_transaction where user_id = $1"
) { row in try row.string(0) }
private let textsOf = Statement(
    """
    select (select count(*) from ledger.money_transaction
            where user_id = $1 and (name is not null or description is not null))
        + (select count(*) from ledger.transfer_terms where reference is not null)
    """
) { row in try row.int64(0) }
private let closings = Statement(
    "select count(*) from ledger.report_closing where account_id = $1"
) { row in try row.int64(0) }
private let versions = Statement(
    """
    select xmin::text || ' ' || id from ledger.money_transaction where user_id = $1 order by id
    """
) { row in try row.string(0) }
private let touchLines = Statement<Void>(
    """
    update ledger.money_transaction set name = 'touched'
    where user_id = $1 and name = 'Deleted user'
    """
)
private let untouchLines = Statement<Void>(
    """
    update ledger.money_transaction set name = 'Deleted user'
    where user_id = $1 and name = 'touched'
    """
)
private let beginAnew = Statement<Void>(
    """
    update ledger.erased_user
    set texts_ended = false, texts_day = null, texts_id = null, texts_done_at = null
    where user_id = $1
    """
)
private let insertImport = Statement<Void>(
    """
    insert into ledger.statement_import
        (id, user_id, account_id, format, row_count, duplicate_count, faults)
    values (gen_random_uuid(), $1, $2, 'ofx', 12, 0, '[]')
    """
)
private let insertRead = Statement<Void>(
    """
    insert into ledger.import_row
        (import_id, place, line, day, amount, name, fingerprint, occurrence)
    select id, n, n, '2024-01-01', 1, 'a row', decode(md5(n::text), 'hex'), 0
    from ledger.statement_import, generate_series(1, 12) n
    where user_id = $1
    """
)
private let insertTaken = Statement<Void>(
    """
    insert into ledger.imported_row (account_id, fingerprint, occurrence, import_id, place, day,
        amount, transaction_id)
    select account_id, decode(md5(n::text), 'hex'), 0, id, n, '2024-01-01', 1, gen_random_uuid()
    from ledger.statement_import, generate_series(1, 12) n
    where user_id = $1
    """
)
/// Of two people: of the first nothing is left.
private let importRows = Statement(
    """
    select (select count(*) from ledger.import_row where import_id = one.id)
        + (select count(*) from ledger.imported_row where import_id = one.id)
        + count(one.id)
    from ledger.person
    left join ledger.statement_import as one on one.user_id = person.user_id
    group by person.user_id, one.id
    order by 1
    """
) { row in try row.int64(0) }
private let holdBalance = Statement<Void>(
    "select from ledger.balance where account_id = $1 for update"
)
private let insertBalance = Statement<Void>(
    """
    insert into ledger.balance (account_id, user_id, kind, currency, exponent, state)
    select id, user_id, kind, currency, exponent, state from ledger.account where id = $1
    on conflict do nothing
    """
)
