import Archives
import BankFiles
import WalletProtocol

extension FuzzTarget {
    static let statements = formats + [anyStatement]

    private static let formats = [
        FuzzTarget(
            "statements-csv",
            words: [
                ";", ",", "\t", "\"", "\"\"", "\n", "date", "amount", "2024-02-29", "29/02/2024",
                "1.234,56", "(1)", "EUR", "sep=;\n", "=", "'", "|", "Total", "Opening balance",
                "Saldo",
                "pending", "Status", "24-03-15", "\u{661}\u{66B}\u{662}", "年", "$", "expense",
            ],
            growths: [
                Growth("date,amount,name\n", "2024-01-02,1.00,x\n"), Growth("a,", "\"", "\n"),
                Growth("date,amount,name\n2024-01-02,1.00,\"", "\"\"", "\"\n"), Growth(","),
                Growth("date", ",a", "\n2024-01-02,1\n"), Growth("\n"), Growth("a,b\n"),
                Growth("date,amount,name\n2024-01-02,", "1", ",x\n"), Growth(",\r"), Growth("\","),
                Growth("date,amount,name\n", "\"\n"), Growth("", "1,", "\n"), Growth("a;b,c\td\n"),
                Growth("date,amount,name\n2024-01-02,1.00,", "é ", "\n"), Growth("date,", "\n"),
                Growth("date,amount,name\n", "2024-01-02,1.00,Total\n"),
                Growth("date,amount,name\n", "2024-01-02,-1.00,x\n2024-01-02,1.00,Total\n"),
                Growth("date,amount,name\n", "2024-01-02,1.00,Opening balance\n"),
                Growth("date,amount,name,status\n", "2024-01-02,1.00,x,pending\n"),
                Growth("", "2024-01-02,1.00,x\n"), Growth("date,amount,name\n24-01-02,", "١", "\n"),
            ],
            seeds: { [written(CSVStatement())] + tables + oldCharsets },
            check: { try statement($0, .csv) }
        ),
        FuzzTarget(
            "statements-ofx",
            words: [
                "<STMTTRN>", "</STMTTRN>", "<TRNAMT>", "<DTPOSTED>", "<NAME>", "&amp;", "&#x20AC;",
                "<![CDATA[", "]]>", "<!--", "-->", "<LEDGERBAL>", "<BALAMT>", "<OFX>", "</OFX>",
                "20240229120000[-5:EST]", "<CURDEF>EUR", "<FITID>", "<BANKACCTFROM>",
            ],
            growths: [
                Growth("<OFX>", "<STMTTRN>"), Growth("<OFX>", "<A>"), Growth("<OFX>", "</A>"),
                Growth("<OFX><STMTRS><STMTTRN><NAME>", "&amp;"), Growth("<OFX><!--", "-"),
                Growth("<OFX><STMTRS>", "<STMTTRN><DTPOSTED>20240102<TRNAMT>1</STMTTRN>"),
                Growth("<OFX><STMTRS><STMTTRN><NAME>", "a "), Growth("<OFX><", "A"),
                Growth("<OFX>", "<STMTRS></STMTRS>"), Growth("<OFX>", "<!---->"),
                Growth("<OFX>", numbered: "<A", ">"), Growth("<OFX><TRNAMT>", "1"),
                Growth("<OFX>", numbered: "<STMTRS><BANKACCTFROM><ACCTID>", "</STMTRS>"),
            ],
            seeds: { [written(OFXStatement())] + TestData.files(in: "statements/ofx") },
            check: { try statement($0, .ofx) }
        ),
        FuzzTarget(
            "statements-camt",
            words: [
                "<Ntry>", "</Ntry>", "<TxDtls>", "<Amt Ccy=\"EUR\">", "</Amt>", "<CdtDbtInd>DBIT",
                "<Bal>", "<Sts>BOOK</Sts>", "&amp;", "&#10;", "<![CDATA[", "]]>", "<!--", "-->",
                "<NtryDtls>", "<RvslInd>true</RvslInd>", "<Ustrd>", "<Dt>2024-02-29</Dt>",
            ],
            growths: [
                Growth("<Document><BkToCstmrStmt><Stmt>", "<Ntry>"), Growth("<Document", " a=\"\""),
                Growth("<Document><BkToCstmrStmt>", "<Stmt></Stmt>", "</BkToCstmrStmt></Document>"),
                Growth("<Document><BkToCstmrStmt><Stmt><Ntry><AddtlNtryInf>", "&amp;"),
                Growth("<Document><BkToCstmrStmt><Stmt>", "<Ntry></Ntry>"), Growth("<!--", "-"),
                Growth("<Document><BkToCstmrStmt><Stmt><Ntry>", "<NtryDtls></NtryDtls>"),
                Growth("<Document><BkToCstmrStmt><Stmt><Ntry><NtryDtls>", "<TxDtls></TxDtls>"),
                Growth("<Document", numbered: " a", "=\"\"", ">"),
            ],
            seeds: { [written(CamtStatement())] + TestData.files(in: "statements/camt053") },
            check: { try statement($0, .camt053) }
        ),
        FuzzTarget(
            "statements-mt940",
            words: [
                "\n:61:", "\n:86:", "\n:60F:", "\n:62F:", "\n:25:", "\n:28C:", "?20", "?32",
                "/REMI/",
                "\n-\n", "-}", "{4:", "NTRF", "C240101EUR1,", "240229", "D", "RC", "//", "SVWZ+",
            ],
            growths: [
                Growth(mt940, ":61:240101C1,NTRFX\n"), Growth(mt940, ":86:a\n"), Growth(":20:"),
                Growth(mt940 + ":61:240101C1,NTRFX\n:86:166", "?20a"), Growth("{1:}{4:\n"),
                Growth(mt940 + ":61:240101C1,NTRFX\n:86:166?20", "SVWZ+"), Growth("\n"),
                Growth(mt940 + ":61:240101C1,NTRFX\n:86:", "/REMI/"), Growth(mt940, "-\n"),
                Growth("", mt940), Growth(mt940 + ":61:240101C", "1"), Growth(mt940 + ":86:", "a "),
            ],
            seeds: {
                [
                    Array(
                        (mt940 + ":61:2401010101CR1,50NTRFX//R1\n:86:166?20SVWZ+a?32Bakery\n"
                            + ":62F:C240101EUR1,50\n-\n").utf8
                    )
                ] + TestData.files(in: "statements/mt940")
            },
            check: { try statement($0, .mt940) }
        ),
        FuzzTarget(
            "statements-qif",
            words: [
                "!Type:Bank", "!Account", "!Option:AutoSwitch", "^\n", "\nD", "\nT-1,234.50", "\nP",
                "\nS", "\n$", "1/31'24", "\nL[", "]", "!Type:CCard",
            ],
            growths: [
                Growth("!Type:Bank\n", "D1/31'24\nT1\n^\n"), Growth("!Type:Bank\n", "^\n"),
                Growth("!Type:Bank\nD1/31'24\nT1\n", "Sa\n$1\n", "^\n"), Growth("!Type:Bank\n"),
                Growth("!Type:Bank\nD1/31'24\nT", "1", "\n^\n"), Growth("!Account\nNa\n^\n"),
                Growth("!Type:Bank\nD1/31'24\nT1\nP", "a ", "\n^\n"), Growth("!Type:Bank\n", "E\n"),
                Growth("", numbered: "!Account\nN", "\n^\n!Type:Bank\nD1/31'24\nT1\n^\n"),
            ],
            seeds: {
                [
                    "!Type:Bank\nD1/31'24\nT-1,234.50\nN1001\nPBakery & Co\nMBread\nLFood\n^\n"
                        + "D12/ 1' 5\nT20.00\nPEmployer\nSSalary\n$15.00\nSBonus\nEMay\n$5.00\n^\n",
                    "!Option:AutoSwitch\n!Account\nNMain\nTBank\n^\n"
                        + "!Type:Bank\nD2024-02-29\nT1\n^\n",
                ].map { Array($0.utf8) }
            },
            check: { try statement($0, .qif) }
        ),
    ]

    private static let tables: [[UInt8]] = {
        let texts: [String] = [
            "date,amount,name\n2024-01-02,-1.50,Café\n2024-01-03,2,x\n",
            "sep=;\nBuchungstag;Betrag;Saldo\n29.02.2024;-1.234,56;10,00\n",
            "Data\tDare\tAvere\tDescrizione\n1/2/24\t1,00\t\tBar\n13/2/24\t\t2,00\tA\n",
            "\"Date\",\"Description\",\"Debit\",\"Credit\"\n"
                + "\"02/13/2024\",\"a\"\"b\",\"1\",\n",
            "2024-01-02,100.00,-1.50,Café\n2024-01-03,101.00,1.00,x\n",
            "date,amount,name\n24-03-15,-1.00,x\n,5.00,Total\n24-03-31,-2.00,y\n",
            "Date,Name,Amount,Type,Status\n2024-01-02,a,1.00,expense,pending\n",
            "التاريخ,الوصف,المبلغ\n٠٥/٠٣/٢٠٢٤,متجر,-١٢٫٣٤\n",
        ]
        return texts.map { Array($0.utf8) }
    }()

    /// A word each of Chinese, Japanese, Korean, Greek and Russian, as before Unicode.
    private static let oldCharsets: [[UInt8]] = {
        let words: [[UInt8]] = [
            [0xC9, 0xCC, 0xB5, 0xEA], [0x82, 0xA8, 0x93, 0x58], [0xB0, 0xA1, 0xB0, 0xD4],
            [0xF3, 0xF5, 0xED, 0xE1], [0xD0, 0xD2, 0xCF, 0xC4],
        ]
        return words.map { word in
            var file = Array("date;name;amount\n2024-01-02;".utf8)
            file += word
            file += Array(";-1,00\n".utf8)
            return file
        }
    }()

    private static let anyStatement = FuzzTarget(
        "statements-any",
        words: ["<OFX>", "!Type:", ":20:", "CAMT.053", "date,amount\n", "PK\u{3}\u{4}", "\u{1F}"],
        seeds: {
            formats.flatMap { format in
                let files = format.seeds()
                return files + files.prefix(2).flatMap { [zipped([("a", $0)]), utf16($0)] }
            }
        },
        check: { try statement($0, nil) }
    )

    private static let mt940 = ":20:X\n:25:1\n:60F:C240101EUR0,\n"

    /// What our own writers make of a few lines.
    private static func written(_ writer: some TextStatementWriter) -> [UInt8] {
        var writer = writer
        guard let day = Day("2024-02-29"), let last = Day("2024-12-31") else { return [] }
        let id = ID<Account>(high: 1, low: 2)
        let head = StatementHead(
            id: ID(high: 3, low: 4),
            account: id,
            accountName: "Main <b>",
            iban: "IT60X0542811101000000123456",
            currency: .eur,
            owner: "Ada",
            from: day,
            to: last,
            madeAt: Instant(microseconds: 1_700_000_000_000_000),
            opening: 1_000,
            credits: 300,
            debits: -200,
            creditCount: 1,
            debitCount: 1
        )
        let lines = [(300, "Bread & \"butter\"", "=1+1"), (-200, "漢字 🧾", "")].enumerated().map {
            StatementLine(
                id: ID(high: 5, low: UInt64($0)),
                day: day,
                amount: Int64($1.0),
                name: $1.1,
                description: $1.2,
                category: "Food",
                counterIBAN: nil,
                isTransfer: $0 == 1,
                balance: $0 == 0 ? 1_300 : 1_100
            )
        }
        return writer.begin(head) + writer.append(lines) + writer.end()
    }

    private static func utf16(_ bytes: [UInt8]) -> [UInt8] {
        [0xFF, 0xFE]
            + String(decoding: bytes, as: UTF8.self).utf16.flatMap {
                [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
            }
    }

    static func zipped(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        guard let writer = try? ZipWriter() else { return [] }
        for file in files {
            guard (try? writer.begin(file.name)) != nil, (try? writer.write(file.bytes)) != nil
            else { return [] }
        }
        guard (try? writer.finish()) != nil else { return [] }
        return writer.take()
    }

    // MARK: Checks

    static func statement(_ bytes: [UInt8], _ format: StatementFormat?) throws {
        let read: [BankStatement]
        do throws(UnreadableStatement) {
            read = try readStatements(bytes, format: format, assuming: .eur)
        } catch {
            switch error {
            case .unreadable(let line, let detail):
                try hold(line >= 1 && !detail.isEmpty, "a refusal without a place")
            case .unknownFormat(let detail):
                try hold(format == nil && !detail.isEmpty, "a refusal without a reason")
            case .several, .mapping: throw FuzzFault(description: "nothing was chosen: \(error)")
            }
            return
        }
        try hold(!read.isEmpty, "no statement, and no refusal")
        for statement in read { try judge(statement, bytes.count) }
        // The same in an archive is the same; one of some, for it takes twice the time.
        guard bytes.count % 4 == 0, !bytes.starts(with: "PK".utf8), !bytes.starts(with: [0x1F])
        else { return }
        let packed = try? readStatements(zipped([("a", bytes)]), format: format, assuming: .eur)
        try hold(packed == read, "it is read otherwise out of an archive")
    }

    private static func judge(_ statement: BankStatement, _ bytes: Int) throws {
        for row in statement.rows {
            try hold(row.line >= 1, "a row in line \(row.line)")
            try text(row.name, 140)
            try text(row.description, 2_000)
            try text(row.reference, 255)
        }
        for fault in statement.faults + statement.notes {
            try hold(fault.line >= 1 && !fault.detail.isEmpty, "a fault without a place")
        }
        guard statement.refusal == nil, statement.balanceFault == nil,
            let opening = statement.opening
        else { return }
        let sum = statement.rows.reduce(Int128(opening)) { $0 + Int128($1.amount) }
        try hold(statement.closing.map { Int128($0) } == sum, "the balances do not tie")
        try hold(statement.faults.isEmpty, "the balances tie in spite of rows that are not read")
    }

    private static func text(_ text: String?, _ scalarsMax: Int) throws {
        guard let text else { return }
        let isClean = !text.unicodeScalars.contains { $0.value < 32 }
        try hold(
            !text.isEmpty && isClean && text.unicodeScalars.count <= scalarsMax
                && !text.hasPrefix(" ") && !text.hasSuffix(" "),
            "the text «\(text)»"
        )
    }
}
