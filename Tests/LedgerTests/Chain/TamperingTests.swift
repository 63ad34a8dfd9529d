import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Whatever a superuser changes in the books, verifying finds it.
@Suite struct TamperingTests {
    @Test(arguments: [UInt64.random(in: 0...UInt64.max)])
    func everyColumnOfEveryRowIsHeld(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            let rig = try await tampered(books)
            var random = SeededGenerator(seed: seed)
            for column in try await books.owner.query(columns) {
                var found = 0
                // Most numbers beside one are taken where a column is unique.
                for _ in 0..<150 where found < 3 {
                    let roll = Int32.random(in: 0...1_000_000, using: &random)
                    let what = try await books.owner.queryOne(
                        change,
                        column.place,
                        column.name,
                        column.kind,
                        roll
                    )
                    guard let what = what ?? nil else { continue }
                    found += 1
                    let verification = try await rig.verify()
                    #expect(!verification.isIntact, "seed \(seed): \(what) was not found")
                    _ = try await books.owner.queryOne(restore)
                }
                #expect(found > 0, "\(column.place).\(column.name) could not be changed")
            }
            let good = try await rig.verify()
            #expect(good.isIntact, "\(String(describing: good.fault))")
        }
    }

    @Test(arguments: [UInt64.random(in: 0...UInt64.max)])
    func rowsTakenAwayAddedOrExchangedAreFound(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            let rig = try await tampered(books)
            let head = try #require(try await rig.verify().head)
            let places = [
                "entry", "further_movement", "balance", "money_transaction", "transaction_line",
                "transfer_terms", "chain_block", "chain_key", "journal_sum",
            ]
            var random = SeededGenerator(seed: seed)
            for place in places {
                for kind in ["delete", "copy", "swap"] {
                    for _ in 0..<4 {
                        let roll = Int32.random(in: 0...1_000_000, using: &random)
                        let what = try await books.owner.queryOne(rob, place, kind, roll)
                        guard let what = what ?? nil else { continue }
                        let verification = try await rig.verify(saved: head)
                        #expect(!verification.isIntact, "seed \(seed): \(what) was not found")
                        _ = try await books.owner.queryOne(restore)
                    }
                }
            }
            let good = try await rig.verify(saved: head)
            #expect(good.isIntact, "\(String(describing: good.fault))")
        }
    }

    @Test func aCutTailIsFoundByAHead() async throws {
        try await LedgerRig().run { _, books in
            let rig = try ChainRig(books)
            for _ in 0..<3 {
                _ = try await books.history()
                try await rig.seal()
            }
            let head = try #require(try await rig.verify().head)
            try await books.owner.execute(cutSums)
            try await books.owner.execute(cutBlocks)
            // The sealer makes another tail, with which all agrees but the head.
            try await rig.seal()
            let alone = try await rig.verify()
            #expect(alone.isIntact, "\(String(describing: alone.fault))")
            let held = try await rig.verify(saved: head)
            #expect(held.fault?.table == "ledger.chain_block")
        }
    }

    @Test func theWrongRowIsNamed() async throws {
        try await LedgerRig().run { _, books in
            let rig = try await tampered(books)
            let cases: [(Statement<String>, String)] = [
                (wrongBalance, "ledger.balance"), (wrongHeld, "ledger.balance"),
                (wrongBlock, "ledger.chain_block"), (wrongWords, "ledger.money_transaction"),
                (wrongSum, "ledger.journal_sum"), (wrongEnd, "ledger.money_transaction"),
            ]
            for (statement, table) in cases {
                let row = try await books.owner.queryOne(statement)
                let fault = try await rig.verify().fault
                #expect(fault?.table == table)
                #expect(fault?.row.contains(row ?? "?") == true, "\(String(describing: fault))")
                _ = try await books.owner.queryOne(restore)
            }
        }
    }

    @Test func ofSeveralWrongRowsTheFirstIsNamed() async throws {
        try await LedgerRig().run { _, books in
            let rig = try await tampered(books)
            let cases = [
                (wrongBalances, "ledger.balance"), (wrongMovements, "ledger.entry"),
                (straySums, "ledger.journal_sum"), (wrongSums, "ledger.journal_sum"),
            ]
            for (statement, table) in cases {
                for rises in [false, true] {
                    let rows = try await books.owner.query(statement, rises)
                    let first = try #require(rows.first)
                    #expect(rows.count > 1)
                    let fault = try await rig.verify().fault
                    #expect(fault?.table == table && fault?.row == first, "\(rows)")
                    _ = try await books.owner.queryOne(restore)
                }
            }
        }
    }

    /// What was just posted stands in no block for a moment: the balances hold it by then.
    @Test func moneyThatIsInNoBlockYetIsHeldByTheBalances() async throws {
        try await LedgerRig().run { _, books in
            let rig = try await tampered(books, leavingSome: true)
            let isCut = try await books.owner.queryOne(unsealed)
            #expect(isCut == true)
            for statement in [wrongAmount, wrongDebit, wrongCredit, wrongCurrency, lostMovement] {
                let row = try await books.owner.queryOne(statement)
                #expect(row != nil)
                let verification = try await rig.verify()
                #expect(!verification.isIntact, "\(statement.sql)")
                _ = try await books.owner.queryOne(restore)
            }
            let after = try await rig.verify()
            #expect(after.isIntact, "\(String(describing: after.fault))")
        }
    }

    @Test func whichHoldAnEntryEndedIsFound() async throws {
        try await LedgerRig().run { _, books in
            let rig = try ChainRig(books)
            _ = try await books.history()
            try await rig.seal()
            for state in ["posted", "voided", "expired"] {
                let before = try await rig.verify()
                #expect(before.isIntact, "\(String(describing: before.fault))")
                let exchanged = try await books.owner.query(exchangeEnds, state)
                #expect(exchanged.count == 2)
                let robbed = try await rig.verify()
                #expect(robbed.fault?.table == "ledger.entry", "\(String(describing: robbed))")
                _ = try await books.owner.query(exchangeEnds, state)
            }
            let after = try await rig.verify()
            #expect(after.isIntact, "\(String(describing: after.fault))")
        }
    }

    /// Sealed books, and what a superuser can do to them.
    private func tampered(
        _ books: Books,
        leavingSome isCut: Bool = false
    ) async throws -> ChainRig {
        let rig = try ChainRig(books)
        _ = try await books.history(people: 3)
        try await rig.seal()
        _ = try await books.history(people: 2)
        if !isCut { try await rig.seal() }
        let verification = try await rig.verify()
        #expect(verification.isIntact, "\(String(describing: verification.fault))")
        let name = try #require(try await books.owner.queryOne(databaseName))
        try await PostgresCluster.shared().administer(ledgerTampering, in: name)
        return rig
    }
}

private let databaseName = Statement("select current_database()::text") { try $0.string(0) }
private let columns = Statement("select place, name, kind from public.columns()") { row in
    try (place: row.string(0), name: row.string(1), kind: row.string(2))
}
private let change = Statement("select public.change($1, $2, $3, $4)") { row in
    try row.value(0, as: String?.self)
}
private let rob = Statement("select public.rob($1, $2, $3)") { row in
    try row.value(0, as: String?.self)
}
private let restore = Statement("select public.restore_books() is null") { try $0.bool(0) }
/// Of two holds that ended in the same way; the unique key allows no step between.
private let exchangeEnds = Statement(
    """
    with two as (
        delete from ledger.transfer_terms as held
        where id = any (array(
            select id from ledger.transfer_terms
            where ended_by is not null and state = $1
            order by id
            limit 2))
        returning id, ended_by, held as whole
    )
    insert into ledger.transfer_terms
    select (jsonb_populate_record(one.whole, jsonb_build_object('ended_by', other.ended_by))).*
    from two as one
    join two as other on other.id <> one.id
    returning id::text
    """
) { try $0.string(0) }
private let unsealed = Statement(
    """
    select count(*) > 3 from ledger.entry
    where amount is not null
        and place >= (select max(number_below) from ledger.chain_block)
    """
) { try $0.bool(0) }
private let wrongAmount = Statement(
    """
    update ledger.entry set amount = amount + 1
    where place = (select max(place) from ledger.entry where amount is not null)
    returning id::text
    """
) { try $0.string(0) }
private let wrongDebit = Statement(
    """
    update ledger.entry as wrong set debit_account = other.id, debit_seq = 1000000
    from ledger.account as other
    where wrong.place = (select max(place) from ledger.entry where amount is not null)
        and other.user_id is not null
        and other.currency = wrong.currency
        and other.id not in (wrong.debit_account, wrong.credit_account)
    returning wrong.id::text
    """
) { try $0.string(0) }
private let wrongCredit = Statement(
    """
    update ledger.entry as wrong set credit_account = other.id, credit_seq = 1000000
    from ledger.account as other
    where wrong.place = (select max(place) from ledger.entry where amount is not null)
        and other.user_id is not null
        and other.currency = wrong.currency
        and other.id not in (wrong.debit_account, wrong.credit_account)
    returning wrong.id::text
    """
) { try $0.string(0) }
private let wrongCurrency = Statement(
    """
    update ledger.entry set currency = 'XXX'
    where place = (select max(place) from ledger.entry where amount is not null)
    returning id::text
    """
) { try $0.string(0) }
private let lostMovement = Statement(
    """
    delete from ledger.entry
    where place = (select max(place) from ledger.entry where amount is not null)
    returning id::text
    """
) { try $0.string(0) }
private let cutSums = Statement<Void>(
    """
    delete from ledger.journal_sum
    where height = (select max(height) from ledger.chain_block)
    """
)
private let cutBlocks = Statement<Void>(
    """
    delete from ledger.chain_block
    where height = (select max(height) from ledger.chain_block)
    """
)
private let wrongBalance = Statement(
    """
    update ledger.balance set amount = amount + 1
    where account_id = (select min(account_id::text)::uuid from ledger.balance)
    returning account_id::text
    """
) { try $0.string(0) }
/// The wrong rows in their order; `$1` says in which they are written.
private let wrongBalances = Statement(
    """
    with wrong as (
        update ledger.balance set amount = amount + 1
        where account_id = any (array(
            select account_id from ledger.balance
            order by case when $1 then account_id end, account_id desc
            limit 5))
        returning account_id
    )
    select account_id::text from wrong order by 1
    """
) { try $0.string(0) }
private let wrongMovements = Statement(
    """
    with wrong as (
        update ledger.entry set amount = amount + 1
        where $1 is not null and id = any (array(
            select id from ledger.entry where amount is not null order by random() limit 5))
        returning id, place
    )
    select id::text from wrong order by place
    """
) { try $0.string(0) }
private let straySums = Statement(
    """
    with newest as (
        select distinct on (account_id) account_id, currency, amount
        from ledger.journal_sum order by account_id, height desc
    ), stray as (
        insert into ledger.journal_sum (account_id, height, currency, amount)
        select account_id, 1000 + row_number() over (order by account_id), currency, amount
        from newest order by case when $1 then account_id end, account_id desc
        returning account_id, height
    )
    select account_id || ' ' || height from stray order by height
    """
) { try $0.string(0) }
private let wrongSums = Statement(
    """
    with fullest as (
        select height from ledger.journal_sum group by height order by count(*) desc limit 1
    ), wrong as (
        update ledger.journal_sum as sum set amount = sum.amount + 1
        from (
            select account_id, height from ledger.journal_sum
            where height = (select height from fullest)
            order by case when $1 then account_id end, account_id desc
            limit 5
        ) as chosen
        where sum.account_id = chosen.account_id and sum.height = chosen.height
        returning sum.account_id, sum.height
    )
    select account_id || ' ' || height from wrong order by 1
    """
) { try $0.string(0) }
private let wrongHeld = Statement(
    """
    update ledger.balance set held = held + 1
    where account_id = (select max(account_id::text)::uuid from ledger.balance)
    returning account_id::text
    """
) { try $0.string(0) }
private let wrongBlock = Statement(
    """
    update ledger.chain_block set entry_count = entry_count + 1 where height = 2
    returning height::text
    """
) { try $0.string(0) }
private let wrongWords = Statement(
    """
    update ledger.money_transaction set name = 'other'
    where id = (
        select min(id::text)::uuid from ledger.money_transaction where name = 'a record')
    returning id::text
    """
) { try $0.string(0) }
private let wrongSum = Statement(
    """
    update ledger.journal_sum set amount = amount + 1
    where (account_id, height) = (select account_id, height from ledger.journal_sum limit 1)
    returning account_id::text
    """
) { try $0.string(0) }
private let wrongEnd = Statement(
    """
    update ledger.money_transaction set reversed_by = gen_random_uuid()
    where id = (
        select min(id::text)::uuid from ledger.money_transaction where reversed_by is null)
    returning id::text
    """
) { try $0.string(0) }
