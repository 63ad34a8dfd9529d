import Glibc
import Testing
import WalletProtocol

@testable import BankFiles

/// Files made to take long.
@Suite(.serialized) struct HostileStatementTests {
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

    private static let mt940 = ":20:X\n:25:1\n:60F:C240101EUR0,\n:61:240101C1,NTRFX\n"
    private static let camt = "<Document><BkToCstmrStmt><Stmt><Ntry><AddtlNtryInf>"

    /// Four times the bytes take some four times as long, not sixteen times.
    @Test(arguments: [
        (StatementFormat.mt940, mt940, ":86:" + String(repeating: "w ", count: 30) + "\n"),
        (.mt940, mt940 + ":86:", "166?20SVWZ+words?21"),
        (.mt940, mt940, ":NS:01words\n"),
        (.mt940, "", ":61:240101" + String(repeating: "x", count: 2_000) + "\n"),
        (.mt940, ":61:240101", String(repeating: "x", count: 30_000) + "\n"),
        (.mt940, mt940 + ":86:", "/REMI/words"),
        (.camt053, camt, "\n"), (.camt053, camt, "&#10;"), (.camt053, camt, "a\n"),
    ])
    func timeGrowsWithTheFile(_ format: StatementFormat, _ head: String, _ piece: String) {
        func file(_ size: Int) -> [UInt8] {
            let count = size / piece.utf8.count
            return Array((head + String(repeating: piece, count: count)).utf8)
        }
        func read(_ file: [UInt8]) {
            _ = try? readStatements(file, format: format, assuming: .eur)
        }
        let (small, large) = (
            file(StatementLimits.bytesMax / 200), file(StatementLimits.bytesMax / 50)
        )
        let short = seconds { read(small) }
        let long = seconds { read(large) }
        #expect(long < 9 * short + 0.05, "\(short) and \(long)")
    }

    @Test func manyMarksCostNoMoreThanOne() {
        let marks = [[UInt8]](repeating: [0xEF, 0xBB, 0xBF], count: 1_000_000)
        let file = Array(marks.joined()) + Array("é".utf8)
        #expect(FileText.utf8(file, charset: .undeclared) == Array("é".utf8))
    }

    @Test func theLargestFileOfOneRowIsRead() throws {
        let text = Self.mt940
        let piece = ":86:" + String(repeating: "w ", count: 500) + "\n"
        let count = (StatementLimits.bytesMax - 1_000) / piece.utf8.count
        let file =
            Array(text.utf8) + Array(String(repeating: piece, count: count).utf8)
            + Array(":62F:C240101EUR1,\n-\n".utf8)
        let statements = try readStatements(file, format: .mt940, assuming: .eur)
        let statement = try #require(statements.first)
        #expect(statement.refusal == nil)
        #expect(statement.rows.first?.description?.hasPrefix("w w") == true)
        #expect(statement.rows.first?.description?.unicodeScalars.count ?? 0 <= 2_000)
    }

    @Test func aTextInPiecesIsWhole() throws {
        let more =
            "<AddtlNtryInf>one\ntwo&amp;three<!-- c -->four<![CDATA[ <five>]]></AddtlNtryInf>"
        let row = try CamtReaderTests.row(CamtReaderTests.entry("1", more: more))
        #expect(row?.name == "one two&threefour <five>")
        #expect(row?.line == 5)
    }

    @Test func aLongElementNameIsRefused() {
        let name = String(repeating: "n", count: 257)
        let file = CamtReaderTests.file("<\(name)></\(name)>")
        #expect(throws: UnreadableStatement.self) { try CamtReaderTests.read(file) }
    }
}
