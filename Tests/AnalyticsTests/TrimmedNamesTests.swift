import Loops
import Postgres
import TestKit
import Testing

@testable import AnalyticsService
@testable import ServiceKit

/// Names of before, with white space at their ends.
@Suite struct TrimmedNamesTests {
    private static let stood: SQLScript = """
        insert into analytics.saved_query (user_id, id, name, name_folded, query)
        values ('00000000-0000-7000-8000-000000000001',
                '00000000-0000-7000-8000-000000000003', 'Café', 'café', '{}'),
            ('00000000-0000-7000-8000-000000000001',
                '00000000-0000-7000-8000-000000000004', ' Café ', ' café ', '{}');
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
            let all = analyticsService.migrations
            let before = all.filter { $0.name < "0043" }
            _ = try await Migrations(files: before, settings: settings).run(on: owner)
            try await owner.lease { try await $0.executeScript(Self.stood) }
            let ran = try await Migrations(files: all, settings: settings).run(on: owner)
            #expect(ran.first?.hasPrefix("0043") == true)
            let found = try await owner.query(names)
            #expect(found == ["Café|café|1", "Café 2|café 2|2"])
        }
        try await made.drop()
    }
}

private let names = Statement(
    """
    select name || '|' || name_folded || '|' || version from analytics.saved_query
    order by id
    limit 10
    """
) { row in try row.string(0) }
