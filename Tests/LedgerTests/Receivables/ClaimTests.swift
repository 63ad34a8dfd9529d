import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What the posting function makes of claims, rule by rule.
@Suite struct ClaimTests {
    private struct Cast {
        let books: Books
        let ada: ID<User>
        let purse: ID<Account>
        let owed: ID<Account>
        let food: CategoryID

        init(_ books: Books, _ kind: AccountKind = .current) async throws {
            self.books = books
            ada = try await books.person()
            purse =
                kind == .allowance
                ? try await books.purse(of: ada, holding: 1_000)
                : try await books.account(of: ada, kind, holding: 1_000)
            owed = try await books.receivable(of: ada)
            food = try await books.category(of: ada, "Food")
        }

        func claim(_ claim: Int64, share: Int64) -> Posting {
            .claim(claim, share: share, on: purse, owed: owed, by: ada, in: food)
        }

        func post(_ posting: Posting) async throws -> PostingStatus? {
            try await books.service.post([posting]).first?.status
        }
    }

    @Test func claimCountsAgainstLimitsAndApproval() async throws {
        try await LedgerRig().run { _, books in
            let cast = try await Cast(books, .allowance)
            try await books.limit(cast.purse, [(cast.food, 180)], approvalAbove: 200)
            #expect(try await cast.post(cast.claim(150, share: 20)) == .posted)
            #expect(try await cast.post(cast.claim(5, share: 6)) == .limitExceeded)
            #expect(try await cast.post(cast.claim(201, share: 0)) == .approvalRequired)
            #expect(try await cast.post(cast.claim(31, share: 0)) == .approvalRequired)
            #expect(try await cast.post(cast.claim(30, share: 0)) == .posted)
            #expect(try await books.balance(cast.purse) == 800)
            #expect(try await books.balance(cast.owed) == 180)
            try await books.check()
        }
    }

    @Test func whatIsNoClaimIsRefused() async throws {
        try await LedgerRig().run { _, books in
            let cast = try await Cast(books)
            let ben = try await books.person()
            let theirs = try await books.receivable(of: ben)
            let dollars = try await books.receivable(of: cast.ada, .usd)
            let wallet = try await books.account(of: cast.ada, .wallet)
            var cases: [(PostingStatus, Posting)] = [
                (.invalidElement, cast.claim(80, share: -20)),
                (.invalidElement, cast.claim(-80, share: 20)),
                (.accountKind, .record(-1, on: cast.owed, by: cast.ada)),
                (.accountKind, .transfer(1, from: cast.owed, to: wallet, by: cast.ada)),
                (.accountKind, .transfer(1, from: wallet, to: cast.owed, by: cast.ada)),
            ]
            var posting = cast.claim(80, share: 20)
            posting.lines = [.init(category: cast.food, amount: -100)]
            cases.append((.invalidElement, posting))
            posting.lines = []
            cases.append((.invalidElement, posting))
            posting = cast.claim(80, share: 20)
            posting.claim = nil
            cases.append((.invalidElement, posting))
            for (status, counter) in [
                (PostingStatus.counterNotFound, theirs), (.counterNotFound, dollars),
                (.invalidElement, wallet), (.counterNotFound, .new()),
            ] {
                posting = cast.claim(80, share: 20)
                posting.counter = counter
                cases.append((status, posting))
            }
            posting = .transfer(1, from: wallet, to: cast.purse, by: cast.ada)
            posting.receivable = theirs
            cases.append((.counterNotFound, posting))
            posting = Posting(.opening, .init(of: cast.ada), by: cast.ada, on: cast.owed)
            (posting.amount, posting.currency, posting.day) = (5, .eur, someDay)
            cases.append((.accountKind, posting))
            posting = cast.claim(.max - 5, share: 20)
            cases.append((.invalidAmount, posting))
            for (status, posting) in cases {
                #expect(try await cast.post(posting) == status, "\(posting)")
            }
            #expect(try await books.balance(cast.purse) == 1_000)
            #expect(try await books.balance(cast.owed) == 0)
            try await books.check()
        }
    }

    @Test func aRevisionKeepsTheClaim() async throws {
        try await LedgerRig().run { _, books in
            let cast = try await Cast(books)
            for posting in [
                cast.claim(80, share: 20), cast.claim(80, share: 0), cast.claim(-5, share: 0),
            ] {
                #expect(try await cast.post(posting) == .posted)
                let row = try #require(try await books.row(posting))
                var renamed = Posting(revising: row, .init(of: cast.ada), by: cast.ada)
                renamed.name = "Other"
                #expect(try await cast.post(renamed) == .posted)
                let now = try #require(try await books.row(posting))
                #expect(now.claim == row.claim && now.lines == row.lines && now.name == "Other")
                if row.lines.isEmpty { continue }
                var whole = Posting(revising: now, .init(of: cast.ada), by: cast.ada)
                (whole.lines, whole.category) = ([], cast.food)
                #expect(try await cast.post(whole) == .invalidElement)
                whole.lines = [.init(category: cast.food, amount: now.amount)]
                whole.category = nil
                #expect(try await cast.post(whole) == .invalidElement)
            }
            try await books.check()
        }
    }

    /// What others are told: the share in its line, and what counts for nothing as such.
    @Test func theShareIsToldAndWhatCountsForNothing() async throws {
        try await LedgerRig().run { _, books in
            let cast = try await Cast(books)
            let ben = try await books.person()
            let theirs = try await books.account(of: ben, holding: 500)
            var paid = Posting.transfer(100, from: theirs, to: cast.purse, by: ben)
            paid.receivable = cast.owed
            for posting in [
                cast.claim(80, share: 20), cast.claim(30, share: 0), cast.claim(-40, share: 0),
                paid,
            ] { #expect(try await cast.post(posting) == .posted) }
            let told = try await books.told().suffix(5)
            let units = told.map { $0.lines?.map(\.amount.minorUnits) ?? [] }
            #expect(told.map(\.amount.minorUnits) == [-100, -30, 40, -100, 100])
            #expect(units == [[-20], [], [], [], [30]])
            #expect(told.map(\.isUncounted) == [false, true, true, false, false])
            #expect(try await books.balance(cast.owed) == 0)
        }
    }

    @Test func aTransferWaitsForThePayeesReceivable() async throws {
        try await LedgerRig().run { _, books in
            let cast = try await Cast(books)
            let ben = try await books.person()
            let theirs = try await books.account(of: ben, holding: 500)
            #expect(try await cast.post(cast.claim(80, share: 20)) == .posted)
            try await books.owner.transaction { transaction in
                try await transaction.execute(lockAgainstPosting, cast.owed)
                var paid = Posting.transfer(50, from: theirs, to: cast.purse, by: ben)
                paid.receivable = cast.owed
                let plain = Posting.transfer(1, from: theirs, to: cast.purse, by: ben)
                let outcomes = try await books.service.post([paid, plain], waits: false)
                #expect(outcomes.map(\.status) == [.busy, .posted])
            }
            #expect(try await books.balance(cast.owed) == 80)
            try await books.check()
        }
    }

    @Test func anOpenOneIsReleasedWithItsOwner() async throws {
        try await LedgerRig().run { _, books in
            let cast = try await Cast(books, .wallet)
            let dollars = try await books.receivable(of: cast.ada, .usd)
            #expect(try await cast.post(cast.claim(80, share: 20)) == .posted)
            let foreign = try await books.account(of: cast.ada, .wallet, .usd)
            var back = Posting.record(0, .usd, on: foreign, by: cast.ada)
            (back.claim, back.counter) = (-7, dollars)
            #expect(try await cast.post(back) == .posted)
            let eraser = PersonEraser(database: books.service)
            let erasure = ID<Erasure>.new()
            for _ in 0..<2 { try await eraser.agree(to: erasure, of: cast.ada) }
            #expect(try await books.balance(cast.owed) == 0)
            #expect(try await books.balance(dollars) == 0)
            #expect(try await books.balance(cast.purse) == 900)
            try await books.check()
        }
    }
}
