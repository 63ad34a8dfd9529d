import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// Links that were there before it was kept which version is in the books.
@Suite struct LinkMigrationTests {
    private struct Old {
        let state: String
        let version: Int
        /// What the ledger has in truth: the last one that it did not refuse.
        let stands: Int
        let id = ID<LedgerLink>.new()
        let user = ID<User>.new()
    }

    /// Whichever of its versions the ledger has refused, a link ends by deleting what stands.
    @Test func whatStandsEndsItsLinkThoughLaterVersionsWereRefused() async throws {
        let old = [
            Old(state: "current", version: 1, stands: 1),
            Old(state: "current", version: 3, stands: 3),
            Old(state: "outdated", version: 2, stands: 1),
            Old(state: "outdated", version: 4, stands: 2),
            // The expense is again what stands.
            Old(state: "current", version: 3, stands: 2),
        ]
        let made = try await PostgresCluster.shared().makeDatabase("links")
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        try await group.loops[0].actor.run { actor in
            let owner = Database(configuration: made.owner, loop: actor.loop)
            defer { owner.close() }
            let settings = [("ezwallet.service_role", made.serviceRole)]
            let before = groupsService.migrations.filter { $0.name < "0031" }
            _ = try await Migrations(files: before, settings: settings).run(on: owner)
            for link in old {
                let version = Int32(link.version)
                try await owner.execute(insert, link.id, link.user, link.state, version)
            }
            let all = groupsService.migrations
            let ran = try await Migrations(files: all, settings: settings).run(on: owner)
            #expect(ran.first?.hasPrefix("0031") == true)
            for link in old {
                try await owner.transaction { transaction in
                    let change = ReceivablePostingChanged(
                        postingID: link.id.retagged(SharedPosting.self),
                        userID: link.user,
                        version: link.stands,
                        isPosted: false
                    )
                    try await LedgerLinkStore.follow(change, in: transaction)
                }
                let found = try await owner.queryOne(LedgerLinkStatements.find, link.id)
                #expect(found?.state == .ended && found?.isDeletedThere == true, "\(link)")
            }
        }
        try await made.drop()
    }
}

private let insert = Statement<Void>(
    """
    insert into groups.ledger_link (
        id, group_id, expense_id, member_id, user_id, state, account_id, paid, share, currency,
        day, version, transaction_id)
    values ($1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), $2, $3,
        gen_random_uuid(), 300, 100, 'EUR', '2026-03-01', $4, $1)
    """
)
