import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

private func part(_ paid: Int64, _ share: Int64, on day: Day) -> LedgerLink.Part {
    LedgerLink.Part(paid: paid, owed: share, .eur, on: day)
}

/// Shared expenses in their payers' own ledgers, on a real server, with a ledger that dies.
@Suite struct LedgerLinkTests {
    @Test func whatOnePaidIsPostedAndSeenByOneselfAlone() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let made = try await scene.add(10_000)
            #expect(made.link?.state == .current && made.link?.accountID == scene.account)
            #expect(scene.ledger.standing == [part(10_000, 2_500, on: scene.today)])
            #expect(try await scene.link(of: made.id) == made.link)
            #expect(try await scene.link(of: made.id, for: 1) == nil)
            let listed = try await harness.parts.expenseList.page(
                ExpenseQuery(),
                of: scene.group.id,
                for: scene.group.users[0]
            )
            #expect(listed.items.map(\.link) == [made.link])
            let kept = try await harness.parts.expenses.history(
                PageQuery(),
                of: made.id,
                in: scene.group.id,
                for: scene.group.users[1]
            )
            #expect(kept.items.allSatisfy { $0.expense.link == nil })
        }
    }

    /// Beyond what they paid they owe, and have not spent: no payable is kept.
    @Test func noMoreIsSpentThanWasPaid() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let (one, other) = (scene.group.members[0], scene.group.members[1])
            let parts = [one, other].map { SplitPart(memberID: $0) }
            let body = NewExpense(
                name: "Rent",
                amount: Money(minorUnits: 1_000, .eur),
                date: scene.today,
                paidBy: [
                    MemberAmount(memberID: one, amount: Money(minorUnits: 300, .eur)),
                    MemberAmount(memberID: other, amount: Money(minorUnits: 700, .eur)),
                ],
                split: Split(kind: .equal, parts: parts)
            )
            let made = try await harness.database.transaction { transaction in
                try await harness.parts.expenses.add(
                    body,
                    to: scene.group.id,
                    by: scene.group.users[2],
                    today: scene.today,
                    in: transaction
                )
            }
            _ = try await scene.set(made.id, by: 0)
            _ = try await scene.set(made.id, by: 1)
            #expect(
                Set(scene.ledger.standing) == [
                    part(300, 300, on: scene.today), part(700, 500, on: scene.today),
                ]
            )
            let refused = await #expect(throws: APIError.self) {
                _ = try await scene.set(made.id, by: 2)
            }
            #expect(refused?.errors.map(\.pointer) == ["/accountId"])
        }
    }

    @Test func whatIsRefusedLeavesNeither() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let refused = await #expect(throws: APIError.self) {
                _ = try await scene.add(10_000, paidBy: 1)
            }
            #expect(refused?.errors.map(\.pointer) == ["/accountId"])
            scene.ledger.refusal = APIError(.insufficientFunds)
            await #expect(throws: APIError(.insufficientFunds)) { _ = try await scene.add(10_000) }
            scene.ledger.refusal = .field("/categoryId", .unknownReference, "is not yours")
            let fault = await #expect(throws: APIError.self) { _ = try await scene.add(10_000) }
            #expect(fault?.errors.map(\.pointer) == ["/ownCategoryId"])
            #expect(try await scene.count() == 0)
            #expect(try await scene.rows() == 0)
            #expect(scene.ledger.standing == [])
            #expect(try await harness.told("group.expense.added") == 0)
        }
    }

    @Test(arguments: LinkingLedger.Cut.allCases)
    func whatIsCutOffIsTakenBackOrGoneOnWith(_ cut: LinkingLedger.Cut) async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            scene.ledger.cut = cut
            await #expect(throws: APIError(.unavailable)) {
                _ = try await scene.add(10_000, under: "first")
            }
            #expect(try await scene.count() == 0)
            // The key goes on with it.
            scene.ledger.cut = nil
            let made = try await scene.add(10_000, under: "first")
            #expect(try await scene.add(10_000, under: "first").id == made.id)
            #expect(scene.ledger.moves == 1)
            #expect(try await scene.count() == 1)
            // Nobody asks for it any more.
            scene.ledger.cut = cut
            await #expect(throws: APIError(.unavailable)) {
                _ = try await scene.add(300, under: "second")
            }
            try await scene.finish()
            #expect(scene.ledger.standing == [part(10_000, 2_500, on: scene.today)])
            #expect(try await scene.count() == 1)
            #expect(try await scene.rows() == 1)
            // And then the key begins anew.
            _ = try await scene.add(300, under: "second")
            #expect(scene.ledger.standing.count == 2)
            #expect(try await scene.count() == 2)
        }
    }

    @Test func whatAnotherDoesMovesNobodysMoney() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let made = try await scene.add(10_000)
            let moves = scene.ledger.moves
            #expect(try await scene.change(made.id, to: 8_000, by: 1).link == nil)
            #expect(try await scene.link(of: made.id)?.state == .outdated)
            #expect(try await harness.told("group.expense-link.outdated") == 1)
            #expect(try await scene.change(made.id, to: 10_000, by: 1).link == nil)
            #expect(try await scene.link(of: made.id)?.state == .current)
            try await scene.remove(made.id, by: 2)
            #expect(try await harness.told("group.expense-link.outdated") == 2)
            _ = try await scene.restore(made.id, by: 1)
            #expect(try await scene.link(of: made.id)?.state == .current)
            #expect(scene.ledger.moves == moves)
            // Their own edit of what is outdated moves nothing, either: they say so.
            _ = try await scene.change(made.id, to: 8_000, by: 1)
            #expect(try await scene.change(made.id, to: 6_000, by: 0).link?.state == .outdated)
            #expect(scene.ledger.moves == moves)
            #expect(try await scene.set(made.id).state == .current)
            #expect(scene.ledger.standing == [part(6_000, 1_500, on: scene.today)])
        }
    }

    @Test func ownEditsTakeItAlongAndOwnDeletionsTakeItBack() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let made = try await scene.add(10_000)
            #expect(try await scene.change(made.id, to: 8_000, by: 0).link?.state == .current)
            #expect(scene.ledger.standing == [part(8_000, 2_000, on: scene.today)])
            try await scene.remove(made.id, by: 0)
            #expect(scene.ledger.standing == [])
            let back = try await scene.restore(made.id, by: 0)
            #expect(back.link?.state == .current)
            #expect(scene.ledger.standing == [part(8_000, 2_000, on: scene.today)])
            // What another brings back is asked of whoever paid it.
            try await scene.remove(made.id, by: 0)
            _ = try await scene.restore(made.id, by: 1)
            #expect(try await scene.link(of: made.id)?.state == .ended)
            #expect(scene.ledger.standing == [])
            #expect(try await scene.set(made.id).state == .current)
            let user = scene.group.users[0]
            try await scene.links.remove(made.id, of: scene.group.id, by: user)
            #expect(scene.ledger.standing == [])
            #expect(try await scene.link(of: made.id) == nil)
            #expect(try await scene.rows() == 0)
            await #expect(throws: APIError.notFound) {
                try await scene.links.remove(made.id, of: scene.group.id, by: user)
            }
            #expect(try await harness.told("group.expense-link.outdated") == 0)
        }
    }

    /// The expense is the group's: it is what its members make it.
    @Test func whatIsPaidBackInPartStaysInTheBooksAndSaysSo() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let made = try await scene.add(10_000)
            scene.ledger.keeps = APIError(.alreadySettled)
            let user = scene.group.users[0]
            await #expect(throws: APIError(.alreadySettled)) {
                try await scene.links.remove(made.id, of: scene.group.id, by: user)
            }
            #expect(try await scene.link(of: made.id)?.state == .current)
            let edited = try await scene.change(made.id, to: 8_000, by: 0)
            #expect(edited.amount.minorUnits == 8_000)
            #expect(edited.link?.state == .outdated && edited.link?.reason == "already-settled")
            await #expect(throws: APIError(.alreadySettled)) { _ = try await scene.set(made.id) }
            #expect(try await scene.link(of: made.id)?.state == .outdated)
            try await scene.remove(made.id, by: 0)
            #expect(scene.ledger.standing == [part(10_000, 2_500, on: scene.today)])
            #expect(try await harness.told("group.expense-link.outdated") >= 2)
            scene.ledger.keeps = nil
            try await scene.links.remove(made.id, of: scene.group.id, by: user)
            #expect(scene.ledger.standing == [])
            #expect(try await scene.rows() == 0)
        }
    }

    /// Nobody was told of it, so that nobody can have paid it back.
    @Test func whatWasNeverWrittenDownGoesThoughOthersSeemToHavePaidIt() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            _ = try await scene.add(300)
            scene.ledger.cut = .beforeItAnswers
            await #expect(throws: APIError(.unavailable)) { _ = try await scene.add(10_000) }
            scene.ledger.keeps = APIError(.alreadySettled)
            try await scene.finish()
            #expect(scene.ledger.standing == [part(300, 75, on: scene.today)])
            #expect(scene.ledger.neverOwed.count == 1)
            #expect(try await scene.rows() == 1)
            #expect(try await harness.told("group.posting.kept") == 0)
        }
    }

    @Test func whatWasNeverWrittenDownAndCannotGoIsTheirsWhoAreTold() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            scene.ledger.cut = .beforeItAnswers
            await #expect(throws: APIError(.unavailable)) { _ = try await scene.add(10_000) }
            scene.ledger.keeps = APIError(.accountClosed)
            try await scene.finish()
            #expect(scene.ledger.standing == [part(10_000, 2_500, on: scene.today)])
            #expect(try await scene.rows() == 0)
            #expect(try await harness.told("group.posting.kept") == 1)
            #expect(try await scene.count() == 0)
        }
    }

    @Test(arguments: LinkingLedger.Cut.allCases)
    func anUndoneDeletionIsPostedThoughTheLedgerWasAway(_ cut: LinkingLedger.Cut) async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let made = try await scene.add(10_000)
            scene.ledger.cut = cut
            try await scene.remove(made.id, by: 0)
            #expect(try await scene.restore(made.id, by: 0).link?.state == .ending)
            _ = try await scene.change(made.id, to: 8_000, by: 0)
            try await scene.finish()
            #expect(try await scene.link(of: made.id)?.state == .current)
            #expect(scene.ledger.standing == [part(8_000, 2_000, on: scene.today)])
            // Deleted once more, or brought back by another alone, it is not.
            scene.ledger.cut = cut
            try await scene.remove(made.id, by: 0)
            _ = try await scene.restore(made.id, by: 0)
            try await scene.remove(made.id, by: 0)
            _ = try await scene.restore(made.id, by: 1)
            try await scene.finish()
            #expect(try await scene.link(of: made.id)?.state == .ended)
            #expect(scene.ledger.standing == [])
            #expect(try await harness.told("group.expense-link.outdated") == 0)
        }
    }

    @Test func anUndoneDeletionThatTheLedgerRefusesIsTold() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let made = try await scene.add(10_000)
            scene.ledger.cut = .beforeItActs
            try await scene.remove(made.id, by: 0)
            _ = try await scene.restore(made.id, by: 0)
            scene.ledger.refusal = APIError(.insufficientFunds)
            try await scene.finish()
            let link = try await scene.link(of: made.id)
            #expect(link?.state == .ended && link?.reason == "insufficient-funds")
            #expect(try await harness.told("group.expense-link.outdated") == 1)
        }
    }

    @Test func whatIsDeletedInTheLedgerEndsTheLinkUntilItIsBack() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let user = scene.group.users[0]
            let made = try await scene.add(10_000)
            let id = try #require(try await scene.stored(made.id)?.id)
            let deleted = scene.ledger.delete(id, of: user)
            try await scene.hear(deleted)
            let ended = try await scene.link(of: made.id)
            #expect(ended?.state == .ended && ended?.transactionID == nil)
            // No edit posts what its owner has deleted.
            _ = try await scene.change(made.id, to: 8_000, by: 0)
            #expect(scene.ledger.standing == [])
            try await scene.hear(scene.ledger.haveBack(id, of: user))
            #expect(try await scene.link(of: made.id)?.state == .outdated)
            _ = try await scene.change(made.id, to: 10_000, by: 1)
            #expect(try await scene.link(of: made.id)?.state == .current)
            // Nor does undoing a deletion of the expense; its owner's word does, as the same.
            try await scene.hear(scene.ledger.delete(id, of: user))
            try await scene.remove(made.id, by: 0)
            _ = try await scene.restore(made.id, by: 0)
            #expect(scene.ledger.standing == [])
            #expect(try await scene.set(made.id).state == .current)
            #expect(try await scene.stored(made.id)?.id == id)
            #expect(scene.ledger.standing == [part(10_000, 2_500, on: scene.today)])
            // What comes late is of a version that is gone.
            try await scene.hear(deleted)
            #expect(try await scene.link(of: made.id)?.state == .current)
            // A version that was refused is none that is posted.
            scene.ledger.keeps = APIError(.alreadySettled)
            _ = try await scene.change(made.id, to: 6_000, by: 0)
            scene.ledger.keeps = nil
            try await scene.hear(scene.ledger.delete(id, of: user))
            #expect(try await scene.link(of: made.id)?.state == .ended)
        }
    }

    @Test func whoLeavesKeepsWhatIsInTheirBooksAndHearsNothing() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let made = try await scene.add(10_000)
            let members = harness.parts.members
            try await members.end(
                nil,
                in: scene.group.id,
                by: scene.group.users[0],
                isForced: true
            )
            await #expect(throws: APIError(.memberHasLeft)) {
                _ = try await scene.change(made.id, to: 8_000, by: 1)
            }
            try await scene.finish()
            #expect(scene.ledger.standing == [part(10_000, 2_500, on: scene.today)])
            #expect(try await harness.told("group.expense-link.outdated") == 0)
            await #expect(throws: APIError.notFound) { _ = try await scene.set(made.id) }
            for index in 1..<4 {
                try await members.end(
                    nil,
                    in: scene.group.id,
                    by: scene.group.users[index],
                    isForced: true
                )
            }
            #expect(try await scene.rows() == 0)
        }
    }

    @Test func whatFailsKeepsNoneOfTheOthers() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            scene.ledger.cut = .beforeItActs
            for number in 0..<3 {
                await #expect(throws: APIError(.unavailable)) {
                    _ = try await scene.add(100, under: "k\(number)")
                }
            }
            // The ledger is away for longer: each is put off, and none is lost.
            let hasten = Statement<Void>(
                "update groups.ledger_link set look_at = now() - interval '1 hour'"
            )
            try await harness.database.execute(hasten)
            try await scene.links.finishSome()
            let due = Statement(
                "select count(*) from groups.ledger_link where look_at > now()"
            ) { try $0.int64(0) }
            #expect(try await harness.database.queryOne(due) == 3)
            try await scene.finish()
            #expect(try await scene.rows() == 0)
        }
    }

    @Test func whatOneIsPaidBackIsClearedOnceOrNotAtAll() async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            _ = try await scene.add(10_000)
            func record(_ units: Int64, by index: Int, with other: Int) async throws {
                let body = NewSettlement(
                    withMemberID: scene.group.members[other],
                    amount: Money(minorUnits: units, .eur)
                )
                _ = try await scene.cleared.record(
                    body,
                    into: scene.account,
                    in: scene.group.id,
                    by: scene.group.users[index],
                    today: scene.today,
                    under: nil
                )
            }
            let refused = await #expect(throws: APIError.self) {
                try await record(100, by: 1, with: 0)
            }
            #expect(refused?.errors.map(\.pointer) == ["/accountId"])
            try await record(1_500, by: 0, with: 1)
            scene.ledger.cut = .beforeItAnswers
            await #expect(throws: APIError(.unavailable)) { try await record(200, by: 0, with: 2) }
            try await scene.finish()
            #expect(scene.ledger.standing.map(\.paid.minorUnits).sorted() == [1_500, 10_000])
            for (index, isSeen) in [(0, true), (1, false), (2, false)] {
                let list = try await harness.parts.settlements.list(
                    PageQuery(),
                    of: scene.group.id,
                    for: scene.group.users[index]
                )
                #expect(list.items.map { $0.link?.state == .current } == [isSeen])
            }
        }
    }

    /// Whatever happens, and wherever calls are lost: in the end each link's money is posted once
    /// or not at all, as the link says, and nobody's moves by another's doing.
    @Test(arguments: 0..<8)
    func moneyAndLinksAgreeAfterAnyHistory(number: Int) async throws {
        try await Harness.run { _, harness in
            let scene = try await LinkScene(harness)
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = SeededGenerator(seed: seed)
            let place: Comment = "seed \(seed), history \(number)"
            var made: [(id: ID<Expense>, isRemoved: Bool)] = []
            for _ in 0..<40 {
                scene.ledger.cut =
                    Int.random(in: 0..<4, using: &random) == 0
                    ? LinkingLedger.Cut.allCases.randomElement(using: &random) : nil
                scene.ledger.keeps =
                    Int.random(in: 0..<6, using: &random) == 0 ? APIError(.alreadySettled) : nil
                let owner = Bool.random(using: &random) ? 0 : 1
                let units = Int64.random(in: 1...9, using: &random) * 1_000
                let moves = scene.ledger.moves
                let index = made.indices.randomElement(using: &random)
                do {
                    switch Int.random(in: 0..<9, using: &random) {
                    case 0: made.append((try await scene.add(units).id, false))
                    case 1:
                        guard let index, !made[index].isRemoved else { continue }
                        _ = try await scene.change(made[index].id, to: units, by: owner)
                        if owner == 1 { #expect(scene.ledger.moves == moves, place) }
                    case 2:
                        guard let index, !made[index].isRemoved else { continue }
                        made[index].isRemoved = true
                        try await scene.remove(made[index].id, by: owner)
                        if owner == 1 { #expect(scene.ledger.moves == moves, place) }
                    case 3:
                        guard let index, made[index].isRemoved else { continue }
                        made[index].isRemoved = false
                        _ = try await scene.restore(made[index].id, by: owner)
                        if owner == 1 { #expect(scene.ledger.moves == moves, place) }
                    case 4:
                        guard let index else { continue }
                        _ = try await scene.set(made[index].id)
                    case 5:
                        guard let index else { continue }
                        let user = scene.group.users[0]
                        try await scene.links.remove(made[index].id, of: scene.group.id, by: user)
                    case 6, 7:
                        let user = scene.group.users[0]
                        guard let index, let link = try await scene.stored(made[index].id)
                        else { continue }
                        let change =
                            owner == 0
                            ? scene.ledger.delete(link.id, of: user)
                            : scene.ledger.haveBack(link.id, of: user)
                        if let change { try await scene.hear(change) }
                    default: try await scene.finish()
                    }
                } catch is APIError {}
            }
            scene.ledger.keeps = nil
            try await scene.finish()
            var standing: [LedgerLink.Part] = []
            let membership = try await harness.parts.groups.membership(
                of: scene.group.users[0],
                in: scene.group.id
            )
            for one in made {
                let link = try await LedgerLinkStore.own(
                    one.id,
                    of: membership,
                    harness.database
                )
                guard let link, link.state != .ended else { continue }
                #expect([.current, .outdated].contains(link.state), place)
                if link.state == .current { #expect(link.isTrue, place) }
                if link.reason == nil { #expect((link.state == .current) == link.isTrue, place) }
                standing.append(link.posted)
                #expect(scene.ledger.entries[link.id]?.part == link.posted, place)
            }
            #expect(scene.ledger.standing.count == standing.count, place)
            let left = made.filter { !$0.isRemoved }.count
            #expect(try await scene.count() == left, place)
        }
    }
}
