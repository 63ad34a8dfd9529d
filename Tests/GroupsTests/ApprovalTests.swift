import Loops
import Postgres
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// A ledger that posts each purchase once, and dies where it is told to.
private final class FakeLedger {
    /// Where a call is cut off.
    enum Cut: CaseIterable { case beforeItPosts, beforeItAnswers }
    var cut: Cut?
    /// What it cannot post.
    var fails: ID<Approval>?
    var refusal: String?
    /// What the call is refused for, which says nothing of the purchase.
    var refusedCall: ErrorCode?
    private(set) var posted: [ID<Approval>: (ApprovedPurchase, PurchaseOutcome)] = [:]
    private(set) var calls = 0

    var calling: PurchaseLedger {
        PurchaseLedger { [self] id, purchase in
            calls += 1
            if let refusedCall { throw APIError(refusedCall) }
            if fails == id { throw APIError(.internalError) }
            if cut == .beforeItPosts { throw APIError(.unavailable) }
            let outcome = PurchaseOutcome(
                transactionID: refusal == nil ? .new() : nil,
                refusal: refusal
            )
            let known = posted[id] ?? (purchase, outcome)
            posted[id] = known
            if cut == .beforeItAnswers { throw APIError(.unavailable) }
            return known.1
        }
    }
}

/// Two parents, two children and a request.
private struct Scene {
    let harness: Harness
    let ledger = FakeLedger()
    let parents: [ID<User>] = [.new(), .new()]
    let children: [ID<User>] = [.new(), .new()]
    let family = ID<Family>.new()
    let category = LimitableCategory(id: .new(), name: "Sport", parentID: nil)
    let account = ID<Account>.new()

    init(_ harness: Harness) async throws {
        self.harness = harness
        try await harness.database.execute(FamilyStatements.insert, family, "Us", Currency.eur)
        for (users, role) in [(parents, FamilyRole.parent), (children, .child)] {
            for user in users {
                let insert = FamilyStatements.insertMember
                try await harness.database.execute(insert, family, user, role.rawValue)
            }
        }
    }

    var approvals: ApprovalStore {
        let day = Period.ever.start
        let (account, category, children) = (account, category, children)
        return ApprovalStore(
            database: harness.database,
            families: harness.parts.families,
            allowances: harness.parts.allowances,
            limits: LimitLedger { _, _ in
                SpendingLimitsView(
                    accountID: account,
                    from: day,
                    to: day,
                    spent: Total.zero(.eur),
                    limits: [],
                    approvalAbove: nil,
                    // Of more than can be told of, it is none of the first.
                    categories: [],
                    version: "1"
                )
            } set: { _, _, _, _ in
                throw APIError(.unavailable)
            } category: { id, child, _ in
                id == category.id && children.contains(child) ? category : nil
            }
        )
    }

    var decisions: ApprovalDecisions {
        ApprovalDecisions(
            database: harness.database,
            effects: harness.parts.effects,
            ledger: ledger.calling
        )
    }

    func ask(_ amount: Int64 = 2_000, by child: Int = 0) async throws -> ID<Approval> {
        let (child, store) = (children[child], approvals)
        let body = NewApproval(
            amount: Money(minorUnits: amount, .eur),
            name: "Skates",
            categoryID: category.id
        )
        let name = try await store.check(body, by: child)
        return try await harness.database.transaction { transaction in
            try await store.ask(body, categoryName: name, by: child, in: transaction).id
        }
    }

    /// What a decision is answered with, or refused by.
    func decide(
        _ id: ID<Approval>,
        _ isApproved: Bool = true,
        by user: ID<User>,
        key: String? = nil
    ) async throws -> ErrorCode? {
        let scope = key.map { IdempotencyScope(key: $0, scope: "\(user)", requestHash: [1]) }
        do {
            let body = ApprovalDecision(isApproved: isApproved)
            _ = try await decisions.decide(id, body, by: user, under: scope)
            return nil
        } catch let error as APIError { return error.code }
    }

    func state(_ id: ID<Approval>) async throws -> ApprovalState {
        try await approvals.find(id, for: parents[0]).state
    }

    func told() async throws -> Int64 { try await harness.told(FamilyApprovalEnded.eventType) }

    /// As time would: nobody waits for what is approved, or what is pending has expired.
    func makeLate(_ statement: Statement<Void>) async throws {
        try await harness.database.execute(statement)
    }
}

private let nobodyWaits = Statement<Void>(
    "update groups.approval set look_at = now() - interval '1 second' where state = 'approved'"
)
private let makeOld = Statement<Void>(
    """
    with made as (
        insert into groups.approval (
            id, family_id, child_id, amount, currency, name, state, decided_at, created_at)
        select gen_random_uuid(), a.family_id, a.child_id, 1, 'EUR', 'Old', 'declined',
            now(), now() - interval '91 days'
        from groups.approval as a cross join generate_series(1, $2)
        where a.id = $1
    )
    update groups.approval set created_at = now() - interval '91 days' where id = $1
    """
)
private let timeIsOver = Statement<Void>(
    "update groups.approval set expires_at = now() where state = 'pending'"
)

@Suite struct ApprovalTests {
    @Test func aYesPostsItAsItWasAskedForAndTellsTheChildOnce() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let id = try await scene.ask()
            #expect(try await harness.told(FamilyApprovalAsked.eventType) == 1)
            #expect(try await scene.decide(id, by: scene.parents[1]) == nil)
            let view = try await scene.approvals.find(id, for: scene.children[0])
            #expect(view.state == .posted && view.decidedBy == scene.parents[1])
            #expect(view.categoryName == "Sport")
            let (purchase, outcome) = try #require(scene.ledger.posted[id])
            #expect(view.transactionID == outcome.transactionID)
            #expect(purchase.amount.minorUnits == 2_000 && purchase.name == "Skates")
            #expect(purchase.categoryID == scene.category.id && purchase.date == nil)
            #expect(purchase.familyID == scene.family && purchase.childID == scene.children[0])
            #expect(try await scene.told() == 1)
            #expect(try await scene.decide(id, by: scene.parents[0]) == .alreadyDecided)
            #expect(scene.ledger.calls == 1)
        }
    }

    @Test func aNoPostsNothing() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let id = try await scene.ask()
            #expect(try await scene.decide(id, false, by: scene.parents[0]) == nil)
            #expect(try await scene.decide(id, by: scene.parents[1]) == .alreadyDecided)
            #expect(try await scene.state(id) == .declined)
            #expect(scene.ledger.calls == 0)
            #expect(try await scene.told() == 1)
        }
    }

    /// Wherever it is cut off, it is posted once and told once: by whoever repeats the call, or by
    /// itself.
    @Test(arguments: [true, false], [true, false])
    func whateverIsCutOffIsPostedOnce(beforeItPosts: Bool, isRepeated: Bool) async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let (id, parent) = (try await scene.ask(), scene.parents[0])
            scene.ledger.cut = beforeItPosts ? .beforeItPosts : .beforeItAnswers
            #expect(try await scene.decide(id, by: parent, key: "k") == .unavailable)
            #expect(try await scene.state(id) == .approved)
            // Neither of the two can say otherwise any more.
            #expect(try await scene.decide(id, false, by: parent) == .alreadyDecided)
            #expect(try await scene.decide(id, by: scene.parents[1]) == .alreadyDecided)
            try await scene.decisions.finishSome()
            #expect(try await scene.state(id) == .approved)
            try await scene.makeLate(nobodyWaits)
            await #expect(throws: APIError(.unavailable)) {
                try await scene.decisions.finishSome()
            }
            #expect(try await scene.state(id) == .approved)
            scene.ledger.cut = nil
            if isRepeated {
                #expect(try await scene.decide(id, by: parent, key: "k") == nil)
            } else {
                try await scene.makeLate(nobodyWaits)
                try await scene.decisions.finishSome()
            }
            for _ in 0..<2 {
                #expect(try await scene.decide(id, by: parent, key: "k") == nil)
            }
            #expect(try await scene.state(id) == .posted)
            #expect(scene.ledger.posted.count == 1)
            #expect(try await scene.told() == 1)
        }
    }

    @Test func whatTheLedgerRefusesIsTold() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let id = try await scene.ask()
            scene.ledger.refusal = "insufficient-funds"
            #expect(try await scene.decide(id, by: scene.parents[0], key: "k") == nil)
            scene.ledger.refusal = nil
            #expect(try await scene.decide(id, by: scene.parents[0], key: "k") == nil)
            let view = try await scene.approvals.find(id, for: scene.children[0])
            #expect(view.state == .refused && view.refusal == "insufficient-funds")
            #expect(try await scene.told() == 1)
        }
    }

    /// Whoever asks may be refused, and the gateway may answer for nobody: neither is a no to the
    /// purchase.
    @Test(arguments: [ErrorCode.notFound, .forbidden, .unauthenticated, .tooManyRequests])
    func whatRefusesTheCallIsNoOutcome(code: ErrorCode) async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let (id, parent) = (try await scene.ask(), scene.parents[0])
            scene.ledger.refusedCall = code
            for _ in 0..<2 {
                #expect(try await scene.decide(id, by: parent, key: "k") == .unavailable)
            }
            #expect(try await scene.state(id) == .approved)
            scene.ledger.refusedCall = nil
            #expect(try await scene.decide(id, by: parent, key: "k") == nil)
            #expect(try await scene.state(id) == .posted)
            #expect(try await scene.told() == 1)
        }
    }

    /// What cannot be done is put off, told to whoever runs it, and keeps none of the others.
    @Test func whatFailsKeepsNoneOfTheOthers() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let (first, second) = (try await scene.ask(), try await scene.ask())
            for id in [first, second] {
                scene.ledger.cut = .beforeItPosts
                #expect(try await scene.decide(id, by: scene.parents[0]) == .unavailable)
            }
            scene.ledger.cut = nil
            scene.ledger.fails = first
            try await scene.makeLate(nobodyWaits)
            await #expect(throws: APIError(.internalError)) {
                try await scene.decisions.finishSome()
            }
            #expect(try await scene.state(first) == .approved)
            #expect(try await scene.state(second) == .posted)
            // It has its turn later.
            let calls = scene.ledger.calls
            try await scene.decisions.finishSome()
            #expect(scene.ledger.calls == calls)
        }
    }

    @Test func whoWantsAnotherStateIsToldSo() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let (id, parent, child) = (try await scene.ask(), scene.parents[0], scene.children[0])
            let stale: EntityTags = "2"
            await #expect(throws: APIError(.preconditionFailed)) {
                try await scene.approvals.withdraw(id, by: child, ifMatch: stale)
            }
            let yes = ApprovalDecision(isApproved: true)
            await #expect(throws: APIError(.preconditionFailed)) {
                let decisions = scene.decisions
                _ = try await decisions.decide(id, yes, by: parent, under: nil, ifMatch: stale)
            }
            #expect(try await scene.state(id) == .pending && scene.ledger.calls == 0)
            let scope = IdempotencyScope(key: "k", scope: "\(parent)", requestHash: [1])
            for _ in 0..<2 {
                let decided = try await scene.decisions.decide(
                    id,
                    yes,
                    by: parent,
                    under: scope,
                    ifMatch: "1"
                )
                #expect(decided.version == "3")
            }
            #expect(try await scene.approvals.find(id, for: child).version == 3)
        }
    }

    @Test func allThatIsOldIsDeletedByParts() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let (old, kept) = (try await scene.ask(), try await scene.ask())
            for id in [old, kept] {
                #expect(try await scene.decide(id, false, by: scene.parents[0]) == nil)
            }
            try await harness.database.execute(makeOld, old, Int32(1_200))
            try await scene.decisions.deleteOld()
            let left = try await scene.approvals.list(PageQuery(), for: scene.parents[0])
            #expect(left.items.map(\.id) == [kept])
        }
    }

    @Test func ofManyAtOnceOneDecides() async throws {
        try await Harness.run { actor, harness in
            let scene = try await Scene(harness)
            let bound = LoopBound(scene, to: actor)
            let counts = Mutex<[Bool: Int]>([:])
            for _ in 0..<5 {
                let id = try await scene.ask()
                let deciders = (0..<8).map { number in
                    actor.spawn { actor in
                        let scene = bound.on(actor)
                        let parent = scene.parents[number % 2]
                        let code = try? await scene.decide(id, number % 3 > 0, by: parent)
                        counts.withLock { $0[code == nil, default: 0] += 1 }
                        if let code { #expect(code == .alreadyDecided) }
                    }
                }
                for decider in deciders { await decider.value }
                #expect([.posted, .declined].contains(try await scene.state(id)))
            }
            #expect(counts.withLock { $0 } == [true: 5, false: 35])
            #expect(try await scene.told() == 5)
        }
    }

    @Test func whatNobodyDecidesExpires() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let (id, kept) = (try await scene.ask(), try await scene.ask())
            #expect(try await scene.decide(kept, false, by: scene.parents[0]) == nil)
            try await scene.makeLate(timeIsOver)
            #expect(try await scene.state(id) == .expired)
            #expect(try await scene.decide(id, by: scene.parents[0]) == .alreadyDecided)
            for _ in 0..<2 { try await scene.decisions.expireSome() }
            #expect(try await scene.state(id) == .expired)
            #expect(try await scene.state(kept) == .declined)
            #expect(try await scene.told() == 2)
        }
    }

    @Test func nobodyElseSeesOrChangesIt() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let (mother, child) = (scene.parents[0], scene.children[0])
            let id = try await scene.ask()
            let stranger = try await Scene(harness)
            let store = scene.approvals
            for other in [scene.children[1], stranger.parents[0], stranger.children[0], .new()] {
                await #expect(throws: APIError.notFound) { try await store.find(id, for: other) }
                await #expect(throws: APIError.notFound) { try await store.withdraw(id, by: other) }
                #expect(try await scene.decide(id, by: other) == .notFound)
            }
            #expect(try await scene.decide(id, by: child) == .parentsOnly)
            await #expect(throws: APIError(.memberIsParent)) {
                try await store.withdraw(id, by: mother)
            }
            #expect(try await store.list(PageQuery(), for: scene.children[1]).items.isEmpty)
            #expect(try await store.list(PageQuery(), for: stranger.parents[0]).items.isEmpty)
            #expect(try await store.list(PageQuery(), for: child).items.map(\.id) == [id])
            #expect(try await store.list(PageQuery(), for: mother).items.map(\.id) == [id])
            try await store.withdraw(id, by: child)
            await #expect(throws: APIError(.alreadyDecided)) {
                try await store.withdraw(id, by: child)
            }
            #expect(try await scene.decide(id, by: mother) == .alreadyDecided)
        }
    }

    @Test func requestsGoWithTheChildAndWordsWithTheParent() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let (mother, father) = (scene.parents[0], scene.parents[1])
            let (kept, gone) = (try await scene.ask(), try await scene.ask(by: 1))
            let body = ApprovalDecision(isApproved: false, reason: "Too dear")
            _ = try await scene.decisions.decide(kept, body, by: father, under: nil)
            try await harness.parts.families.end(scene.children[1], by: mother)
            await #expect(throws: APIError.notFound) {
                try await scene.approvals.find(gone, for: mother)
            }
            try await harness.parts.families.end(nil, by: father)
            let view = try await scene.approvals.find(kept, for: mother)
            #expect(view.state == .declined && view.decidedBy == nil && view.reason == nil)
        }
    }

    @Test func aChildAsksForSoManyAtMost() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            for _ in 0..<Approvals.pendingMax { _ = try await scene.ask() }
            await #expect(throws: APIError(.tooManyApprovals)) { try await scene.ask() }
            // Another child has its own.
            _ = try await scene.ask(by: 1)
            for round in 1..<Approvals.dayMax / Approvals.pendingMax {
                for one in try await scene.approvals.list(PageQuery(), for: scene.children[0]).items
                where one.state == .pending {
                    try await scene.approvals.withdraw(one.id, by: scene.children[0])
                }
                for _ in 0..<Approvals.pendingMax { _ = try await scene.ask() }
                #expect(round < 5)
            }
            let newest = try await scene.approvals.list(PageQuery(limit: 1), for: scene.children[0])
            try await scene.approvals.withdraw(newest.items[0].id, by: scene.children[0])
            do {
                _ = try await scene.ask()
                Issue.record("more than a day's")
            } catch let error as APIError { #expect(error.code == .tooManyRequests) }
        }
    }

    @Test func allFaultsAreToldAtOnce() async throws {
        try await Harness.run { _, harness in
            let scene = try await Scene(harness)
            let body = NewApproval(
                accountID: .new(),
                amount: Money(minorUnits: 1, .usd),
                name: "Skates",
                categoryID: .new()
            )
            do {
                _ = try await scene.approvals.check(body, by: scene.children[0])
                Issue.record("taken")
            } catch let error as APIError {
                let pointers = error.errors.map(\.pointer)
                #expect(pointers == ["/accountId", "/amount/currency", "/categoryId"])
            }
            await #expect(throws: APIError(.memberIsParent)) {
                try await scene.approvals.check(body, by: scene.parents[0])
            }
        }
    }
}
