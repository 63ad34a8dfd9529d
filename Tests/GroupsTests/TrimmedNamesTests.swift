import Loops
import Postgres
import TestKit
import Testing

@testable import GroupsService
@testable import ServiceKit

/// Names of before, with white space at their ends.
@Suite struct TrimmedNamesTests {
    private static let stood: SQLScript = """
        insert into groups.expense_group (id, name, currency, created_by)
        values ('00000000-0000-7000-8000-000000000001', ' Trip\u{A0}', 'EUR',
            '00000000-0000-7000-8000-000000000009');
        insert into groups.receiving_account (user_id, currency, iban, name)
        values ('00000000-0000-7000-8000-000000000009', 'EUR', 'IT60X0542811101000000123456',
            repeat(U&'\\0958', 69) || ' ');
        insert into groups.member (group_id, id, display_name)
        values ('00000000-0000-7000-8000-000000000001',
            '00000000-0000-7000-8000-000000000002', 'Bob ');
        insert into groups.category (group_id, id, name, name_folded, color)
        values ('00000000-0000-7000-8000-000000000001',
                '00000000-0000-7000-8000-000000000003', 'Café', 'café', 0),
            ('00000000-0000-7000-8000-000000000001',
                '00000000-0000-7000-8000-000000000004', ' Café ', ' café ', 0);
        """

    @Test func twinsAreNumbered() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("trimmed")
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        try await group.loops[0].actor.run { actor in
            let owner = Database(configuration: made.owner, loop: actor.loop)
            defer { owner.close() }
            let settings = [("ezwallet.service_role", made.serviceRole)]
            let all = groupsService.migrations
            let before = all.filter { $0.name < "0045" }
            _ = try await Migrations(files: before, settings: settings).run(on: owner)
            try await owner.lease { try await $0.executeScript(Self.stood) }
            let ran = try await Migrations(files: all, settings: settings).run(on: owner)
            #expect(ran.first?.hasPrefix("0045") == true)
            let found = try await owner.query(names)
            #expect(found == ["Bob", "Café 2|café 2|2", "Café|café|1", "Trip", "z69"])
        }
        try await made.drop()
    }
}

private let names = Statement(
    """
    select name || '|' || name_folded || '|' || version from groups.category
    where id <> group_id
    union all
    select name from groups.expense_group
    union all
    select display_name from groups.member
    union all
    select 'z' || char_length(name) from groups.receiving_account
    order by 1
    limit 10
    """
) { row in try row.string(0) }
