import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What the log keeps, and what the service's role may not do to it.
@Suite struct AuditLogTests {
    @Test func anEntryCommitsWithWhatItTellsOf() async throws {
        try await Harness.run { _, harness in
            let (admin, subject) = (ID<User>.new(), ID<User>.new())
            struct Refused: Error {}
            try? await harness.database.transaction { transaction in
                try await harness.parts.audit.append(
                    AuditEntry(.userRead, by: .user(admin), of: subject),
                    in: transaction
                )
                throw Refused()
            }
            let none = try await harness.database.queryOne(entryCount)
            #expect(none == 0)
            try await harness.database.transaction { transaction in
                try await harness.parts.audit.append(
                    [
                        AuditEntry(
                            .userCreated,
                            by: .operator,
                            of: subject,
                            detail: ["roles": ["admin"]],
                            texts: ["username": "anna", "email": "anna@example.org"]
                        ),
                        AuditEntry(.userRead, by: .user(admin), of: nil),
                    ],
                    in: transaction
                )
            }
            let some = try await harness.database.queryOne(entryCount)
            #expect(some == 2)
            let texts = try await harness.database.query(storedTexts)
            #expect(texts == [#"{"username":"anna","email":"anna@example.org"}"#])
            try await harness.parts.audit.eraseTexts(of: subject, in: harness.database)
            let left = try await harness.database.query(storedTexts)
            #expect(left.isEmpty)
            let kept = try await harness.database.query(storedDetails)
            #expect(kept == [#"{"roles":["admin"]}"#, "{}"])
        }
    }

    @Test func somebodyGetsWhatTheyDidThatIsAboutNobody() async throws {
        try await Harness.run { _, harness in
            let (officer, other) = (ID<User>.new(), ID<User>.new())
            let acts: [(ID<User>, ID<User>?)] = [(officer, nil), (officer, other), (other, nil)]
            for (actor, subject) in acts {
                try await harness.parts.audit.append(
                    AuditEntry(
                        .insightsRead,
                        by: .user(actor),
                        of: subject,
                        detail: ["path": .string("/v1/insights/usage")]
                    ),
                    in: harness.database
                )
            }
            let page = try await ExportPart.page(
                ExportQuery(part: "audit-acts"),
                of: officer,
                from: OwnExportStatements.parts,
                in: harness.database
            )
            let texts = page.items.map { String(decoding: $0.bytes, as: UTF8.self) }
            try #require(texts.count == 1)
            #expect(texts[0].contains(#""action":"insights-read""#))
            #expect(texts[0].contains(#""path":"/v1/insights/usage""#))
        }
    }

    @Test func theServiceCannotChangeNorTakeAwayWhatIsWritten() async throws {
        try await Harness.run { _, harness in
            try await harness.parts.audit.append(
                AuditEntry(.userRead, by: .operator, of: nil, texts: ["a": "b"]),
                in: harness.database
            )
            for statement in forbidden {
                do {
                    try await harness.database.execute(statement)
                    Issue.record("allowed: \(statement.sql)")
                } catch let error as DatabaseError {
                    guard case .server(let refusal) = error else { throw error }
                    #expect(refusal.sqlState == .insufficientPrivilege, "\(statement.sql)")
                }
            }
            let count = try await harness.database.queryOne(entryCount)
            #expect(count == 1)
        }
    }
}

private let entryCount = Statement("select count(*) from auth.audit_entry") { row in
    try row.int64(0)
}
private let storedTexts = Statement("select value from auth.audit_text order by entry_id") { row in
    try row.string(0)
}
private let storedDetails = Statement("select detail from auth.audit_entry order by id") { row in
    try row.string(0)
}

private let forbidden: [Statement<Void>] = [
    Statement("update auth.audit_entry set detail = '{}'"),
    Statement("update auth.audit_entry set at = now()"),
    Statement("delete from auth.audit_entry"),
    Statement("truncate auth.audit_entry cascade"),
    Statement("update auth.audit_text set value = 'x'"),
    Statement("truncate auth.audit_text"),
    Statement("update auth.chain_block set hash = '\\x00'"),
    Statement("delete from auth.chain_block"),
    Statement("truncate auth.chain_block"),
    Statement("update auth.chain_key set x = '\\x00'"),
    Statement("delete from auth.chain_key"),
    Statement("alter table auth.audit_entry disable trigger all"),
    Statement("alter table auth.audit_entry add column note text"),
    Statement("drop table auth.audit_entry cascade"),
    Statement("create trigger t before insert on auth.audit_entry execute function now()"),
    Statement("create rule r as on insert to auth.audit_entry do instead nothing"),
]
