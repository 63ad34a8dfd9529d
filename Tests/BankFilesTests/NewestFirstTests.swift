import Testing
import WalletProtocol

@testable import BankFiles

/// Which end of a file is the newest.
@Suite struct NewestFirstTests {
    private func isNewestFirst(_ rows: [String]) throws -> Bool {
        let text = "Date,Description,Amount,Balance\n" + rows.joined(separator: "\n") + "\n"
        let all = try readStatements(Array(text.utf8), format: .csv, assuming: .eur)
        return try #require(all.first).isNewestFirst
    }

    @Test func balancesProveItWithinADay() throws {
        let rows = ["2024-03-05,Shop,-5.00,95.00", "2024-03-05,Bar,-10.00,85.00"]
        #expect(try !isNewestFirst(rows))
        let reversed = ["2024-03-05,Bar,-10.00,85.00", "2024-03-05,Shop,-5.00,95.00"]
        #expect(try isNewestFirst(reversed))
    }

    @Test func daysTellItWithoutBalances() throws {
        let rows = ["2024-03-07,Shop,-5.00,", "2024-03-06,Bar,-1.00,", "2024-03-05,Bar,-3.00,"]
        #expect(try isNewestFirst(rows))
        #expect(try !isNewestFirst(rows.reversed()))
        #expect(try !isNewestFirst(["2024-03-07,Shop,-5.00,"]))
    }

    /// A row that is both ways in place says nothing; the days do.
    @Test func balancesThatTieBothWaysDecideNothing() throws {
        let rows = ["2024-03-07,In,5.00,15.00", "2024-03-06,Out,-5.00,10.00"]
        #expect(try isNewestFirst(rows))
    }
}
