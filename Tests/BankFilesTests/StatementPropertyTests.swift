import Foundation
import TestKit
import Testing
import WalletProtocol

@testable import BankFiles

/// What holds of all statements.
@Suite struct StatementPropertyTests {
    /// Two more under `deploy/test --deep`.
    static let seeds: [UInt64] =
        [1, .random(in: 0...UInt64.max)]
        + (ProcessInfo.processInfo.environment["EZWALLET_DEEP"] == nil ? [] : [2, 0xDEAD_BEEF])

    @Test(arguments: seeds)
    func whatOFXWritesReadsBackTheSame(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
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
        var random = SeededGenerator(seed: seed)
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
    func whatBanksWriteReadsBackTheSame(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let meant = MeantStatement(&random)
            let isMT940 = random.chance(50)
            let bytes = isMT940 ? writtenMT940(meant, &random) : writtenCamt(meant, &random)
            let named: StatementFormat = isMT940 ? .mt940 : .camt053
            let format = random.pick([nil, named])
            let statements = try? readStatements(bytes, format: format, assuming: .gbp)
            let statement = statements?.first
            let note = "seed \(seed), round \(round), \(named)"
            let rows = statement?.rows.map { MeantRow($0) }
            #expect(rows == meant.rows, "\(note)")
            #expect(statement?.faults == [] && statement?.refusal == nil, "\(note)")
            #expect(statements?.count == 1 && statement?.format == named, "\(note)")
            #expect(statement?.currency == meant.currency, "\(note)")
            #expect(statement?.accountNumber == "A 1", "\(note)")
            #expect(statement?.opening == meant.opening, "\(note)")
            #expect(statement?.closing == meant.closing, "\(note)")
        }
    }

    /// A file that was cut is refused, or ties with what it has.
    @Test(arguments: seeds)
    func aCutFileIsNeverTakenForAnother(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for format in [StatementFormat.mt940, .camt053] {
            let meant = MeantStatement(&random)
            let bytes =
                format == .mt940 ? writtenMT940(meant, &random) : writtenCamt(meant, &random)
            for count in 0..<bytes.count {
                let cut = Array(bytes[..<count])
                guard let all = try? readStatements(cut, format: format, assuming: .eur) else {
                    continue
                }
                for one in all where one.refusal == nil {
                    let complaint = Self.complaint(all, cut)
                    #expect(complaint == nil, "seed \(seed), \(format), \(count)")
                    let isWhole = one.closing == meant.closing || format == .mt940
                    #expect(isWhole, "seed \(seed), \(format), \(count)")
                }
            }
        }
    }

    @Test(arguments: seeds)
    func whateverTheBytesAStatementOrARefusalComes(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var samples = OFXFilesTests.expected.keys.sorted().compactMap { name in
            let folder =
                ProcessInfo.processInfo.environment["EZWALLET_TEST_DATA"] ?? "../shared/data"
            return FileManager.default.contents(atPath: "\(folder)/statements/ofx/\(name)")
                .map { [UInt8]($0) }
        }
        for _ in 0..<10 {
            samples.append(writtenOFX(MeantStatement(&random), &random))
            samples.append(writtenCSV(MeantStatement(&random), &random))
            samples.append(writtenMT940(MeantStatement(&random), &random))
            samples.append(writtenCamt(MeantStatement(&random), &random))
        }
        for round in 0..<150 {
            var bytes = random.pick(samples)
            for _ in 0...random.below(12) { Self.mutate(&bytes, &random) }
            for format in StatementFormat.allCases.map(Optional.some) + [nil] {
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
            guard statement.refusal == nil, statement.balanceFault == nil,
                let opening = statement.opening
            else { continue }
            let sum = statement.rows.reduce(opening) { $0 &+ $1.amount }
            if statement.closing != sum || !statement.faults.isEmpty { return "no tie" }
        }
        return nil
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
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
                "\n:61:", "\n:62F:", "\n:20:", "\n-\n", "{4:", "</Ntry>", "<TxDtls>", "<Bal>",
            ])
            bytes.insert(contentsOf: word.utf8, at: at)
        }
    }

    /// A reader that looks at bytes again and again would take hours for these.
    @Test(arguments: [
        "<", "<A>", "<STMTTRN>", "</A>", "&", "&#", "<!---->", "<![CDATA[x]]>", "<NAME>", "\"",
        "\"\"", ",", "a,\n", "\r", "<?x?>", "<A", "e\u{301}", "\u{301}", " ", "date,amount\n",
        ":20:", ":61:240101C1,\n", ":86:\n", "?20", "/REMI/", "{4:", "-\n", "@@", "<Ntry>",
        "<Stmt/>",
    ])
    func hostileFilesTakeNoLongerThanOthers(_ piece: String) {
        let body = String(repeating: piece, count: 100_000 / piece.utf8.count)
        let files = [
            body, "<OFX><STMTRS><STMTTRN><NAME>" + body + "</OFX>",
            "date,amount,name\n2024-01-01,1.00," + body,
            ":20:X\n:25:1\n:60F:C240101EUR0,\n:61:240101C1,NTRFX\n:86:166" + body,
            "<Document><BkToCstmrStmt><Stmt><Ntry>" + body,
        ]
        for file in files {
            for format in StatementFormat.allCases {
                do {
                    let statements = try readStatements(
                        Array(file.utf8),
                        format: format,
                        assuming: .eur
                    )
                    #expect(!statements.isEmpty)
                } catch {
                    if case .unknownFormat = error { Issue.record("\(format) was asked for") }
                }
            }
        }
    }
}
