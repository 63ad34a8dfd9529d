import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// What is kept for undoing merges of guests.
@Suite struct GuestMergeTests {
    @Test func mergesThatCannotBeUndoneAreDeleted() async throws {
        try await Harness.run { _, harness in
            let group = try await harness.makeGroup(of: 3)
            let insert = Statement<Void>(
                """
                insert into groups.guest_merge (group_id, guest_id, member_id, merged_at)
                select $1, guest, $3, now() - interval '9 minutes 59 seconds' * place
                from unnest($2::uuid[]) with ordinality as merged (guest, place)
                """
            )
            try await harness.database.execute(
                insert,
                group.id,
                Array(group.members.prefix(2)),
                group.members[2]
            )
            try await GuestMerges.deleteOld(in: harness.database)
            let left = Statement("select guest_id from groups.guest_merge limit 3") { row in
                try row.value(0, as: ID<Member>.self)
            }
            #expect(try await harness.database.query(left) == [group.members[0]])
        }
    }
}
