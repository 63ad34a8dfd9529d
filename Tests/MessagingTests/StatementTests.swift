import Loops
import Postgres
import TestKit
import Testing

@testable import Messaging

@Suite struct StatementTests {
    @Test func everyStatementIsALookUpByTheIndexesThatItNames() async throws {
        try await withBench(natsUp: false) { actor, bench in
            let owner = Database(configuration: bench.made.owner, loop: actor.loop)
            defer { owner.close() }
            try await owner.lease { try await $0.executeScript(explainFunction) }
            let slow = try await planText(of: "select id from outbox where type = $1", on: owner)
            #expect(slow.contains("Seq Scan on outbox"), "the check sees them")
            let faults = try await WrittenStatement.faults(
                under: ["Shared/Messaging"],
                on: bench.made,
                schema: "public",
                rows: []
            )
            for fault in faults { Issue.record("\(fault)") }
        }
    }
}
