import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What parents approved of, as it is posted.
@Suite struct PurchaseTests {
    private struct Case {
        let books: Books
        let child: ID<User>
        let family: ID<Family>
        let purse: ID<Account>
        let sweets: CategoryID

        init(_ books: Books, holding amount: Int64) async throws {
            self.books = books
            child = try await books.person()
            family = .new()
            purse = try await books.account(of: child, .allowance, holding: amount)
            try await books.service.execute(
                AllowanceStatements.insert,
                purse,
                family,
                child,
                Int64(1)
            )
            sweets = try await books.category(of: child, "Sweets")
            try await books.limit(purse, [(sweets, 500)], approvalAbove: 10)
        }

        func purchase(_ amount: Int64, in category: CategoryID? = nil) -> ApprovedPurchase {
            ApprovedPurchase(
                familyID: family,
                childID: child,
                amount: Money(minorUnits: amount, .eur),
                name: "Skates",
                categoryID: category,
                description: "Blue",
                date: someDay
            )
        }

        func post(
            _ id: ID<Approval>,
            _ amount: Int64,
            in category: CategoryID? = nil
        ) async throws -> PurchaseOutcome {
            let bell = RelayBell()
            let people = People(database: books.service, relayBell: bell)
            return try await PurchaseStore(
                database: books.service,
                people: people,
                relayBell: bell
            ).post(id, purchase(amount, in: category))
        }
    }

    @Test func itIsPostedAsAskedAndOnce() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books, holding: 1_000)
            let id = ID<Approval>.new()
            let outcome = try await one.post(id, 300, in: one.sweets)
            #expect(outcome.refusal == nil)
            var posting = Posting.spending(300, on: one.purse, by: one.child)
            posting.transaction = outcome.transactionID
            let row = try #require(try await books.row(posting))
            #expect(row.name == "Skates" && row.description == "Blue" && row.day == someDay)
            #expect(row.category == one.sweets && row.amount == -300)
            // Also where the repetition says otherwise.
            for amount in [Int64(300), 400] {
                #expect(try await one.post(id, amount, in: one.sweets) == outcome)
            }
            #expect(try await books.balance(one.purse) == 700)
            try await books.check()
        }
    }

    @Test func whatIsRefusedStaysSo() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books, holding: 400)
            let (poor, limited, absent) = (
                ID<Approval>.new(), ID<Approval>.new(), ID<Approval>.new()
            )
            #expect(try await one.post(poor, 401).refusal == "insufficient-funds")
            #expect(try await one.post(limited, 501, in: one.sweets).refusal == "limit-exceeded")
            #expect(try await one.post(absent, 20, in: .new()).refusal == "invalid-body")
            let income = Posting.record(1_000, on: one.purse, by: one.child)
            #expect(try await books.service.post([income]).map(\.status) == [.posted])
            try await books.limit(one.purse, [])
            #expect(try await one.post(poor, 401).refusal == "insufficient-funds")
            #expect(try await one.post(limited, 501, in: one.sweets).refusal == "limit-exceeded")
            #expect(try await books.balance(one.purse) == 1_400)
        }
    }

    /// That auth cannot say who a child is says nothing of what they buy.
    @Test(arguments: [ErrorCode.notFound, .unauthenticated, .forbidden, .unavailable])
    func whoCannotBeLookedUpIsAskedForAgain(code: ErrorCode) async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books, holding: 400)
            let bell = RelayBell()
            let people = People(database: books.service, relayBell: bell) { _ in
                throw APIError(code)
            }
            let store = PurchaseStore(database: books.service, people: people, relayBell: bell)
            let id = ID<Approval>.new()
            let unknown = ApprovedPurchase(
                familyID: one.family,
                childID: .new(),
                amount: Money(minorUnits: 20, .eur),
                name: "Skates"
            )
            await #expect(throws: APIError(code)) { _ = try await store.post(id, unknown) }
            #expect(try await one.post(id, 20).transactionID != nil)
            #expect(try await books.balance(one.purse) == 380)
        }
    }

    @Test func whoHasLeftBuysNothing() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books, holding: 400)
            let release = AllowanceStatements.release
            _ = try await books.service.queryOne(release, one.purse, "Default 2", "default 2")
            #expect(try await one.post(.new(), 20).refusal == "not-found")
            #expect(try await books.count(ruleCount) == 0)
            let free = Posting.spending(400, on: one.purse, by: one.child)
            #expect(try await books.service.post([free]).map(\.status) == [.posted])
        }
    }

    @Test func whoIsErasedLeavesNoRule() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books, holding: 0)
            try await books.service.transaction { transaction in
                let (erase, moment) = (ErasureStatements.erasePerson, Instant.now())
                try await transaction.execute(erase, one.child, moment)
            }
            #expect(try await books.count(ruleCount) == 0)
        }
    }

    /// Of many at once under one id one posts, and all are told the same.
    @Test func atOnceItIsPostedOnce() async throws {
        try await LedgerRig().run { actor, books in
            let one = try await Case(books, holding: 1_000)
            let bound = LoopBound(one, to: actor)
            let id = ID<Approval>.new()
            let posters = (0..<6).map { _ in
                actor.spawn { actor in _ = try? await bound.on(actor).post(id, 300) }
            }
            for poster in posters { await poster.value }
            #expect(try await one.post(id, 300).transactionID != nil)
            #expect(try await books.balance(one.purse) == 700)
            try await books.check()
        }
    }
}

private let ruleCount = Statement("select count(*) from ledger.approval_rule") { row in
    try row.int64(0)
}
