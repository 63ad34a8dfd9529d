import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What the service's role may not do, whatever fault or attacker uses it.
@Suite struct PrivilegeTests {
    @Test func theServiceCannotTouchMoneyButThroughTheFunction() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            _ = try await books.account(of: ada, holding: 100)
            for statement in forbidden {
                do {
                    try await books.service.execute(statement)
                    Issue.record("allowed: \(statement.sql)")
                } catch let error as DatabaseError {
                    guard case .server(let refusal) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                    #expect(refusal.sqlState == .insufficientPrivilege, "\(statement.sql)")
                }
            }
            try await books.check()
        }
    }

    /// Even where somebody granted TEMPORARY again by mistake.
    @Test func aTemporaryTableNamedLikeOursDoesNotStandInForIt() async throws {
        let rig = try await LedgerRig()
        let name = try #require(Identifier(rig.database.name))
        let role = try #require(Identifier(rig.database.serviceRole))
        try await rig.database.cluster.administer(
            SQLScript("grant temporary on database ", .name(name), " to ", .name(role))
        )
        try await rig.run { _, books in
            let ada = try await books.person()
            let one = try await books.account(of: ada, holding: 100)
            let other = try await books.account(of: ada)
            try await books.service.lease { lease in
                try await lease.executeScript(
                    """
                    set search_path = pg_temp, ledger;
                    create temporary table balance as select * from ledger.balance;
                    create temporary table entry (like ledger.entry);
                    create temporary table movement (like ledger.movement);
                    create temporary table operation (like ledger.operation);
                    create temporary table account as select * from ledger.account;
                    update balance set amount = 1000000;
                    """
                )
                let outcomes = try await lease.post([
                    .transfer(101, from: one, to: other, by: ada)
                ])
                #expect(outcomes.map(\.status) == [.insufficientFunds])
            }
            try await books.check()
        }
    }

    @Test func theServiceCannotMakeTemporaryTables() async throws {
        try await LedgerRig().run { _, books in
            do {
                try await books.service.execute(temporaryTable)
                Issue.record("a temporary table was made")
            } catch let error as DatabaseError {
                guard case .server(let refusal) = error else { throw error }
                #expect(refusal.sqlState == .insufficientPrivilege)
            }
        }
    }
}

private let temporaryTable = Statement<Void>("create temporary table balance (amount bigint)")

private let forbidden: [Statement<Void>] = [
    Statement("insert into ledger.balance (account_id) values (gen_random_uuid())"),
    Statement("update ledger.balance set amount = amount + 1"),
    Statement("delete from ledger.balance"),
    Statement("truncate ledger.balance"),
    Statement(
        """
        insert into ledger.entry (id, kind, day, recorded_at, leaf)
        values (gen_random_uuid(), 'record', now(), now(), '')
        """
    ),
    Statement("update ledger.entry set day = day"),
    Statement("update ledger.entry set request_hash = null"),
    Statement("delete from ledger.entry"),
    Statement("truncate ledger.entry cascade"),
    Statement(
        """
        insert into ledger.further_movement
            (entry_id, number, debit_account, credit_account, currency, amount)
        values (gen_random_uuid(), 2, gen_random_uuid(), gen_random_uuid(), 'EUR', 1)
        """
    ),
    Statement("update ledger.further_movement set amount = 1"),
    Statement("delete from ledger.further_movement"),
    Statement("truncate ledger.further_movement"),
    Statement("update ledger.money_transaction set amount = 1"),
    Statement("delete from ledger.money_transaction"),
    Statement("truncate ledger.money_transaction"),
    Statement("update ledger.transfer_terms set debit_amount = 1"),
    Statement("delete from ledger.transfer_terms"),
    Statement("delete from ledger.changed"),
    Statement("update ledger.operation set status = 'posted'"),
    Statement("delete from ledger.operation"),
    Statement("update ledger.account set kind = 'wallet'"),
    Statement("update ledger.account set currency = 'USD'"),
    Statement("update ledger.account set user_id = gen_random_uuid()"),
    Statement("update ledger.account set state = 'open'"),
    Statement("delete from ledger.account"),
    Statement("update ledger.quote set credit_amount = 1000"),
    Statement("create table ledger.mine (n int)"),
    Statement("create table public.mine (n int)"),
    Statement("alter table ledger.balance add column n int"),
    Statement("drop function ledger.post_batch_v1"),
    Statement("alter table ledger.entry disable trigger all"),
    Statement("create or replace view ledger.trial_balance as select 'EUR'::text, 0::numeric"),
]
