import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// The worker that takes imports in, on a real database.
@Suite struct ImportWorkTests {
    /// An import of one row, to be taken in.
    private func ask(
        _ books: Books,
        of user: ID<User>,
        into account: ID<Account>,
        named name: String
    ) async throws -> ID<StatementImport> {
        let id = ID<StatementImport>.new()
        try await books.owner.execute(insertImport, id, user, account)
        try await books.owner.execute(insertRow, id, name)
        return id
    }

    /// What the database can never take keeps nobody else from his turn.
    @Test func anImportThatAlwaysFailsIsGivenUp() async throws {
        try await LedgerRig().run { _, books in
            try await books.owner.lease {
                try await $0.executeScript(
                    """
                    alter table ledger.money_transaction add constraint harmless
                        check (name <> 'poison');
                    """
                )
            }
            let ada = try await books.person()
            let wallet = try await books.account(of: ada, .wallet)
            let bad = try await ask(books, of: ada, into: wallet, named: "poison")
            let good = try await ask(books, of: ada, into: wallet, named: "bread")
            let work = ImportWork(database: books.service, relayBell: RelayBell())
            var failures = 0
            for _ in 0..<4 {
                do { _ = try await work.doOne() } catch { failures += 1 }
            }
            #expect(failures == 1)
            let refused = try await books.owner.queryOne(stateOf, bad)
            #expect(refused?.state == "preview")
            #expect(refused?.refusal == "invalid-element")
            let done = try await books.owner.queryOne(stateOf, good)
            #expect(done?.state == "committed")
            #expect(try await books.balance(wallet) == 5)
            try await books.check()
        }
    }
}

private let insertImport = Statement<Void>(
    """
    insert into ledger.statement_import
        (id, user_id, account_id, state, format, row_count, duplicate_count, faults)
    values ($1, $2, $3, 'committing', 'csv', 1, 0, '[]')
    """
)
private let insertRow = Statement<Void>(
    """
    insert into ledger.import_row
        (import_id, place, line, day, amount, name, fingerprint, occurrence)
    values ($1, 0, 1, '2024-02-29', 5, $2, convert_to($2::text, 'UTF8'), 0)
    """
)
private let stateOf = Statement(
    "select state, refusal from ledger.statement_import where id = $1"
) { row in try (state: row.string(0), refusal: row.value(1, as: String?.self)) }
