import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Transfers across currencies as the database sees them: no quote makes money.
@Suite struct QuoteTests {
    /// A quote in the database; without amounts it fixes the rate alone.
    private func quote(
        _ books: Books,
        of user: ID<User>,
        from: ID<Account>,
        to: ID<Account>,
        _ amounts: (debit: Int64, credit: Int64)?,
        at rate: ExchangeRate?,
        seconds: Int64 = 60
    ) async throws -> ID<Quote> {
        let id = ID<Quote>.new()
        let stored = rate.map(StoredRate.init)
        try await books.service.execute(
            TransferStatements.insertQuote,
            id,
            user,
            from,
            to,
            nil as String?,
            amounts?.debit,
            amounts?.credit,
            stored?.numerator,
            stored?.denominator,
            stored?.day,
            stored?.publisher,
            Instant.now().adding(seconds: seconds)
        )
        return id
    }

    private func transfer(
        _ quote: ID<Quote>,
        from: ID<Account>,
        to: ID<Account>,
        by user: ID<User>,
        _ amounts: (debit: Int64, credit: Int64)? = nil
    ) -> Posting {
        var posting = Posting.transfer(0, from: from, to: to, by: user)
        posting.amount = amounts?.debit
        posting.counterAmount = amounts?.credit
        posting.currency = nil
        posting.quote = quote
        return posting
    }

    private func rate(_ source: Currency, _ target: Currency) throws -> ExchangeRate {
        try RateStore.shared.history().required(from: source, to: target, on: .utc(.now()))
    }

    @Test func aThousandRoundTripsOfTwoCentsMakeNothing() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let euro = try await books.account(of: ada, holding: 10_000)
            let yen = try await books.account(of: ada, .current, .jpy)
            let (there, back) = try (rate(.eur, .jpy), rate(.jpy, .eur))
            let credit = try there.credit(for: 2)
            let home = try back.credit(for: credit)
            #expect(credit > 0)
            #expect(home <= 2)
            for _ in 0..<10 {
                var batch: [Posting] = []
                for _ in 0..<100 {
                    let out = try await quote(
                        books,
                        of: ada,
                        from: euro,
                        to: yen,
                        (2, credit),
                        at: there
                    )
                    batch.append(transfer(out, from: euro, to: yen, by: ada))
                    // What comes back as nothing is refused; then the yen stay where they are.
                    guard home > 0 else { continue }
                    let again = try await quote(
                        books,
                        of: ada,
                        from: yen,
                        to: euro,
                        (credit, home),
                        at: back
                    )
                    batch.append(transfer(again, from: yen, to: euro, by: ada))
                }
                let outcomes = try await books.service.post(batch)
                #expect(outcomes.allSatisfy { $0.status == .posted })
            }
            let left = try await books.balance(euro)
            let held = try await books.balance(yen)
            #expect(left == 10_000 - 1_000 * (2 - home))
            #expect(held == (home > 0 ? 0 : 1_000 * credit))
            try await books.check()
        }
    }

    @Test func aTransferKeepsTheRateItsDayAndWhoPublishedIt() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let euro = try await books.account(of: ada, holding: 10_000)
            let dinar = try await books.account(of: ada, .current, .kwd)
            let rate = try madeUp(.eur, .kwd)
            let amounts = (debit: Int64(100), credit: try rate.credit(for: 100))
            let id = try await quote(books, of: ada, from: euro, to: dinar, amounts, at: rate)
            let posting = transfer(id, from: euro, to: dinar, by: ada)
            let outcomes = try await books.service.post([posting])
            #expect(outcomes.map(\.status) == [.posted])
            let found = try await books.service.queryOne(
                TransferStatements.find,
                ada,
                [try #require(outcomes.first?.transfer)]
            )
            let kept = try #require(found?.rate)
            #expect(kept.numerator == rate.numerator && kept.denominator == rate.denominator)
            #expect(kept.day == rate.day && kept.publisher == "Elsewhere")
        }
    }

    @Test func aQuoteIsUsedOnceInOneCallAndInTwo() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let euro = try await books.account(of: ada, holding: 10_000)
            let yen = try await books.account(of: ada, .current, .jpy)
            let rate = try rate(.eur, .jpy)
            let credit = try rate.credit(for: 100)
            let once = try await quote(
                books,
                of: ada,
                from: euro,
                to: yen,
                (100, credit),
                at: rate
            )
            let outcomes = try await books.service.post([
                transfer(once, from: euro, to: yen, by: ada),
                transfer(once, from: euro, to: yen, by: ada),
            ])
            #expect(outcomes.map(\.status) == [.posted, .quoteUsed])
            let later = try await books.service.post([
                transfer(once, from: euro, to: yen, by: ada)
            ])
            #expect(later.map(\.status) == [.quoteUsed])
            let raced = try await quote(
                books,
                of: ada,
                from: euro,
                to: yen,
                (100, credit),
                at: rate
            )
            let bound = LoopBound(books, to: actor)
            let tally = Tally()
            await atOnce(5, on: actor) { actor, _ in
                do {
                    var posting = Posting.transfer(0, from: euro, to: yen, by: ada)
                    posting.amount = nil
                    posting.currency = nil
                    posting.quote = raced
                    let made = posting
                    let outcomes = try await bound.on(actor).service.transaction {
                        try await $0.post([made])
                    }
                    #expect([.posted, .quoteUsed].contains(outcomes[0].status))
                    if outcomes[0].status == .posted { tally.count += 1 }
                } catch { Issue.record("\(error)") }
            }
            #expect(tally.count == 1)
            #expect(try await books.balance(yen) == 2 * credit)
            try await books.check()
        }
    }

    @Test func whoeverTheQuoteIsNotForCannotUseIt() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let bob = try await books.person()
            let euro = try await books.account(of: ada, holding: 10_000)
            let yen = try await books.account(of: ada, .current, .jpy)
            let more = try await books.account(of: ada, .current, .jpy)
            let theirs = try await books.account(of: bob, .current, .eur, holding: 10_000)
            let rate = try rate(.eur, .jpy)
            let amounts = (debit: Int64(100), credit: try rate.credit(for: 100))
            let mine = try await quote(books, of: ada, from: euro, to: yen, amounts, at: rate)
            let old = try await quote(
                books,
                of: ada,
                from: euro,
                to: yen,
                amounts,
                at: rate,
                seconds: -1
            )
            let outcomes = try await books.service.post([
                transfer(mine, from: euro, to: more, by: ada),
                transfer(mine, from: theirs, to: yen, by: bob),
                transfer(mine, from: euro, to: yen, by: bob),
                transfer(.new(), from: euro, to: yen, by: ada),
                transfer(old, from: euro, to: yen, by: ada),
            ])
            #expect(
                outcomes.map(\.status) == [
                    .quoteMismatch, .quoteMismatch, .forbidden, .quoteNotFound, .quoteExpired,
                ]
            )
            #expect(try await books.balance(euro) == 10_000)
        }
    }

    /// Whatever the service works out: the rate is what the database holds it to.
    @Test func noAmountsAreBetterThanTheRate() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let euro = try await books.account(of: ada, holding: 10_000)
            let yen = try await books.account(of: ada, .current, .jpy, holding: 10_000)
            let dinar = try await books.account(of: ada, .current, .kwd)
            for (from, to, rate) in try [
                (euro, yen, rate(.eur, .jpy)), (yen, euro, rate(.jpy, .eur)),
                (euro, dinar, madeUp(.eur, .kwd)), (dinar, euro, madeUp(.kwd, .eur)),
            ] {
                if from == dinar {
                    _ = try await books.service.post([.record(9_999, .kwd, on: dinar, by: ada)])
                }
                let credit = try rate.credit(for: 777)
                let free = try await quote(books, of: ada, from: from, to: to, nil, at: rate)
                let generous = try await books.service.post([
                    transfer(free, from: from, to: to, by: ada, (777, credit + 1))
                ])
                #expect(generous.map(\.status) == [.quoteMismatch])
                let exact = try await books.service.post([
                    transfer(free, from: from, to: to, by: ada, (777, credit))
                ])
                #expect(exact.map(\.status) == [.posted])
                let wrong = try await quote(
                    books,
                    of: ada,
                    from: from,
                    to: to,
                    (777, credit + 1),
                    at: rate
                )
                let refused = try await books.service.post([
                    transfer(wrong, from: from, to: to, by: ada)
                ])
                #expect(refused.map(\.status) == [.quoteMismatch])
            }
            try await books.check()
        }
    }

    /// Between currencies of two and of three digits.
    private func madeUp(_ source: Currency, _ target: Currency) throws -> ExchangeRate {
        try #require(
            ExchangeRate(
                from: source,
                to: target,
                numerator: 417,
                denominator: 1_003,
                day: someDay,
                publisher: "Elsewhere"
            )
        )
    }
}
