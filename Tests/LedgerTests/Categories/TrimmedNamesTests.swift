import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Names of before, with white space at their ends.
@Suite struct TrimmedNamesTests {
    private static let stood: SQLScript = """
        insert into ledger.person (user_id, currency, time_zone, display_name)
        values ('00000000-0000-7000-8000-000000000001', 'EUR', 'UTC', ' Ada\u{A0}');
        insert into ledger.category (id, user_id, name, name_folded, color, deleted_at)
        select ('00000000-0000-7000-8000-00000000010' || place)::uuid,
            '00000000-0000-7000-8000-000000000001', name, folded, 0,
            case when place = 6 then now() end
        from (values
            (1, ' Café ', ' café '), (2, 'Café', 'café'), (3, 'Café\u{3000}', 'café '),
            (4, 'Café 2', 'café 2'), (5, 'Other', 'other'), (6, 'Café ', 'café '),
            (7, '\u{200B}', '')
        ) as named (place, name, folded);
        insert into ledger.account (id, user_id, kind, currency, exponent, name, name_folded)
        values ('00000000-0000-7000-8000-000000000201',
                '00000000-0000-7000-8000-000000000001', 'wallet', 'EUR', 2, 'Cash ', 'cash '),
            ('00000000-0000-7000-8000-000000000202',
                '00000000-0000-7000-8000-000000000001', 'wallet', 'EUR', 2, ' Cash', ' cash');
        """

    @Test func twinsAreNumbered() async throws {
        let made = try await PostgresCluster.shared().makeDatabase("names")
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        try await group.loops[0].actor.run { actor in
            let owner = Database(configuration: made.owner, loop: actor.loop)
            defer { owner.close() }
            let settings = [
                (name: "ezwallet.service_role", value: made.serviceRole),
                (name: "ezwallet.poster_role", value: made.posterRole),
            ]
            let all = ledgerService.migrations
            let before = all.filter { $0.name < "0037" }
            _ = try await Migrations(files: before, settings: settings).run(on: owner)
            try await owner.lease { try await $0.executeScript(Self.stood) }
            let ran = try await Migrations(files: all, settings: settings).run(on: owner)
            #expect(ran.first?.hasPrefix("0037") == true)
            let categories = try await owner.query(categoryNames)
            #expect(
                categories == [
                    "Café 3|café 3", "Café|café", "Café 4|café 4", "Café 2|café 2",
                    "Other|other", "Café |café ", "\u{200B}|",
                ]
            )
            let accounts = try await owner.query(accountNames)
            #expect(accounts == ["Cash|cash|2", "Cash 2|cash 2|2"])
            let people = try await owner.query(personNames)
            #expect(people == ["Ada"])
        }
        try await made.drop()
    }
}

private let categoryNames = Statement(
    "select name || '|' || name_folded from ledger.category order by id limit 10"
) { row in try row.string(0) }
private let accountNames = Statement(
    """
    select name || '|' || name_folded || '|' || version from ledger.account
    where user_id is not null
    order by id
    limit 10
    """
) { row in try row.string(0) }
private let personNames = Statement("select display_name from ledger.person limit 10") { row in
    try row.string(0)
}
