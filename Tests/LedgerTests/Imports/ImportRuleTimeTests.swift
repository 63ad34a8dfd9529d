import Glibc
import Testing
import WalletProtocol

@testable import BankFiles
@testable import LedgerService

/// Rules made to take long.
@Suite(.serialized) struct ImportRuleTimeTests {
    /// Seconds of this thread: what else the machine does is no matter.
    private func seconds(_ work: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        try work()
        return now() - start
    }

    /// Patterns that naive search compares again and again.
    @Test func rulesAreHeldAgainstATextInLinearTime() throws {
        let pattern = String(repeating: "a", count: 139) + "b"
        func rule(_ pattern: String) -> FoldedImportRule {
            FoldedImportRule(
                field: .both,
                comparison: .contains,
                pattern: Array(pattern.utf8),
                account: nil,
                direction: nil,
                category: .new()
            )
        }
        let last = rule("aac")
        let book = ImportRuleBook(rules: Array(repeating: rule(pattern), count: 199) + [last])
        func row(_ length: Int) -> StatementRow {
            StatementRow(
                line: 1,
                day: Day("2024-01-01")!,
                amount: 1,
                name: "n",
                description: String(repeating: "a", count: length) + "c",
                reference: nil
            )
        }
        let found = book.category(of: row(1_000), in: .new())
        #expect(found == last.category)
        let (small, large) = (row(20_000), row(80_000))
        let short = seconds { _ = book.category(of: small, in: .new()) }
        let long = seconds { _ = book.category(of: large, in: .new()) }
        #expect(long < 9 * short + 0.05)
    }
}
