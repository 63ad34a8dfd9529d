import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Every statement is a look-up, whatever the tables come to hold.
@Suite struct PlanTests {
    /// What is joined, or within a function, and the index that serves it.
    private static func statements() throws -> [(sql: String, index: String)] {
        let folders = FolderStatements.self
        let entries = { (isVerified: Bool) in
            JournalStatements.entries(from: 0, through: 1, limit: 1, isVerified: isVerified).sql
        }
        return [
            (entries(false), "entry_place_key"), (entries(true), "entry_place_key"),
            (entries(true), "further_movement_pkey"),
            // Of erase_person_v1: saga and purge wait for them.
            ("delete from ledger.quote where user_id = $1", "quote_user_idx"),
            ("delete from ledger.deletion where user_id = $1", "deletion_user_idx"),
            (
                """
                update ledger.account_member set left_at = now()
                where user_id = $1 and left_at is null
                """, "account_member_"
            ),
            (folders.find(.new(), for: .new()).sql, "folder_member_"),
            (folders.list(for: .new(), before: .new(), limit: 1).sql, "folder_member_user_id_idx"),
            (
                folders.changed(for: .new(), behind: .new(), since: "1", limit: 1).sql,
                "folder_member_user_id_idx"
            ),
            (folders.transaction(.new(), in: .new()).sql, "money_transaction_pkey"),
        ] + planningStatements()
    }

    /// A connection keeps the plan that it made while the tables were empty.
    @Test func whatIsPlannedWhileThereIsNothingIsALookUp() async throws {
        let statements = [
            SearchStatements.texts.sql, TransactionStatements.findAll([], for: .new()).sql,
            TransactionStatements.find(.new(), for: .new()).sql,
        ]
        try await LedgerRig().run { _, books in
            try await books.owner.lease { try await $0.executeScript(explainFunction) }
            for sql in statements {
                let text = try await planText(of: sql, on: books.owner)
                let others = text.matches(of: /money_transaction_(\w+)/).map { String($0.1) }
                #expect(Set(others) == ["pkey"], "\(sql)\n\(text)")
            }
        }
    }

    /// Of one row, or they go through the books from end to end: as whoever calls them wants it.
    private static let whole: Set<String> = [
        "AccountStatements.nextNumber", "HorizonStatements.drawn", "SearchStatements.advance",
        "SearchStatements.fresh",
        "SearchStatements.lock", "VerifyStatements.countMovements",
        "IntegrityStatements.trialBalance", "BookChecks.accounts", "BookChecks.lines",
        "BookChecks.claims", "BookChecks.movements", "BookChecks.strayBlocks",
        "BookChecks.transactions", "BookChecks.transfers", "BookChecks.trialBalance",
    ]

    @Test func everyStatementIsALookUpByTheIndexesThatItNames() async throws {
        let faults = try await WrittenStatement.faults(
            under: ["Services/Ledger/Service", "Shared/Receipts"],
            on: try await LedgerRig().database,
            schema: "ledger",
            rows: [someRows, planningRows],
            whole: Self.whole
        )
        for fault in faults { Issue.record("\(fault)") }
    }

    @Test func whatIsJoinedIsALookUpToo() async throws {
        try await LedgerRig().run { _, books in
            try await books.owner.lease { try await $0.executeScript(explainFunction) }
            try await books.owner.lease { try await $0.executeScript(someRows) }
            try await books.owner.lease { try await $0.executeScript(planningRows) }
            for (sql, index) in try Self.statements() {
                let text = try await planText(of: sql, on: books.owner)
                #expect(!text.contains("Seq Scan on"), "\(sql)\n\(text)")
                // An id that is sent as text is not what a list is in order of.
                #expect(!text.contains("Sort Key: ((xid)::text)"), "\(sql)")
                #expect(text.contains(index), "\(sql)\n\(text)")
            }
        }
    }
}

/// 200 people, so that the planner has something to choose by.
let someRows: SQLScript = """
    insert into ledger.person
    select md5('u' || n)::uuid, 'EUR', 'UTC', 'Somebody' from generate_series(0, 199) n;
    insert into ledger.category (id, user_id, name, name_folded, color, is_default)
    select md5('c' || n)::uuid, md5('u' || n % 200)::uuid, n::text, n::text, 0, n < 200
    from generate_series(0, 1999) n;
    insert into ledger.account
        (id, user_id, kind, currency, exponent, name, name_folded, iban)
    select md5('a' || n)::uuid, md5('u' || n % 200)::uuid, 'wallet', 'EUR', 2, n::text, n::text,
        'XX' || n
    from generate_series(0, 599) n;
    insert into ledger.account_member (account_id, user_id, role, invitation_id, left_at)
    select md5('a' || n)::uuid, md5('u' || (n + m) % 200)::uuid,
        case when m < 3 then 'viewer' else 'editor' end, gen_random_uuid(),
        case when m = 4 then now() end
    from generate_series(0, 599, 2) n cross join generate_series(1, 5) m;
    analyze ledger.account_member;
    insert into ledger.entry (id, kind, day, recorded_at, leaf)
    select md5('e' || n)::uuid, 'record', '2024-01-01', now(), '' from generate_series(1, 20000) n;
    insert into ledger.money_transaction
        (id, version, entry_id, money_entry_id, account_id, user_id, amount, seq, day, category_id,
        name, recorded_at, words_hash)
    select md5('t' || n)::uuid, 1, md5('e' || n)::uuid, md5('e' || n)::uuid,
        md5('a' || n % 600)::uuid, md5('u' || n % 200)::uuid, n, n, date '2023-01-01' + n % 700,
        md5('c' || n % 2000)::uuid, 'a row', now(), ''
    from generate_series(1, 20000) n;
    insert into ledger.attachment
        (id, transaction_id, user_id, name, media_type, size, sha256, deleted_at)
    select md5('f' || n)::uuid, md5('t' || n % 500)::uuid, md5('u' || n % 200)::uuid, 'a file',
        'image/png', 1, decode(repeat('00', 32), 'hex'), case when n % 5 = 0 then now() end
    from generate_series(1, 3000) n;
    insert into ledger.attachment_chunk
    select id, 0, user_id, 'a' from ledger.attachment;
    analyze ledger.attachment, ledger.attachment_chunk;
    analyze ledger.person, ledger.category, ledger.account, ledger.balance, ledger.entry,
        ledger.money_transaction;
    """
