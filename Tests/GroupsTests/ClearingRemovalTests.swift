import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// Settlements that their creditors take away with what they have cleared by them: both or neither,
/// with a ledger that refuses and dies.
@Suite struct ClearingRemovalTests {
    /// The first has paid 100.00 for all, and has got 15.00 of the second's part back.
    private func settled(
        _ harness: Harness
    ) async throws -> (scene: LinkScene, settlement: ID<Settlement>) {
        let scene = try await LinkScene(harness)
        _ = try await scene.add(10_000)
        let body = NewSettlement(
            withMemberID: scene.group.members[1],
            amount: Money(minorUnits: 1_500, .eur)
        )
        _ = try await scene.cleared.record(
            body,
            into: scene.account,
            in: scene.group.id,
            by: scene.group.users[0],
            today: scene.today,
            under: nil
        )
        return (scene, try #require(try await Self.seen(scene).first).id)
    }

    private static func seen(_ scene: LinkScene) async throws -> [SettlementView] {
        try await scene.harness.parts.settlements.list(
            PageQuery(),
            of: scene.group.id,
            for: scene.group.users[0]
        ).items
    }

    private static func remove(
        _ id: ID<Settlement>,
        _ scene: LinkScene,
        by index: Int = 0,
        ifMatch: EntityTags? = nil
    ) async throws {
        try await scene.cleared.remove(
            id,
            from: scene.group.id,
            by: scene.group.users[index],
            ifMatch: ifMatch
        )
    }

    private static func expect(
        _ paid: [Int64],
        _ links: [LedgerLinkState?],
        _ scene: LinkScene,
        _ comment: Comment? = nil
    ) async throws {
        #expect(scene.ledger.standing.map(\.paid.minorUnits).sorted() == paid, comment)
        #expect(try await seen(scene).map(\.link?.state) == links, comment)
    }

    @Test func whoMayNotTakeItAwayLeavesWhatItHasCleared() async throws {
        try await Harness.run { _, harness in
            let (scene, id) = try await settled(harness)
            try await harness.database.execute(archive, scene.group.id, true)
            await #expect(throws: APIError(.groupArchived)) { try await Self.remove(id, scene) }
            try await harness.database.execute(archive, scene.group.id, false)
            try await harness.database.execute(demote, scene.group.id, scene.group.members[0])
            let refused = await #expect(throws: APIError.self) { try await Self.remove(id, scene) }
            #expect(refused?.code == .forbidden)
            try await harness.database.execute(promote, scene.group.id, scene.group.members[0])
            let stale = await #expect(throws: APIError.self) {
                try await Self.remove(id, scene, ifMatch: "pending")
            }
            #expect(stale?.code == .preconditionFailed)
            try await scene.finish()
            try await Self.expect([1_500, 10_000], [.current], scene)
            try await Self.remove(id, scene, ifMatch: "recorded")
            try await Self.expect([10_000], [], scene)
            #expect(try await scene.rows() == 1)
            await #expect(throws: APIError.notFound) { try await Self.remove(id, scene) }
        }
    }

    /// Whoever began it might.
    @Test(arguments: LinkingLedger.Cut.allCases)
    func whatIsCutOffIsGoneOnWithThoughTheGroupIsPutAway(_ cut: LinkingLedger.Cut) async throws {
        try await Harness.run { _, harness in
            let (scene, id) = try await settled(harness)
            scene.ledger.cut = cut
            await #expect(throws: APIError(.unavailable)) { try await Self.remove(id, scene) }
            #expect(try await Self.seen(scene).map(\.link?.state) == [.ending])
            #expect(try await harness.told("group.settlement.removed") == 0)
            try await harness.database.execute(archive, scene.group.id, true)
            try await scene.finish()
            try await Self.expect([10_000], [], scene)
            #expect(try await harness.told("group.settlement.removed") == 1)
            #expect(try await scene.rows() == 1)
        }
    }

    @Test func whoAsksAgainGoesOnWithWhatWasCutOff() async throws {
        try await Harness.run { _, harness in
            let (scene, id) = try await settled(harness)
            scene.ledger.cut = .beforeItAnswers
            await #expect(throws: APIError(.unavailable)) { try await Self.remove(id, scene) }
            scene.ledger.cut = nil
            try await Self.remove(id, scene)
            try await Self.expect([10_000], [], scene)
            #expect(try await harness.told("group.settlement.removed") == 1)
        }
    }

    @Test(arguments: [false, true])
    func whatTheLedgerKeepsKeepsItsSettlement(isCutOff: Bool) async throws {
        try await Harness.run { _, harness in
            let (scene, id) = try await settled(harness)
            scene.ledger.cut = isCutOff ? .beforeItActs : nil
            scene.ledger.keeps = APIError(.insufficientFunds)
            let refusal = APIError(isCutOff ? .unavailable : .insufficientFunds)
            await #expect(throws: refusal) { try await Self.remove(id, scene) }
            try await scene.finish()
            try await Self.expect([1_500, 10_000], [.current], scene)
            #expect(try await harness.told("group.settlement.removed") == 0)
            scene.ledger.keeps = nil
            try await Self.remove(id, scene)
            try await Self.expect([10_000], [], scene)
        }
    }

    /// And so is what its creditor takes back meanwhile.
    @Test func whatAnotherTakesAwayMeanwhileIsTakenAwayOnce() async throws {
        try await Harness.run { _, harness in
            let (scene, id) = try await settled(harness)
            scene.ledger.cut = .beforeItActs
            await #expect(throws: APIError(.unavailable)) { try await Self.remove(id, scene) }
            try await Self.remove(id, scene, by: 2)
            #expect(try await Self.seen(scene).isEmpty)
            try await scene.finish()
            try await Self.expect([10_000], [], scene)
            #expect(try await scene.rows() == 1)
            #expect(try await harness.told("group.settlement.removed") == 1)
        }
    }
}

private let archive = Statement<Void>(
    """
    update groups.expense_group set archived_at = case when $2 then now() end where id = $1
    """
)
private let demote = Statement<Void>(
    """
    with changed as (update groups.expense_group set has_roles = true where id = $1)
    update groups.member set role = 'viewer' where group_id = $1 and id = $2
    """
)
private let promote = Statement<Void>(
    "update groups.member set role = 'admin' where group_id = $1 and id = $2"
)
