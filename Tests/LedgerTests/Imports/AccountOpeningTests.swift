import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What an account was opened with, in whatever order its statements come and go.
@Suite struct AccountOpeningTests {
    private static func file(
        _ opening: Int64,
        _ rows: [(day: String, amount: Int64)],
        _ from: String,
        _ to: String
    ) -> TestStatement {
        TestStatement(
            opening: opening,
            rows: rows.map { .init(day: $0.day, amount: $0.amount, name: "Shop \($0.day)") },
            from: from,
            to: to
        )
    }

    private static let february = file(10_000, [("240205", -1_000)], "240131", "240229")
    private static let march = file(9_000, [("240305", -2_000)], "240229", "240331")
    private static let may = file(6_500, [("240505", -500)], "240430", "240531")

    @Test func olderStatementDecidesTheOpening() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .wallet)
            let newer = try await books.preview(Self.march.bytes, into: account, of: ada)
            #expect(try await books.commit(newer) == "committed")
            #expect(try await books.balance(account) == 7_000)
            let older = try await books.preview(Self.february.bytes, into: account, of: ada)
            #expect(try await books.differences(older) == [])
            #expect(try await books.commit(older) == "committed")
            #expect(try await books.differences(older) == [])
            #expect(try await books.balance(account) == 7_000)
            #expect(try await books.openings(of: account) == ["2024-01-31 10000"])
            try await books.check()
            // The newer one goes, and comes again.
            #expect(try await books.withdraw(newer) == "withdrawn")
            #expect(try await books.balance(account) == 9_000)
            let again = try await books.preview(Self.march.bytes, into: account, of: ada)
            #expect(try await books.commit(again) == "committed")
            // The older one goes: the opening is the newer one's again.
            #expect(try await books.withdraw(older) == "withdrawn")
            #expect(try await books.balance(account) == 7_000)
            #expect(try await books.openings(of: account) == ["2024-02-29 9000"])
            #expect(try await books.withdraw(again) == "withdrawn")
            #expect(try await books.balance(account) == 0)
            #expect(try await books.openings(of: account) == [])
            try await books.check()
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func missingStatementIsTold(_ order: [Int]) async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .wallet)
            let files = [Self.march, Self.may]
            for (number, file) in order.enumerated() {
                let id = try await books.preview(files[file].bytes, into: account, of: ada)
                let shown = try await books.differences(id)
                #expect(try await books.commit(id) == "committed")
                #expect(try await books.differences(id) == shown)
                #expect(shown.count == number)
                guard let told = shown.first else { continue }
                #expect(told.contains("has 65.00 EUR on 2024-05-31"), "\(told)")
                #expect(told.contains("says 60.00 EUR: the account differs by 5.00 EUR"))
            }
            #expect(try await books.balance(account) == 6_500)
            try await books.check()
        }
    }

    @Test func ownEntryBetweenTwoStatementsIsTold() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .wallet)
            let newer = try await books.preview(Self.march.bytes, into: account, of: ada)
            _ = try await books.commit(newer)
            try await books.enter(-300, "2024-02-10", on: account, of: ada)
            let older = try await books.preview(Self.february.bytes, into: account, of: ada)
            let shown = try await books.differences(older)
            #expect(shown.count == 2 && shown.allSatisfy { $0.contains("by -3.00 EUR") })
            _ = try await books.commit(older)
            #expect(try await books.differences(older) == shown)
            #expect(try await books.balance(account) == 6_700)
        }
    }

    /// It was opened by hand, or filled: only the difference is told.
    @Test func openingByHandStays() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .wallet)
            try await books.enter(8_500, "2024-01-01", on: account, of: ada)
            let id = try await books.preview(Self.march.bytes, into: account, of: ada)
            #expect(try await books.differences(id).first?.contains("by -5.00 EUR") == true)
            _ = try await books.commit(id)
            #expect(try await books.balance(account) == 6_500)
            #expect(try await books.openings(of: account) == [])
            let other = try await books.account(of: ada, .wallet)
            try await books.enter(9_000, "2024-01-01", on: other, of: ada)
            let fits = try await books.preview(Self.march.bytes, into: other, of: ada)
            #expect(try await books.differences(fits) == [])
        }
    }

    /// What is merged is on the statement: then the account holds nothing of the person's own.
    @Test func mergedEntryLeavesTheOpeningToTheStatement() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .wallet)
            let entered = try await books.enter(-2_000, "2024-03-04", on: account, of: ada)
            let id = try await books.preview(Self.march.bytes, into: account, of: ada)
            #expect(try await books.differences(id).count == 1)
            try await books.service.transaction { transaction in
                try await transaction.execute(
                    ImportStatements.mergeRows,
                    id,
                    [Int32(0)],
                    [Optional(entered)]
                )
                let record = try #require(
                    try await transaction.queryOne(ImportStatements.find, ada, id)
                )
                try await transaction.noteDifferences(record)
            }
            #expect(try await books.differences(id) == [])
            #expect(try await books.commit(id) == "committed")
            #expect(try await books.differences(id) == [])
            #expect(try await books.balance(account) == 7_000)
            #expect(try await books.withdraw(id) == "withdrawn")
            #expect(try await books.balance(account) == -2_000)
            try await books.check()
        }
    }

    /// A day may be cut in two: what the second file brings of it is after the first one's end.
    @Test func statementsThatShareADayAgree() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada, .wallet)
            let noon = Self.file(10_000, [("240205", -1_000)], "240131", "240205")
            let night = TestStatement(
                opening: 9_000,
                rows: [.init(day: "240205", amount: -700, name: "Late")],
                from: "240205",
                to: "240206"
            )
            for file in [night, noon] {
                let id = try await books.preview(file.bytes, into: account, of: ada)
                #expect(try await books.differences(id) == [])
                _ = try await books.commit(id)
                #expect(try await books.differences(id) == [])
            }
            #expect(try await books.balance(account) == 8_300)
        }
    }
}

extension Books {
    /// The opening entries that stand: `day amount`.
    func openings(of account: ID<Account>) async throws -> [String] {
        try await owner.query(openingsOf, account)
    }

    @discardableResult
    func enter(
        _ amount: Int64,
        _ day: String,
        on account: ID<Account>,
        of user: ID<User>
    ) async throws -> ID<MoneyTransaction> {
        var posting = Posting.record(amount, on: account, by: user)
        posting.day = Day(day)
        let outcomes = try await service.post([posting])
        #expect(outcomes.map(\.status) == [.posted])
        return try #require(posting.transaction)
    }
}

private let openingsOf = Statement(
    """
    select day || ' ' || case when credit_account = $1 then amount else -amount end
    from ledger.entry as made
    where kind = 'opening' and $1 in (credit_account, debit_account)
        and not exists (select from ledger.entry where reverses = made.id)
    order by day
    """
) { row in try row.string(0) }
