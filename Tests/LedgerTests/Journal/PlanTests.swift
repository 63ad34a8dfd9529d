import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Every statement is a look-up, whatever the tables come to hold.
@Suite struct PlanTests {
    /// What the service sends, and the index that serves it.
    private static func statements() throws -> [(sql: String, index: String)] {
        let (accounts, categories) = (AccountStatements.self, CategoryStatements.self)
        let entries = { (after: ID<ChainFault>?, checksTexts: Bool) in
            JournalStatements.entries(
                from: 0,
                after: after,
                through: 1,
                limit: 1,
                checksTexts: checksTexts
            ).sql
        }
        return [
            (entries(nil, false), "entry_xid_idx"),
            (entries(.new(), false), "entry_xid_idx"),
            (entries(.new(), true), "entry_xid_idx"),
            (entries(nil, true), "movement_entry_id_idx"),
            (JournalStatements.highest.sql, "entry_xid_idx"),
            (JournalStatements.addSums.sql, "movement_entry_id_idx"),
            (JournalStatements.signingKey.sql, "chain_signing_key_pkey"),
            (VerifyStatements.wrongSum.sql, "movement_entry_id_idx"),
            (VerifyStatements.transactionsOf.sql, "entry_pkey"),
            (VerifyStatements.rowsOf.sql, "entry_pkey"),
            (VerifyStatements.last.sql, "verification_finished_at_idx"),
            (VerifyStatements.head.sql, "chain_block_pkey"),
            (VerifyStatements.deleteOld.sql, "verification_finished_at_idx"),
            (accounts.find.sql, "account_"),
            (accounts.listOpen.sql, "account_user_id_idx"),
            (accounts.listAll.sql, "account_user_id_idx"),
            (accounts.oldest.sql, "account_user_id_idx"),
            (accounts.references.sql, "account_pkey"),
            (accounts.referencesByIBAN.sql, "account_iban_key"),
            (accounts.openNames.sql, "account_"),
            (accounts.change.sql, "account_"),
            (categories.find.sql, "category_"),
            (categories.lock.sql, "category_"),
            (categories.findDefault.sql, "category_default_key"),
            (categories.list.sql, "category_name_key"),
            (categories.colours.sql, "category_"),
            (categories.hasChildren.sql, "category_parent_id_idx"),
            (categories.change.sql, "category_"),
            (categories.raiseChildren.sql, "category_parent_id_idx"),
            (categories.delete.sql, "category_"),
            (categories.toSweep.sql, "category_sweep_idx"),
            (categories.swept.sql, "category_pkey"),
            (categories.sweepAgain.sql, "category_pkey"),
            (categories.wouldOverdraw.sql, "money_transaction_category_idx"),
            (categories.label.sql, "category_"),
            (PeopleStatements.find.sql, "person_pkey"),
            (PeopleStatements.update.sql, "person_pkey"),
            (TransferStatements.quotes.sql, "quote_"),
            (TransferStatements.deleteOldQuotes.sql, "quote_expires_at_idx"),
            (TransferStatements.find.sql, "transfer_pkey"),
            (TransferStatements.standing.sql, "account_pkey"),
            (TransferStatements.posted.sql, "operation_pkey"),
            (TransferStatements.decided.sql, "operation_pkey"),
            (TransferStatements.overdue.sql, "transfer_expires_at_idx"),
            (StepUpStatements.withdraw.sql, "sending_pkey"),
            // Of erase_person_v1: saga and purge wait for them.
            ("delete from ledger.quote where user_id = $1", "quote_user_idx"),
            ("delete from ledger.deletion where user_id = $1", "deletion_user_idx"),
        ] + planningStatements() + importStatements() + changeStatements()
    }

    /// Those of statements and receipts; one list of all is more than the compiler takes.
    private static func documents() -> [(sql: String, index: String)] {
        [
            (StatementStatements.account.sql, "account_"),
            (StatementStatements.sums.sql, "money_transaction_account_idx"),
            (StatementStatements.lines.sql, "money_transaction_account_idx"),
            (AttachmentStatements.mayUse.sql, "money_transaction_pkey"),
            (AttachmentStatements.room.sql, "attachment_transaction_idx"),
            (AttachmentStatements.isKnownKey.sql, "idempotency_key_pkey"),
            (AttachmentStatements.insertChunk.sql, "attachment_upload_pkey"),
            (AttachmentStatements.endUpload.sql, "attachment_upload_pkey"),
            (AttachmentStatements.lockUsage.sql, "attachment_usage_pkey"),
            (AttachmentStatements.addUsage.sql, "attachment_usage_pkey"),
            (AttachmentStatements.list.sql, "attachment_transaction_idx"),
            (AttachmentStatements.find.sql, "attachment_"),
            (AttachmentStatements.chunk.sql, "attachment_chunk_pkey"),
            (AttachmentStatements.remove.sql, "attachment_pkey"),
            (AttachmentStatements.removeChunks.sql, "attachment_chunk_pkey"),
            (AttachmentStatements.takeAbandoned.sql, "attachment_upload_started_at_idx"),
            (AttachmentStatements.someAfter.sql, "attachment_pkey"),
            (AttachmentStatements.ended.sql, "money_transaction_pkey"),
            (AttachmentStatements.eraseChunks.sql, "attachment_chunk_user_idx"),
            (AttachmentStatements.eraseSome.sql, "attachment_"),
            (AttachmentStatements.eraseShared.sql, "attachment_"),
            (AttachmentStatements.eraseUploads.sql, "attachment_upload_user_idx"),
            (AttachmentStatements.eraseUsage.sql, "attachment_usage_pkey"),
            (AttachmentExportStatements.attachments.sql, "attachment_user_idx"),
            (AttachmentExportStatements.attachmentContents.sql, "attachment_user_idx"),
        ]
    }

    /// Those of wallets with other people.
    private static func members() -> [(sql: String, index: String)] {
        [
            (MemberStatements.role.sql, "account_pkey"),
            (MemberStatements.access.sql, "account_member_"),
            (MemberStatements.list.sql, "account_member_"),
            (MemberStatements.lock.sql, "account_pkey"),
            (MemberStatements.find.sql, "account_member_"),
            (MemberStatements.count.sql, "account_member_"),
            (MemberStatements.change.sql, "account_member_"),
            (MemberStatements.end.sql, "account_member_"),
            (MemberStatements.ended.sql, "account_member_"),
            (AccountStatements.listOpen.sql, "account_member_"),
            (AccountStatements.listAll.sql, "account_member_"),
            (TransactionStatements.met.sql, "account_member_"),
            (TransactionStatements.accounts.sql, "account_member_"),
            (AttachmentStatements.owner.sql, "attachment_pkey"),
            (AllowanceStatements.find.sql, "allowance_"),
            (AllowanceStatements.findReleased.sql, "allowance_user_idx"),
            (AllowanceStatements.payment.sql, "allowance_payment_pkey"),
            (TransferStatements.sides.sql, "transfer_pkey"),
            // Of erase_person_v1.
            (
                """
                update ledger.account_member set left_at = now()
                where user_id = $1 and left_at is null
                """, "account_member_"
            ),
            (AccountStatements.count.sql, "account_user_id_idx"),
            (ExportStatements.byOthers.sql, "money_transaction_account_idx"),
        ]
    }

    /// Those of folders.
    private static func folders() -> [(sql: String, index: String)] {
        let folders = FolderStatements.self
        return [
            (folders.find(.new(), for: .new()).sql, "folder_member_"),
            (folders.list(for: .new(), before: .new(), limit: 1).sql, "folder_member_user_id_idx"),
            (
                folders.changed(for: .new(), behind: .new(), since: "1", limit: 1).sql,
                "folder_member_user_id_idx"
            ),
            (folders.lock.sql, "folder_"),
            (folders.rename.sql, "folder_pkey"),
            (folders.touch.sql, "folder_pkey"),
            (folders.delete.sql, "folder_pkey"),
            (folders.accessOf.sql, "folder_member_"),
            (folders.writable.sql, "folder_member_"),
            (folders.readers.sql, "folder_member_"),
            (folders.right.sql, "folder_member_"),
            (folders.members.sql, "folder_member_"),
            (folders.findMember.sql, "folder_member_"),
            (folders.countMembers.sql, "folder_member_"),
            (folders.changeMember.sql, "folder_member_"),
            (folders.endMember.sql, "folder_member_"),
            (folders.endMembers.sql, "folder_member_"),
            (folders.categories.sql, "folder_category_pkey"),
            (folders.takeCategory.sql, "folder_category_"),
            (folders.takeCategories.sql, "folder_category_"),
            (folders.takeAllCategories.sql, "folder_category_pkey"),
            (folders.dropCategory.sql, "folder_category_category_idx"),
            (folders.touchOfCategory.sql, "folder_category_category_idx"),
            (folders.countOwn.sql, "folder_member_"),
            (folders.accounts.sql, "account_user_id_idx"),
            (folders.transaction(.new(), in: .new()).sql, "money_transaction_pkey"),
            (ChangeStatements.folderAccess.sql, "folder_member_xid_idx"),
            (PlanningExportStatements.folders.sql, "folder_member_user_id_idx"),
        ]
    }

    /// `select xid::text … order by xid` is in the order of the texts.
    @Test func theSearchWorkersEntriesComeInTheOrderOfTheirNumbers() {
        let order = SearchStatements.entries.sql.split(separator: "order by").last
        #expect(order?.contains("entry.xid") == true)
    }

    /// A connection keeps the plan that it made while the tables were empty.
    @Test func whatIsPlannedWhileThereIsNothingIsALookUp() async throws {
        let statements = [
            SearchStatements.texts.sql, TransactionStatements.findAll([], for: .new()).sql,
            TransactionStatements.find(.new(), for: .new()).sql,
        ]
        try await LedgerRig().run { _, books in
            try await books.owner.lease { try await $0.executeScript(plannedFunction) }
            for sql in statements {
                let numbers = sql.matches(of: /\$(\d+)/).compactMap { Int($0.1) }
                let plan = try await books.owner.query(planned, sql, numbers.max() ?? 0)
                let text = plan.joined(separator: "\n")
                let others = text.matches(of: /money_transaction_(\w+)/).map { String($0.1) }
                #expect(Set(others) == ["pkey"], "\(sql)\n\(text)")
            }
        }
    }

    @Test func everyStatementIsALookUp() async throws {
        try await LedgerRig().run { _, books in
            try await books.owner.lease { try await $0.executeScript(plannedFunction) }
            try await books.owner.lease { try await $0.executeScript(someRows) }
            try await books.owner.lease { try await $0.executeScript(planningRows) }
            let all = try Self.statements() + Self.documents() + Self.members() + Self.folders()
            for (sql, index) in all {
                let numbers = sql.matches(of: /\$(\d+)/).compactMap { Int($0.1) }
                let plan = try await books.owner.query(planned, sql, numbers.max() ?? 0)
                let text = plan.joined(separator: "\n")
                #expect(!text.contains("Seq Scan on"), "\(sql)\n\(text)")
                // An id that is sent as text is not what a list is in order of.
                #expect(!text.contains("Sort Key: ((xid)::text)"), "\(sql)")
                #expect(text.contains(index), "\(sql)\n\(text)")
            }
        }
    }
}

let planned = Statement("select explain_text($1, $2)") { row in try row.string(0) }

/// Plans a statement as it is planned for good: generic, and with sequential scans ruled out.
let plannedFunction: SQLScript = """
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
    insert into ledger.entry (id, kind, day, recorded_at)
    select md5('e' || n)::uuid, 'record', '2024-01-01', now() from generate_series(1, 20000) n;
    insert into ledger.money_transaction
        (id, version, entry_id, money_entry_id, account_id, user_id, amount, day, category_id,
        name, recorded_at, words_hash)
    select md5('t' || n)::uuid, 1, md5('e' || n)::uuid, md5('e' || n)::uuid,
        md5('a' || n % 600)::uuid, md5('u' || n % 200)::uuid, n, date '2023-01-01' + n % 700,
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
