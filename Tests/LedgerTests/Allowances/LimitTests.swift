import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What the posting function lets a child spend, at the limit.
@Suite struct LimitTests {
    private struct Case {
        let books: Books
        let child: ID<User>
        let purse: ID<Account>
        let sweets: CategoryID

        init(_ books: Books) async throws {
            self.books = books
            child = try await books.person()
            purse = try await books.purse(of: child, holding: 10_000)
            sweets = try await books.category(of: child, "Sweets")
        }

        func spending(_ amount: Int64, _ category: CategoryID? = nil) -> Posting {
            .spending(amount, on: purse, by: child, in: category)
        }

        func post(_ postings: Posting...) async throws -> [PostingStatus] {
            try await books.service.post(postings).map(\.status)
        }
    }

    @Test func theLastCentIsSpentAndNoneBehindIt() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(one.sweets, 100)])
            let first = one.spending(60, one.sweets)
            let rest = (one.spending(41, one.sweets), one.spending(40, one.sweets))
            let statuses = try await one.post(first, rest.0, rest.1)
            #expect(statuses == [.posted, .limitExceeded, .posted])
            #expect(try await one.post(one.spending(1, one.sweets)) == [.limitExceeded])
            // Others are free, and so is what comes in.
            #expect(try await one.post(one.spending(5_000)) == [.posted])
            // Whatever its date, it leaves now.
            for days in [-3_000, -31, 31, 8_000] {
                var other = one.spending(1, one.sweets)
                other.day = someDay.adding(days: days)
                #expect(try await one.post(other) == [.limitExceeded])
            }
            var income = Posting.record(5, on: one.purse, by: one.child)
            income.category = one.sweets
            #expect(try await one.post(income) == [.posted])
            // What is taken back is there again.
            let back = try Posting.reversal(
                of: #require(first.transaction),
                on: one.purse,
                by: one.child
            )
            #expect(try await one.post(back) == [.posted])
            #expect(
                try await one.post(one.spending(61, one.sweets), one.spending(60, one.sweets))
                    == [.limitExceeded, .posted]
            )
            try await books.check()
        }
    }

    @Test func everythingIsLimitedToo() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            let wallet = try await books.account(of: one.child, .wallet)
            try await books.limit(one.purse, [(nil, 100), (one.sweets, 500)])
            let out = Posting.transfer(50, from: one.purse, to: wallet, by: one.child)
            #expect(
                try await one.post(one.spending(30), out, one.spending(21, one.sweets))
                    == [.posted, .posted, .limitExceeded]
            )
            let back = Posting.transfer(50, from: wallet, to: one.purse, by: one.child)
            #expect(try await one.post(back, one.spending(21)) == [.posted, .limitExceeded])
            // By another account nobody is limited.
            #expect(
                try await one.post(.record(-900, on: wallet, by: one.child)) == [.posted]
            )
            let opened = Posting.deposit(21, from: one.purse, named: "x", by: one.child)
            #expect(try await one.post(opened, one.spending(20)) == [.limitExceeded, .posted])
            try await books.check()
        }
    }

    @Test func whatIsHeldIsSpentWhenItIsCaptured() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            let wallet = try await books.account(of: one.child, .wallet)
            try await books.limit(one.purse, [(nil, 10)])
            var hold = Posting(.hold, .init(of: one.child), by: one.child, on: one.purse)
            hold.counter = wallet
            (hold.amount, hold.currency, hold.day) = (7, .eur, someDay)
            (hold.transaction, hold.counterTransaction) = (.new(), .new())
            hold.transfer = .new()
            hold.expires = Instant.now().adding(seconds: 60)
            func capture() -> Posting {
                var posting = Posting(.capture, .init(of: one.child), by: one.child, on: one.purse)
                posting.counter = wallet
                (posting.transfer, posting.day) = (hold.transfer, someDay)
                return posting
            }
            let spent = one.spending(4)
            #expect(try await one.post(hold, spent) == [.posted, .posted])
            #expect(try await one.post(capture()) == [.limitExceeded])
            let back = Posting.reversal(
                of: try #require(spent.transaction),
                on: one.purse,
                by: one.child
            )
            #expect(try await one.post(back) == [.posted])
            #expect(try await one.post(capture(), one.spending(4)) == [.posted, .limitExceeded])
            try await books.check()
        }
    }

    @Test func aLimitThatIsLoweredRefusesWhatComesBehind() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            let spent = one.spending(50, one.sweets)
            #expect(try await one.post(spent) == [.posted])
            try await books.limit(one.purse, [(one.sweets, 30)])
            #expect(try await one.post(one.spending(1, one.sweets)) == [.limitExceeded])
            // Words are free, and less is welcome; more is not.
            var row = try #require(try await books.row(spent))
            row.name = "candy"
            let words = Posting(revising: row, .init(of: one.child), by: one.child)
            #expect(try await one.post(words) == [.posted])
            for (amount, status) in [(-51, .limitExceeded), (-40, .posted), (-40, .posted)]
                as [(Int64, PostingStatus)]
            {
                var row = try #require(try await books.row(spent))
                var reversal = Posting(reversing: row, .init(of: one.child), by: one.child)
                row.amount = amount
                var record = Posting(recordingAnew: row, nil, by: one.child)
                (reversal.chain, record.chain) = (1, 1)
                let first: PostingStatus = status == .posted ? .posted : .chainFailed
                #expect(try await one.post(reversal, record) == [first, status])
            }
            #expect(try await books.balance(one.purse) == 9_960)
        }
    }

    @Test func aCategoryThatGoesTakesWhatIsInItToOthers() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            let others = try await books.others(of: one.child)
            #expect(try await one.post(one.spending(50, one.sweets)) == [.posted])
            let contents = CategoryContents(category: one.sweets, owner: one.child)
            try await books.limit(one.purse, [(others, 10), (one.sweets, 60)])
            await #expect(throws: APIError(.categoryLimited)) {
                try await contents.remove(deleting: true, ifMatch: nil, in: books.service)
            }
            try await books.limit(one.purse, [(others, 10)])
            try await contents.remove(deleting: false, ifMatch: nil, in: books.service)
            #expect(try await books.spent(one.purse, in: others) == 50)
            #expect(try await books.spent(one.purse) == 50)
            #expect(try await one.post(one.spending(1)) == [.limitExceeded])
        }
    }

    @Test func aWalletHasNoLimits() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(nil, 0)])
            #expect(try await one.post(one.spending(1)) == [.limitExceeded])
            _ = try await books.service.queryOne(
                AllowanceStatements.release,
                one.purse,
                "Default 2",
                "default 2"
            )
            #expect(try await one.post(one.spending(1)) == [.posted])
            #expect(try await books.count(limitCount) == 0)
            let late = try await books.service.queryOne(
                LimitStatements.set,
                one.purse,
                [CategoryID?.none],
                [Int64(0)],
                Int64?.some(0)
            )
            #expect(late == false)
        }
    }

    @Test func whoIsErasedHasNoLimits() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(nil, 0), (one.sweets, 5)])
            try await books.service.transaction { transaction in
                let (erase, moment) = (ErasureStatements.erasePerson, Instant.now())
                try await transaction.execute(erase, one.child, moment)
            }
            #expect(try await books.count(limitCount) == 0)
        }
    }

    /// Calls at once, on connections of their own, each of which sees room alone.
    @Test func whatIsSpentAtOnceStaysWithinTheLimitTogether() async throws {
        try await LedgerRig().run { actor, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(one.sweets, 100)])
            let bound = LoopBound(books, to: actor)
            let (purse, child, sweets) = (one.purse, one.child, one.sweets)
            let spenders = (0..<6).map { _ in
                actor.spawn { actor in
                    for _ in 0..<10 {
                        let posting = Posting.spending(7, on: purse, by: child, in: sweets)
                        _ = try? await bound.on(actor).service.post([posting])
                    }
                }
            }
            for spender in spenders { await spender.value }
            #expect(try await books.balance(one.purse) == 10_000 - 98)
            try await books.check()
        }
    }
}

private let limitCount = Statement("select count(*) from ledger.allowance_limit") { row in
    try row.int64(0)
}
