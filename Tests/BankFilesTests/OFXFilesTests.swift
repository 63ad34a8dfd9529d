import Foundation
import Testing
import WalletProtocol

@testable import BankFiles

/// The real files of the test data folder.
///
/// The table was made from the files by hand and held up against ofxparse and ofxtools.
@Suite struct OFXFilesTests {
    struct Account: Equatable {
        let number: String
        let currency: String?
        let rows: [String]
        let opening: Int64?
        let closing: Int64?
        var faults: [Int] = []
    }

    enum Outcome: Equatable {
        case read([Account])
        case refused(line: Int)
    }

    static let expected: [String: Outcome] = [
        "bank_medium.ofx": .read([
            Account(
                number: "12300 000012345678",
                currency: "CAD",
                rows: [
                    "2009-04-01 -660 MCDONALD'S #112 0000123456782009040100001",
                    "2009-04-02 -31667 Joe's Bald Hairstyles 0000123456782009040200004",
                    "2009-04-03 -2200 CONNIE'S HAIR D 0000123456782009040300005",
                ],
                opening: 72_761,
                closing: 38_234
            )
        ]),
        "bank_small.ofx": .refused(line: 11),
        "checking.ofx": .read([
            Account(
                number: "1452687~7",
                currency: "USD",
                rows: [
                    "2011-03-31 1 DIVIDEND EARNED FOR PERIOD OF 03 0000486",
                    "2011-04-05 -3451 AUTOMATIC WITHDRAWAL, ELECTRIC BILL 0000487",
                    "2011-04-07 -2500 RETURNED CHECK FEE, CHECK # 319 0000488",
                ],
                opening: 16_049,
                closing: 10_099
            )
        ]),
        // Its row is of month 20 (line 36) and of «$120» (line 37).
        "decimal_error.ofx": .read([
            Account(
                number: "192639749",
                currency: "CAD",
                rows: [],
                opening: nil,
                closing: 0,
                faults: [36]
            )
        ]),
        "multiple_accounts.ofx": .read([
            Account(number: "9100", currency: "USD", rows: [], opening: 11_100, closing: 11_100),
            Account(number: "9200", currency: "USD", rows: [], opening: 22_200, closing: 22_200),
        ]),
        // CURDEF is empty, the row says AUD; the balance is empty.
        "ofx-v102-empty-tags.ofx": .read([
            Account(
                number: "12345678",
                currency: "AUD",
                rows: ["2018-05-07 1234 CBA:Transfer -"],
                opening: nil,
                closing: nil
            )
        ]),
        "suncorp.ofx": .read([
            Account(
                number: "123456789",
                currency: "AUD",
                rows: ["2013-12-15 -1685 EFTPOS WDL HANDYWAY ALDI STORE 1"],
                opening: 125_097,
                closing: 123_412
            )
        ]),
    ]

    @Test func everyRealFileReadsOrIsRefusedWithItsLine() throws {
        let environment = ProcessInfo.processInfo.environment
        let folder = (environment["EZWALLET_TEST_DATA"] ?? "../shared/data") + "/statements/ofx"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            #expect(environment["EZWALLET_REQUIRE_TEST_DATA"] != "1", "no \(folder)")
            return
        }
        #expect(Set(names.filter { $0.hasSuffix(".ofx") }) == Set(Self.expected.keys))
        for (name, expected) in Self.expected.sorted(by: { $0.key < $1.key }) {
            let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
            for format in [StatementFormat.ofx, nil] {
                let outcome = Self.outcome(Array(data), format)
                #expect(outcome == expected, "\(name)")
            }
        }
    }

    private static func outcome(_ bytes: [UInt8], _ format: StatementFormat?) -> Outcome? {
        do {
            let statements = try readStatements(bytes, format: format, assuming: .eur)
            return .read(statements.map(account))
        } catch .unreadable(let line, let detail) {
            return detail.isEmpty ? nil : .refused(line: line)
        } catch {
            return nil
        }
    }

    private static func account(_ statement: BankStatement) -> Account {
        Account(
            number: statement.accountNumber ?? "",
            currency: statement.currency?.code,
            rows: statement.rows.map {
                "\($0.day) \($0.amount) \($0.name) \($0.reference ?? "-")"
            },
            opening: statement.opening,
            closing: statement.closing,
            faults: statement.faults.map(\.line)
        )
    }
}
