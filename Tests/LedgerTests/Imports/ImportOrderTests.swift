import Testing
import WalletProtocol

@testable import LedgerService

/// Accounts that may not fall below zero, and files in any order.
@Suite struct ImportOrderTests {
    @Test(
        arguments: [[-80, 100], [100, -80], [-60, -40, 100], [100, -100, 50, -50]] as [[Int64]]
    )
    func aFileIsTakenInAndBackWhateverItsOrder(_ amounts: [Int64]) async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .current)
            let rows = amounts.enumerated().map {
                TestStatement.Row(amount: $1, name: "Row \($0)")
            }
            let statement = TestStatement(rows: rows)
            let id = try await books.preview(statement.bytes, into: account, of: ada)
            let committed = try await books.commit(id)
            #expect(committed == "committed")
            let held = try await books.balance(account)
            #expect(held == amounts.reduce(0, +))
            let withdrawn = try await books.withdraw(id)
            #expect(withdrawn == "withdrawn")
            let left = try await books.balance(account)
            #expect(left == 0)
            try await books.check()
        }
    }

    /// More rows than one call takes, the incomes at the end.
    @Test func thousandsOfRowsAreTakenInAndBack() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .current)
            let out = (0..<1_500).map { TestStatement.Row(amount: -1, name: "Out \($0)") }
            let into = (0..<1_500).map { TestStatement.Row(amount: 1, name: "In \($0)") }
            let statement = TestStatement(rows: out + into)
            let id = try await books.preview(statement.bytes, into: account, of: ada)
            let committed = try await books.commit(id)
            #expect(committed == "committed")
            let withdrawn = try await books.withdraw(id)
            #expect(withdrawn == "withdrawn")
            try await books.check()
        }
    }

    /// What as a whole is more than there is stays out as a whole.
    @Test func whatDoesNotFitStaysOut() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .current, holding: 10)
            let rows = [100, -111].map { TestStatement.Row(amount: $0, name: "Row \($0)") }
            let statement = TestStatement(opening: 10, rows: rows)
            let refused = try await books.preview(statement.bytes, into: account, of: ada)
            let state = try await books.commit(refused)
            #expect(state == "preview")
            let held = try await books.balance(account)
            #expect(held == 10)
            try await books.check()
        }
    }
}
