import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What a page costs, in blocks that are looked at: what has changed, and nothing of history.
@Suite struct ChangeCostTests {
    private static let zero = "00000000-0000-0000-0000-000000000000"

    @Test func aPageCostsTheSameWhateverTheHistory() async throws {
        try await LedgerRig().run { _, books in
            try await books.owner.lease { try await $0.executeScript(costFunction) }
            let user = try await books.person()
            let account = try await books.account(of: user, .wallet)
            try await Self.record(1_000, on: account, by: user, in: books)
            let few = try await Self.costs(of: user, in: books)
            let fewDeep = try await Self.firstLoad(of: user, account, in: books)
            try await Self.record(11_000, on: account, by: user, in: books)
            let many = try await Self.costs(of: user, in: books)
            let manyDeep = try await Self.firstLoad(of: user, account, in: books)
            // A tree is a level or two higher.
            for (statement, cost) in many {
                let before = try #require(few[statement])
                #expect(cost <= before + 12, "\(before) blocks, then \(cost): \(statement)")
                #expect(cost < 100, "\(cost): \(statement)")
            }
            #expect(manyDeep <= fewDeep * 2 + 20, "\(fewDeep) blocks, then \(manyDeep)")
            // After so many changes each page is one of its rows.
            #expect(manyDeep < 400, "\(manyDeep) blocks for 50 rows")
        }
    }

    private static func record(
        _ count: Int,
        on account: ID<Account>,
        by user: ID<User>,
        in books: Books
    ) async throws {
        for _ in 0..<count / 500 {
            let outcomes = try await books.service.post(
                (0..<500).map { .record(Int64($0) + 1, on: account, by: user) }
            )
            #expect(outcomes.allSatisfy { $0.status == .posted })
        }
        try await books.owner.lease { try await $0.executeScript("vacuum analyze;") }
    }

    /// A poll where nothing has changed: blocks by statement.
    private static func costs(of user: ID<User>, in books: Books) async throws -> [String: Int64] {
        let now = try #require(try await books.service.queryOne(ChangeStatements.horizon))
        let (floor, end) = (String(now.floor), String(now.end))
        let plain = [user.text, floor, zero, end, "50"]
        let scoped = [user.text, zero, floor, floor, zero, end, "50"]
        let lines = [user.text, zero, floor, String(Int64.max), end, "50"]
        let statements = [
            (ChangeStatements.access.sql, plain), (ChangeStatements.categories.sql, plain),
            (ChangeStatements.recurrences.sql, plain), (ChangeStatements.importRules.sql, plain),
            (ChangeStatements.standingOrders.sql, plain),
            (ChangeStatements.allocations.sql, plain),
            (ChangeStatements.changedAccounts.sql, [user.text, zero, floor, "50"]),
            (ChangeStatements.transactions.sql, lines), (ChangeStatements.touched.sql, scoped),
            (ChangeStatements.attachments.sql, scoped),
        ]
        var costs: [String: Int64] = [:]
        for (sql, arguments) in statements {
            costs[sql] = try await books.owner.queryOne(blocksOf, sql, arguments)
        }
        return costs
    }

    /// A page in the middle of a first load.
    private static func firstLoad(
        of user: ID<User>,
        _ account: ID<Account>,
        in books: Books
    ) async throws -> Int64 {
        let now = try #require(try await books.service.queryOne(ChangeStatements.horizon))
        let middle = try #require(try await books.owner.queryOne(middleOf, user))
        let arguments = [user.text, account.text, "0", middle, String(now.end), "50"]
        let sql = ChangeStatements.transactions.sql
        return try #require(try await books.owner.queryOne(blocksOf, sql, arguments))
    }
}

private let blocksOf = Statement("select blocks_of($1, $2::text[])") { row in try row.int64(0) }
private let middleOf = Statement(
    """
    select (max(seq) / 2)::text from ledger.money_transaction where user_id = $1
    """
) { row in try row.string(0) }

/// Runs a statement with its plan for good, and says how many blocks it has looked at.
private let costFunction: SQLScript = """
    create function blocks_of(statement text, arguments text[]) returns bigint
    language plpgsql
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_bitmapscan = off
    set jit = off
    as $$
    declare
        plan json;
    begin
        execute 'prepare costed as ' || statement;
        -- Once for what the catalogue costs.
        for round in 1 .. 2 loop
            execute 'explain (analyze, buffers, format json) execute costed('
                || (select string_agg(quote_literal(one), ',') from unnest(arguments) as one)
                || ')' into plan;
        end loop;
        execute 'deallocate costed';
        return (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint
            + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
    end
    $$;
    """
