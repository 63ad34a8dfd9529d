import Loops
import Postgres
import TestKit
import Testing

@testable import Messaging

private let explain = Statement("select explain_text($1, $2)") { row in try row.string(0) }

/// Plans a statement as it is planned for good: generic, and with sequential scans ruled out.
private let explainFunction = """
    create function explain_text(statement text, parameters bigint) returns setof text
    language plpgsql
    set enable_seqscan = off
    set plan_cache_mode = force_generic_plan
    as $$
    begin
        execute 'prepare explained as ' || statement;
        return query execute 'explain execute explained'
            || case when parameters = 0 then ''
                else '(' || rtrim(repeat('null,', parameters::int), ',') || ')' end;
        execute 'deallocate explained';
    end
    $$;
    """

@Suite struct StatementTests {
    private static let all: [(name: String, sql: String)] = [
        ("append", OutboxStatements.append.sql), ("head", OutboxStatements.head.sql),
        ("holes", OutboxStatements.holes.sql), ("save", OutboxStatements.save.sql),
        ("checkpoints", OutboxStatements.checkpoints.sql),
        ("deleteOld", OutboxStatements.deleteOld.sql), ("span", OutboxStatements.span.sql),
        ("isOlder", OutboxStatements.isOlder.sql), ("replay", OutboxStatements.replay.sql),
        ("lastSequence", OutboxStatements.lastSequence.sql),
        ("eraseOutbox", OutboxStatements.eraseOutbox.sql),
        ("figures", OutboxStatements.figures.sql),
        ("read", InboxStatements.read.sql), ("move", InboxStatements.move.sql),
        ("anyParked", InboxStatements.anyParked.sql),
        ("lock", InboxStatements.lock.sql),
        ("sequence", InboxStatements.sequence.sql), ("advance", InboxStatements.advance.sql),
        ("parked", InboxStatements.parked.sql), ("park", InboxStatements.park.sql),
        ("postpone", InboxStatements.postpone.sql), ("unpark", InboxStatements.unpark.sql),
        ("begin", BeginningStatements.begin.sql),
        ("beginRetry", BeginningStatements.beginRetry.sql),
        ("giveBack", BeginningStatements.giveBack.sql),
        ("nextParked", BeginningStatements.nextParked.sql),
        ("beginReading", BeginningStatements.beginReading.sql),
        ("endReading", BeginningStatements.endReading.sql), ("gaps", InboxStatements.gaps.sql),
        ("askedAgain", InboxStatements.askedAgain.sql),
        ("firstParked", InboxStatements.firstParked.sql),
        ("eraseParked", InboxStatements.eraseParked.sql),
        ("eraseDead", InboxStatements.eraseDead.sql), ("rebuilt", InboxStatements.rebuilt.sql),
    ]

    @Test func everyStatementGoesThroughAnIndex() async throws {
        try await withBench(natsUp: false) { actor, bench in
            let owner = Database(configuration: bench.made.owner, loop: actor.loop)
            defer { owner.close() }
            let whole = try script(explainFunction)
            try await owner.lease { try await $0.executeScript(whole) }
            let slow = try await owner.lease { lease in
                try await lease.query(explain, "select id from outbox where type = $1", 1)
            }
            #expect(slow.contains { $0.contains("Seq Scan on outbox") }, "the check sees them")
            for (name, sql) in Self.all {
                let numbers = sql.matches(of: /\$(\d+)/).compactMap { Int($0.1) }
                let plan = try await owner.lease { lease in
                    try await lease.query(explain, sql, numbers.max() ?? 0)
                }
                let scans = plan.filter { $0.contains("Seq Scan on") }
                #expect(scans.isEmpty, "\(name):\n\(plan.joined(separator: "\n"))")
            }
        }
    }
}
