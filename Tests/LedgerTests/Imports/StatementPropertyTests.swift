import Foundation
import Testing
import WalletProtocol

@testable import LedgerService

/// What holds of all statements.
@Suite struct StatementPropertyTests {
    static let seeds: [UInt64] = [1, 2, 0xDEAD_BEEF, .random(in: 0...UInt64.max)]

    @Test(arguments: seeds)
    func whatOFXWritesReadsBackTheSame(_ seed: UInt64) throws {
        var random = StatementRandom(seed: seed)
        for round in 0..<150 {
            let meant = MeantStatement(&random)
            let bytes = writtenOFX(meant, &random)
            let format: StatementFormat? = random.pick([nil, .ofx])
            let statements = try? readStatements(bytes, format: format, assuming: .gbp)
            let statement = statements?.first
            let rows = statement?.rows.map { MeantRow($0) }
            #expect(rows == meant.rows, "seed \(seed), round \(round)")
            #expect(statement?.faults == [], "seed \(seed), round \(round)")
            #expect(statement?.currency == meant.currency, "seed \(seed), round \(round)")
            #expect(statement?.accountNumber == "A 1", "seed \(seed), round \(round)")
            #expect(statement?.opening == meant.opening, "seed \(seed), round \(round)")
            #expect(statement?.closing == meant.closing, "seed \(seed), round \(round)")
            #expect(statement?.from == Day("1990-01-01"), "seed \(seed), round \(round)")
            #expect(statement?.to == Day("2050-12-31"), "seed \(seed), round \(round)")
        }
    }

    @Test(arguments: seeds)
    func whatCSVWritesReadsBackTheSame(_ seed: UInt64) throws {
        var random = StatementRandom(seed: seed)
        var tied = 0
        for round in 0..<150 {
            let meant = MeantStatement(&random)
            let bytes = writtenCSV(meant, &random)
            let format: StatementFormat? = random.pick([nil, .csv])
            let statements = try? readStatements(bytes, format: format, assuming: meant.currency)
            let statement = statements?.first
            let rows = statement?.rows.map { MeantRow($0) } ?? []
            let isSame = rows == meant.rows || rows.reversed() == meant.rows
            #expect(
                isSame,
                "seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self))"
            )
            #expect(statement?.faults == [], "seed \(seed), round \(round)")
            if statement?.closing != nil {
                tied += 1
                #expect(statement?.opening == meant.opening, "seed \(seed), round \(round)")
                #expect(statement?.closing == meant.closing, "seed \(seed), round \(round)")
            }
        }
        // Half of the files tell balances.
        #expect(tied > 40, "seed \(seed)")
    }

    @Test(arguments: seeds)
    func whateverTheBytesAStatementOrARefusalComes(_ seed: UInt64) {
        var random = StatementRandom(seed: seed)
        var samples = OFXFilesTests.expected.keys.sorted().compactMap { name in
            let folder =
                ProcessInfo.processInfo.environment["EZWALLET_TEST_DATA"] ?? "../shared/data"
            return FileManager.default.contents(atPath: "\(folder)/statements/ofx/\(name)")
                .map { [UInt8]($0) }
        }
        for _ in 0..<10 {
            samples.append(writtenOFX(MeantStatement(&random), &random))
            samples.append(writtenCSV(MeantStatement(&random), &random))
        }
        for round in 0..<300 {
            var bytes = random.pick(samples)
            for _ in 0...random.below(12) { Self.mutate(&bytes, &random) }
            for format in [StatementFormat.ofx, .csv, nil] {
                do {
                    let statements = try readStatements(bytes, format: format, assuming: .eur)
                    let complaint = Self.complaint(statements, bytes)
                    #expect(complaint == nil, "seed \(seed), round \(round)")
                } catch .unreadable(let line, let detail) {
                    #expect(line >= 1 && !detail.isEmpty, "seed \(seed), round \(round)")
                } catch {
                    #expect(format == nil, "seed \(seed), round \(round)")
                }
            }
        }
    }

    /// What a statement may never be.
    private static func complaint(_ statements: [BankStatement], _ bytes: [UInt8]) -> String? {
        if statements.isEmpty { return "no statement" }
        for statement in statements {
            for row in statement.rows {
                if !(1...bytes.count + 1).contains(row.line) { return "line \(row.line)" }
                let texts = [
                    (row.name, 140), (row.description ?? "x", 2_000), (row.reference ?? "x", 255),
                ]
                for (text, scalarsMax) in texts {
                    let isClean = !text.unicodeScalars.contains { $0.value < 32 }
                    if text.isEmpty || text.unicodeScalars.count > scalarsMax || !isClean
                        || text.hasPrefix(" ") || text.hasSuffix(" ")
                    {
                        return "the text «\(text)»"
                    }
                }
            }
            guard let opening = statement.opening else { continue }
            let sum = statement.rows.reduce(opening) { $0 &+ $1.amount }
            if statement.closing != sum || !statement.faults.isEmpty { return "no tie" }
        }
        return nil
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout StatementRandom) {
        guard !bytes.isEmpty else { return }
        let at = random.below(bytes.count)
        let end = min(bytes.count, at + 1 + random.below(40))
        switch random.below(7) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[at] ^= 1 << UInt8(random.below(8))
        case 2: bytes.insert(random.pick(Array("<>/&;\"',.\n\r\t\u{0}!?-[]()".utf8)), at: at)
        case 3: bytes.removeSubrange(at..<end)
        case 4: bytes.insert(contentsOf: bytes[at..<end], at: random.below(bytes.count))
        case 5: bytes.removeSubrange((random.chance(20) ? at : bytes.count - 1)...)
        default:
            let word = random.pick([
                "<STMTTRN>", "</STMTTRN>", "<!--", "<![CDATA[", "]]>", "<?", "<A>", "&#0;",
                "&#xD800;", "</OFX>", "<STMTRS>", "\"\"", "99999999999999999999", "\u{FEFF}",
            ])
            bytes.insert(contentsOf: word.utf8, at: at)
        }
    }

    /// A reader that looks at bytes again and again would take hours for these.
    @Test(arguments: [
        "<", "<A>", "<STMTTRN>", "</A>", "&", "&#", "<!---->", "<![CDATA[x]]>", "<NAME>", "\"",
        "\"\"", ",", "a,\n", "\r", "<?x?>", "<A", "e\u{301}", "\u{301}", " ", "date,amount\n",
    ])
    func hostileFilesTakeNoLongerThanOthers(_ piece: String) {
        let body = String(repeating: piece, count: 250_000 / piece.utf8.count)
        let files = [
            body, "<OFX><STMTRS><STMTTRN><NAME>" + body + "</OFX>",
            "date,amount,name\n2024-01-01,1.00," + body,
        ]
        for file in files {
            for format in [StatementFormat.ofx, .csv] {
                do {
                    let statements = try readStatements(
                        Array(file.utf8),
                        format: format,
                        assuming: .eur
                    )
                    #expect(!statements.isEmpty)
                } catch {
                    #expect(error != .unknownFormat)
                }
            }
        }
    }
}
