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

    /// Rows of one day stand as the bank booked them, whichever end of the file is the newest.
    @Test(arguments: [false, true])
    func rowsOfOneDayKeepTheFilesOrder(_ isNewestFirst: Bool) async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .current)
            let booked: [(day: String, amount: Int64)] = [
                ("260105", 100), ("260105", -80), ("260106", -5), ("260106", 30), ("260106", -1),
            ]
            var rows = booked.enumerated().map { place, row in
                TestStatement.Row(day: row.day, amount: row.amount, name: "Row \(place)")
            }
            if isNewestFirst { rows.reverse() }
            let statement = TestStatement(rows: rows)
            let id = try await books.preview(statement.bytes, into: account, of: ada)
            let committed = try await books.commit(id)
            #expect(committed == "committed")
            let listed = try await books.names(on: account)
            #expect(listed == booked.indices.map { "Row \($0)" })
            try await books.check()
        }
    }

    /// A transfer takes the place of the row that it is made of, in the other account, too.
    @Test func anOwnTransferStandsWhereItsRowStood() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let (one, other) = ("DE02120300000000202051", "DE02500105170137075030")
            let first = try await books.account(of: ada, .wallet)
            let second = try await books.account(of: ada, .wallet)
            let moved = TestStatement.Row(amount: -50, name: "Move", counterparty: other)
            var statement = TestStatement(
                number: one,
                rows: [moved, TestStatement.Row(amount: -1, name: "Fee")]
            )
            let near = try await books.preview(statement.bytes, into: first, of: ada)
            _ = try await books.commit(near)
            let came = TestStatement.Row(amount: 50, name: "Move", counterparty: one)
            statement = TestStatement(number: other, rows: [came])
            let far = try await books.preview(statement.bytes, into: second, of: ada)
            _ = try await books.commit(far)
            let lines = try await books.lines(of: first)
            #expect(lines.contains("2026-01-05 -50 Move (own)"))
            let listed = try await books.names(on: first)
            #expect(listed == ["Move", "Fee"])
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
