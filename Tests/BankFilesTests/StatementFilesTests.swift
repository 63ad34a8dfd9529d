import Foundation
import Testing
import WalletProtocol

@testable import BankFiles

/// The real files of MT940 and camt.053 in the test data folder.
///
/// The table was made from the files by hand; the system tests hold the readers up against other
/// parsers.
@Suite struct StatementFilesTests {
    struct Account: Equatable, CustomStringConvertible {
        let number: String
        let currency: String?
        let rows: Int
        let opening: Int64?
        let closing: Int64?
        var refusedAt: Int?

        var description: String {
            "\(number) \(currency ?? "-") \(rows) rows, \(opening ?? -1) to \(closing ?? -1), "
                + "refused at \(refusedAt ?? 0)"
        }
    }

    static let expected: [String: [Account]] = [
        // 3,236.28 less 321.44 is not 876.84.
        "mt940/abnamro.sta": [
            Account(
                number: "517852257",
                currency: "EUR",
                rows: 10,
                opening: 323_628,
                closing: 184_975,
                refusedAt: 27
            )
        ],
        "mt940/february_30.sta": [
            Account(
                number: "12345678/1020304050",
                currency: "EUR",
                rows: 1,
                opening: 120_000,
                closing: 119_400
            )
        ],
        // Marks are money no longer.
        "mt940/mt940.sta": [
            Account(
                number: "45050050/76198810",
                currency: nil,
                rows: 11,
                opening: 8_434_974,
                closing: 8_443_704,
                refusedAt: 4
            ),
            Account(
                number: "10020030/1234567",
                currency: "EUR",
                rows: 2,
                opening: 218_795,
                closing: 438_795
            ),
            Account(
                number: "BPHKPLPK/320000546101",
                currency: "PLN",
                rows: 3,
                opening: 4_000_000,
                closing: 5_004_000
            ),
        ],
        // 229.20 less 79.90 and 10.10 more is 159.40.
        "mt940/postfinance.sta": [
            Account(
                number: "123456789",
                currency: "CHF",
                rows: 4,
                opening: 0,
                closing: 15_960,
                refusedAt: 27
            )
        ],
        "mt940/rabobank-iban.sta": [
            Account(
                number: "NL71RABO0123456789",
                currency: "EUR",
                rows: 4,
                opening: 100_000,
                closing: 93_000
            )
        ],
        "mt940/sns.sta": [
            Account(
                number: "0123456789",
                currency: "EUR",
                rows: 2,
                opening: 123_456,
                closing: 120_956
            )
        ],
        // A row without a statement around it.
        "mt940/sparkassen.sta": [
            Account(
                number: "",
                currency: nil,
                rows: 1,
                opening: nil,
                closing: nil,
                refusedAt: 1
            )
        ],
        "camt053/example-a.xml": [
            Account(
                number: "NL14SNSB0012345678",
                currency: "EUR",
                rows: 7,
                opening: 20_369,
                closing: 66_169
            ),
            Account(
                number: "NL78SNSB0022446688",
                currency: "EUR",
                rows: 4,
                opening: 185_913,
                closing: 166_087
            ),
        ],
    ]

    static func content(_ name: String) throws -> [UInt8]? {
        let environment = ProcessInfo.processInfo.environment
        let folder = (environment["EZWALLET_TEST_DATA"] ?? "../shared/data") + "/statements"
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
            #expect(environment["EZWALLET_REQUIRE_TEST_DATA"] != "1", "no \(folder)/\(name)")
            return nil
        }
        return [UInt8](data)
    }

    private static func account(_ statement: BankStatement) -> Account {
        Account(
            number: statement.accountNumber ?? "",
            currency: statement.currency?.code,
            rows: statement.rows.count,
            opening: statement.opening,
            closing: statement.closing,
            refusedAt: statement.refusal?.line ?? statement.balanceFault?.line
        )
    }

    @Test(arguments: expected.keys.sorted())
    func everyRealFileTiesOrIsRefusedWithItsLine(_ name: String) throws {
        guard let bytes = try Self.content(name) else { return }
        let format: StatementFormat = name.hasPrefix("mt940") ? .mt940 : .camt053
        for format in [format, nil] {
            let statements = try readStatements(bytes, format: format, assuming: .eur)
            #expect(statements.map(Self.account) == Self.expected[name])
            for statement in statements
            where statement.refusal == nil && statement.balanceFault == nil {
                #expect(statement.faults.isEmpty && statement.notes.isEmpty)
                let sum = statement.rows.reduce(statement.opening ?? 0) { $0 + $1.amount }
                #expect(sum == statement.closing)
            }
        }
    }

    @Test func aFileOfManyAccountsTiesInEachOfThem() throws {
        guard let bytes = try Self.content("mt940/sepa_mt9401.sta") else { return }
        let statements = try readStatements(bytes, format: nil, assuming: .eur)
        #expect(statements.flatMap(\.rows).count == 97)
        #expect(statements.count == 20)
        for statement in statements {
            #expect(statement.refusal == nil, "\(statement.accountNumber ?? "")")
            #expect(statement.faults.isEmpty)
        }
        let paged = statements.first { $0.accountNumber == "50880050/0194781300888" }
        #expect(paged?.opening == -4_043_220)
        #expect(paged?.closing == -10_085_445)
    }

    @Test func theTextsOfRealFilesAreUnderstood() throws {
        guard let bytes = try Self.content("mt940/rabobank-iban.sta"),
            let german = try Self.content("mt940/mt940.sta"),
            let camt = try Self.content("camt053/example-a.xml")
        else { return }
        let rabobank = try #require(
            try readStatements(bytes, format: nil, assuming: .eur).first
        )
        #expect(rabobank.rows.map(\.name).prefix(2) == ["CONTRA ACCOUNT HOLDER", "JOHN DOE"])
        #expect(rabobank.rows.last?.description == "Reference 201301234")
        let rows = try readStatements(german, format: nil, assuming: .eur).flatMap(\.rows)
        let rent = rows.first { $0.amount == -80_000 }
        #expect(rent?.name == "MUELLER")
        #expect(rent?.description == "Miete November")
        #expect(rent?.counterparty == "234567")
        #expect(rent?.day == Day("2002-11-02"))
        #expect(rows.first?.name == "PN5477SCHECK-NR. 0000016703074")
        let own = try readStatements(camt, format: nil, assuming: .eur)
        #expect(own.first?.rows[2].name == "GreatExample BV")
        #expect(own.first?.rows[2].counterparty == "NL78SNSB0022446688")
        #expect(own.last?.rows[0].counterparty == "NL14SNSB0012345678")
        #expect(own.last?.rows[1].day == Day("2026-02-05"))
    }
}
