import Postgres
import ServiceKit
import TestKit
import Testing

@testable import AuthService

@Suite struct StatementTests {
    /// A handful of keys, and answers of two days: small, whatever comes.
    private static let whole: Set<String> = [
        "KeyStatements.list", "KeyStatements.live", "KeyStatements.retireSuperseded",
    ]

    @Test func everyStatementIsALookUpByTheIndexesThatItNames() async throws {
        let faults = try await WrittenStatement.faults(
            of: authService,
            // Auth consumes no journal, and has no marks of one.
            with: [
                "Shared/ServiceKit/Chain", "Shared/ServiceKit/Work", "Shared/Messaging/Consumer",
                "Shared/Messaging/Outbox", "Shared/Messaging/Relay",
            ],
            rows: [someRows],
            whole: Self.whole
        )
        for fault in faults { Issue.record("\(fault)") }
    }
}

/// So that the planner has something to choose by.
private let someRows: SQLScript = """
    insert into auth.audit_entry (id, actor, action, subject, detail, address_family, at, code)
    select md5('e' || n)::uuid, md5('a' || n % 50),
        case when n % 4 = 0 then 'user-erased' else 'a' || n % 20 end, md5('s' || n % 500)::uuid,
        '{}', 'IPv4', now(), decode(repeat('00', 32), 'hex')
    from generate_series(1, 5000) n;
    insert into auth.code_budget select 'subject ' || n, 1, now() from generate_series(1, 2000) n;
    analyze auth.audit_entry, auth.code_budget;
    """
