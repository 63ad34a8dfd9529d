import Loops
import Postgres
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// Allowances that come again, as each of their days is decided, and what a parent may order.
@Suite struct AllowanceDecisionTests {
    private struct Case {
        let books: Books
        let pool: BlockingPool
        let family = ID<Family>.new()
        let parent: ID<User>
        let child: ID<User>
        let account: ID<Account>
        let purse: ID<Account>

        init(_ books: Books, on pool: BlockingPool, holding amount: Int64) async throws {
            (self.books, self.pool) = (books, pool)
            parent = try await books.person()
            child = try await books.person()
            account = try await books.account(of: parent, holding: amount)
            purse = try await books.account(of: child, .allowance)
            let insert = AllowanceStatements.insert
            try await books.service.execute(insert, purse, family, child, Int64(1))
        }

        func payments(
            asking ask: ((ID<User>) async throws -> InternalUser)? = nil
        ) -> AllowancePayments {
            let bell = RelayBell()
            return AllowancePayments(
                database: books.service,
                people: People(database: books.service, relayBell: bell, ask: ask),
                stepUp: StepUpRule(
                    euros: 1_000,
                    rates: .shared,
                    blocking: pool,
                    database: books.service
                ),
                relayBell: bell
            )
        }

        func payment(_ amount: Int64, isProved: Bool = false) -> AllowancePayment {
            AllowancePayment(
                familyID: family,
                childID: child,
                parentID: parent,
                amount: Money(minorUnits: amount, .eur),
                fromAccountID: account,
                isProved: isProved
            )
        }

        func decide(
            _ amount: Int64,
            as id: ID<AllowanceOrder> = .new(),
            isProved: Bool = false
        ) async throws -> AllowanceOutcome {
            try await payments().decide(id, payment(amount, isProved: isProved))
        }

        func agree(_ amount: Int64, secondsAgo: Int64, from other: ID<Account>? = nil) async throws
        {
            let identity = UserIdentity(
                id: parent,
                session: .new(),
                roles: [.user],
                generation: 1,
                authenticatedAt: Instant.now().adding(seconds: -secondsAgo),
                methods: ["pwd"],
                expiresAt: Instant.now().adding(seconds: 600),
                keyID: "a key",
                token: "a token"
            )
            let money = Money(minorUnits: amount, .eur)
            let agreement = AllowanceAgreement(fromAccountID: other ?? account, amount: money)
            try await payments().agree(agreement, by: identity)
        }
    }

    private func run(
        holding amount: Int64,
        _ body: @escaping @Sendable (isolated LoopActor, Case) async throws -> Void
    ) async throws {
        try await LedgerRig().run { actor, books in
            let pool = BlockingPool(threads: 1, queueMax: 8)
            defer { pool.stop() }
            let one = try await Case(books, on: pool, holding: amount)
            try await body(actor, one)
            try await books.check()
        }
    }

    @Test func eachIsPaidOrRefusedOnceAndForAll() async throws {
        try await run(holding: 700) { _, one in
            let (paid, poor) = (ID<AllowanceOrder>.new(), ID<AllowanceOrder>.new())
            let outcome = try await one.decide(500, as: paid)
            #expect(outcome.refusal == nil && outcome.transferID != nil)
            for amount in [Int64(500), 100] {
                #expect(try await one.decide(amount, as: paid) == outcome)
            }
            #expect(try await one.decide(201, as: poor).refusal == "insufficient-funds")
            let income = Posting.record(1_000, on: one.account, by: one.parent)
            #expect(try await one.books.service.post([income]).map(\.status) == [.posted])
            // A request that comes late finds it refused, and pays nothing.
            #expect(try await one.decide(201, as: poor).refusal == "insufficient-funds")
            await #expect(throws: APIError(.insufficientFunds)) {
                _ = try await one.payments().pay(poor, one.payment(201))
            }
            #expect(try await one.books.balance(one.account) == 1_200)
            #expect(try await one.books.balance(one.purse) == 500)
        }
    }

    /// Of many at once all are told the same, whether there is enough or not.
    @Test(arguments: [Int64(300), 299])
    func atOnceItIsDecidedOnce(held: Int64) async throws {
        try await run(holding: held) { actor, one in
            let bound = LoopBound(one, to: actor)
            let id = ID<AllowanceOrder>.new()
            let told = Mutex<[AllowanceOutcome?]>([])
            let callers = (0..<6).map { _ in
                actor.spawn { actor in
                    let outcome = try? await bound.on(actor).decide(300, as: id)
                    told.withLock { $0.append(outcome) }
                }
            }
            for caller in callers { await caller.value }
            let outcome = try await one.decide(300, as: id)
            let answers = told.withLock { $0.compactMap(\.self) }
            #expect(answers.filter { $0 != outcome } == [])
            #expect((outcome.refusal == nil) == (held == 300))
            #expect(try await one.books.balance(one.purse) == (held == 300 ? 300 : 0))
        }
    }

    @Test(arguments: [ErrorCode.notFound, .unauthenticated, .unavailable])
    func whoCannotBeLookedUpIsNotRefused(code: ErrorCode) async throws {
        try await run(holding: 700) { _, one in
            let id = ID<AllowanceOrder>.new()
            let payment = AllowancePayment(
                familyID: one.family,
                childID: .new(),
                parentID: one.parent,
                amount: Money(minorUnits: 100, .eur)
            )
            await #expect(throws: APIError(code)) {
                _ = try await one.payments { _ in throw APIError(code) }.decide(id, payment)
            }
            let outcome = try await one.decide(100, as: id)
            #expect(outcome.refusal == nil)
        }
    }

    /// However many were ordered without a proof, no more goes through within a day than by
    /// transfers; what was ordered with one is nobody's to ask again.
    @Test func noMoreThanTheSumOfADayGoesThroughUnproved() async throws {
        try await run(holding: 10_000_00) { _, one in
            let large = try await one.decide(1_000_01)
            #expect(large.refusal == "step-up-required")
            #expect(try await one.decide(600_00).refusal == nil)
            #expect(try await one.decide(400_01).refusal == "step-up-required")
            #expect(try await one.decide(5_000_00, isProved: true).refusal == nil)
            #expect(try await one.decide(1).refusal == "step-up-required")
            await #expect(throws: APIError(.stepUpRequired)) {
                _ = try await one.payments().pay(.new(), one.payment(1))
            }
            // Income takes nobody's money.
            let income = AllowancePayment(
                familyID: one.family,
                childID: one.child,
                parentID: one.parent,
                amount: Money(minorUnits: 2_000_00, .eur)
            )
            #expect(try await one.payments().decide(.new(), income).refusal == nil)
            #expect(try await one.books.balance(one.account) == 4_400_00)
        }
    }

    @Test func whatIsNotPaidCountsForNothing() async throws {
        try await run(holding: 600_00) { _, one in
            let large = try await one.decide(900_00)
            #expect(large.refusal == "insufficient-funds")
            #expect(try await one.decide(600_00).refusal == nil)
        }
    }

    @Test func aParentOrdersWhatTheyMaySend() async throws {
        try await run(holding: 100_00) { _, one in
            let late = UserIdentity.proofSeconds
            try await one.agree(1_000_00, secondsAgo: late)
            // Nothing was sent by it.
            try await one.agree(1_000_00, secondsAgo: late)
            await #expect(throws: APIError(.stepUpRequired)) {
                try await one.agree(1_000_01, secondsAgo: late)
            }
            try await one.agree(9_000_00, secondsAgo: 0)
            await #expect(throws: APIError.self) {
                try await one.agree(1, secondsAgo: 0, from: one.purse)
            }
            let wallet = try await one.books.account(of: one.parent, .wallet)
            await #expect(throws: APIError(.accountKind)) {
                try await one.agree(1, secondsAgo: 0, from: wallet)
            }
            let dollars = try await one.books.account(of: one.parent, .current, .usd)
            await #expect(throws: APIError(.currencyMismatch)) {
                try await one.agree(1, secondsAgo: 0, from: dollars)
            }
        }
    }

    /// Two who change limits at once do not overwrite each other unseen, and what is not said of
    /// approvals stays.
    @Test func limitsAreSetByWhoSawThem() async throws {
        try await run(holding: 0) { _, one in
            let bell = RelayBell()
            let people = People(database: one.books.service, relayBell: bell)
            let store = LimitStore(database: one.books.service, people: people)
            let category = try await one.books.category(of: one.child, "Sweets")
            func set(
                _ amount: Int64,
                _ above: Patch<Money>,
                ifMatch: String? = nil
            ) async throws -> SpendingLimitsView {
                let limit = SpendingLimit(
                    categoryID: category,
                    amount: Money(minorUnits: amount, .eur)
                )
                return try await store.set(
                    SpendingLimits(limits: [limit], approvalAbove: above),
                    one.family,
                    one.child,
                    ifMatch: ifMatch.map { EntityTags(stringLiteral: $0) }
                )
            }
            let ten = Money(minorUnits: 1_000, .eur)
            let first = try await set(1, .set(ten))
            let second = try await set(2, .unchanged, ifMatch: first.version)
            #expect(second.approvalAbove == ten && second.version != first.version)
            await #expect(throws: APIError(.preconditionFailed)) {
                _ = try await set(3, .cleared, ifMatch: first.version)
            }
            #expect(try await store.find(one.family, one.child) == second)
            let third = try await set(3, .cleared, ifMatch: second.version)
            #expect(third.approvalAbove == nil && third.limits[0].amount.minorUnits == 3)
            // As it was: nothing has come between that anybody could miss.
            #expect(try await set(1, .set(ten)).version == first.version)
            let found = try await store.category(category, of: one.child, in: one.family)
            #expect(found.id == category && found.name == "Sweets")
            for (id, user) in [(category, one.parent), (CategoryID.new(), one.child)] {
                await #expect(throws: APIError.notFound) {
                    _ = try await store.category(id, of: user, in: one.family)
                }
            }
        }
    }
}
