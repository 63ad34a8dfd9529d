import Archives
import Testing
import WalletProtocol

@testable import BankFiles

/// Statements in archives, and sheets.
@Suite struct PackedStatementsTests {
    private func zip(_ files: [(String, String)]) throws -> [UInt8] {
        let writer = try ZipWriter()
        for (name, text) in files {
            try writer.begin(name)
            try writer.write(Array(text.utf8))
        }
        try writer.finish()
        return writer.take()
    }

    private func read(
        _ bytes: [UInt8],
        mapping: CSVMapping? = nil
    ) throws(UnreadableStatement) -> [BankStatement] {
        try readStatements(bytes, format: nil, mapping: mapping, assuming: .eur)
    }

    private func camt(_ from: String, _ row: String, _ to: String) -> String {
        CamtReaderTests.file(
            CamtReaderTests.balance("OPBD", from) + CamtReaderTests.entry(row)
                + CamtReaderTests.balance("CLBD", to)
        )
    }

    @Test func theDaysOfAnArchiveAreOneStatement() throws {
        let archive = try zip([
            ("b/2024-01-02.xml", camt("1", "2", "3")), ("b/2024-01-01.xml", camt("0", "1", "1")),
            ("readme.txt", "see the files"), ("__MACOSX/._a.xml", "x"),
        ])
        let statements = try read(archive)
        #expect(statements.count == 1)
        #expect(statements[0].rows.map(\.amount) == [100, 200])
        #expect(statements[0].opening == 0 && statements[0].closing == 300)
        #expect(statements[0].balanceFault == nil)
        // An archive in an archive.
        let outer = try ZipWriter()
        try outer.begin("inner.zip")
        try outer.write(archive)
        try outer.finish()
        let nested = outer.take()
        #expect(try read(nested).first?.rows.count == 2)
        let third = try ZipWriter()
        try third.begin("outer.zip")
        try third.write(nested)
        try third.finish()
        let deep = third.take()
        #expect(throws: UnreadableStatement.self) { try read(deep) }
    }

    @Test func aReportOrANoticeBesideStatementsAddsNothing() throws {
        func message(_ text: String, _ name: String, _ part: String, _ number: String) -> String {
            text.replacing("camt.053", with: "camt.\(number)")
                .replacing("BkToCstmrStmt", with: name).replacing("<Stmt>", with: "<\(part)>")
                .replacing("</Stmt>", with: "</\(part)>")
        }
        let day = camt("0", "1", "1")
        let plain = CamtReaderTests.file(CamtReaderTests.entry("1"))
        let report = message(day, "BkToCstmrAcctRpt", "Rpt", "052")
        let notice = message(plain, "BkToCstmrDbtCdtNtfctn", "Ntfctn", "054")
        for files in [[day, notice], [report, day], [notice, report, day]] {
            let named = files.enumerated().map { ("\($0.offset).xml", $0.element) }
            let statement = try #require(try read(zip(named)).first)
            #expect(statement.rows.map(\.amount) == [100])
            #expect(statement.opening == 0 && statement.closing == 100)
            #expect(statement.notes.count == files.count - 1)
        }
        let both = try #require(try read(zip([("a.xml", notice), ("b.xml", report)])).first)
        #expect(both.rows.map(\.amount) == [100] && both.notes.count == 1)
        let text = ":20:X\n:25:1\n:60F:C240101EUR0,\n:61:240105C1,NTRFX\n:62F:C240105EUR1,\n-\n"
        let interim = ":20:X\n:25:1\n:34F:EURD0,\n:61:240105C1,NTRFX\n:90C:1EUR1,\n-\n"
        let swift = try read(zip([("a.sta", text), ("b.sta", interim)]))
        #expect(swift.map { $0.rows.map(\.amount) } == [[100]])
        #expect(swift.first?.closing == 100)
    }

    /// What no statement tells of is not there twice: it is there once.
    @Test func aReportOfOtherDaysIsRead() throws {
        let text = ":20:X\n:25:1\n:60F:C240101EUR0,\n:61:240105C1,NTRFX\n:62F:C240105EUR1,\n-\n"
        let rows = ":61:240105C1,NTRFX\n:61:240108C2,NTRFY\n"
        let interim = ":20:X\n:25:1\n:34F:EURD0,\n\(rows):90C:2EUR3,\n-\n"
        for files in [
            [("a.sta", text), ("b.sta", interim)], [("a.sta", interim), ("b.sta", text)],
        ] {
            let statement = try #require(try read(zip(files)).first)
            #expect(statement.rows.map(\.amount) == [100, 200])
            #expect(statement.opening == 0 && statement.closing == nil)
            #expect(statement.balanceFault == nil && statement.faults.isEmpty)
            #expect(statement.notes.map(\.detail).filter { $0.contains("2024-01-05") }.count == 1)
        }
        // The opening balance is the evening's before: that day is the report's.
        let evening = interim.replacing("240105", with: "240101").replacing(
            "240108",
            with: "240105"
        )
        let both = try #require(try read(zip([("a.sta", text), ("b.sta", evening)])).first)
        #expect(both.rows.map { "\($0.day) \($0.amount)" } == ["2024-01-05 100", "2024-01-01 100"])
    }

    @Test func anArchiveIsBoundedAsAFileIs() throws {
        let accounts = (0...StatementLimits.statementsMax / 100).map { number -> (String, String) in
            let rows = (0..<100).map { "2024-01-01,a,-1.00,DE\(number)X\($0)" }
            let text = "Date,Name,Amount,Account\n" + rows.joined(separator: "\n") + "\n"
            return ("\(number).csv", text)
        }
        #expect(try read(zip(Array(accounts.dropLast()))).count == StatementLimits.statementsMax)
        #expect(throws: UnreadableStatement.self) { try read(zip(accounts)) }
    }

    @Test func aTextWithCommasHidesNoStatement() throws {
        let table = "Date,Name,Amount\n2024-01-01,a,-1.00\n"
        let words = "Hello, here they are,\nall of them, and more,\nas you asked, Sir\n"
        let archive = try zip([("a.csv", table), ("readme.txt", words)])
        #expect(try read(archive).map { $0.rows.map(\.amount) } == [[-100]])
        let mapping = CSVMapping(date: .second("Date"), amount: .second("Amount"))
        #expect(try read(archive, mapping: mapping).map { $0.rows.map(\.amount) } == [[-100]])
        #expect(try read(archive).first?.notes.contains { $0.detail.contains("Hello") } == true)
        // What looks like a statement is not left out: it is to be chosen, and mapped.
        let foreign = "Foo,Bar,Baz\n2024-01-01,a,-1.00\n2024-01-02,b,-2.00\n"
        let two = try zip([("a.csv", table), ("b.csv", foreign)])
        #expect(try read(two).map(\.rows.count) == [1, 0])
        #expect(try read(two, mapping: mapping).map(\.rows.count) == [1])
        // Alone they are shown, to be mapped.
        let unknown = try read(zip([("a.txt", "b"), ("c.csv", words)]))
        #expect(unknown.first?.rows.isEmpty == true)
        #expect(unknown.first?.layout?.columns.isEmpty == false)
    }

    @Test func anArchiveWithoutAStatementIsTold() throws {
        let archive = try zip([("a.pdf", "%PDF-1.4")])
        #expect(throws: UnreadableStatement.self) { try read(archive) }
        #expect(throws: UnreadableStatement.self) { try read(Array(archive.dropLast(3))) }
    }

    @Test func utf16NeedsNoMark() throws {
        let text = "date,amount,name\n2024-01-02,-1.50,Café\n"
        for isLow in [true, false] {
            let bytes = text.utf16.flatMap { unit -> [UInt8] in
                let pair = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
                return isLow ? pair : pair.reversed()
            }
            let statement = try #require(try read(bytes).first)
            #expect(statement.rows.map(\.name) == ["Café"])
            #expect(statement.rows.map(\.amount) == [-150])
        }
    }

    // MARK: XLSX

    private func workbook(_ rows: String, strings: [String] = []) throws -> [UInt8] {
        let texts = strings.map { "<si><t>\($0)</t></si>" }.joined()
        return try zip([
            ("[Content_Types].xml", "<Types/>"),
            (
                "xl/workbook.xml",
                "<workbook xmlns:r=\"r\"><sheets><sheet name=\"A\" sheetId=\"7\" r:id=\"rId3\"/>"
                    + "<sheet name=\"B\" r:id=\"rId1\"/></sheets></workbook>"
            ),
            (
                "xl/_rels/workbook.xml.rels",
                "<Relationships><Relationship Id=\"rId1\" Target=\"worksheets/no.xml\"/>"
                    + "<Relationship Id=\"rId3\" Target=\"worksheets/first.xml\"/></Relationships>"
            ),
            (
                "xl/styles.xml",
                "<styleSheet><numFmts><numFmt numFmtId=\"170\" formatCode=\"dd\\.mm\\.yyyy\"/>"
                    + "<numFmt numFmtId=\"171\" formatCode=\"[Red]0.00&quot;d&quot;\"/></numFmts>"
                    + "<cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs><cellXfs>"
                    + "<xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"170\"/>"
                    + "<xf numFmtId=\"171\"/></cellXfs></styleSheet>"
            ),
            (
                "xl/sharedStrings.xml",
                "<sst>\(texts)<si><r><t>Bakery</t></r><r><t xml:space=\"preserve\"> &amp; Co, </t>"
                    + "</r><rPh><t>no</t></rPh></si></sst>"
            ),
            ("xl/worksheets/first.xml", "<worksheet><sheetData>\(rows)</sheetData></worksheet>"),
        ])
    }

    private static let rows = """
        <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>\
        <c r="D1" t="inlineStr"><is><t>Amount</t></is></c></row>\
        <row r="3"><c r="A3" s="1"><v>45292</v></c><c r="B3" t="s"><v>2</v></c>\
        <c r="D3" s="3"><v>-1234.5600000000002</v></c></row>\
        <row r="4"><c r="A4" s="2"><v>45293.75</v></c><c r="B4" t="str"><f>x</f><v>Pub</v></c>\
        <c r="D4"><v>1E-2</v></c></row>
        """

    @Test func theFirstSheetIsATable() throws {
        let book = try workbook(Self.rows, strings: ["Date", "Name"])
        let statement = try #require(try read(book).first)
        #expect(statement.format == .csv)
        #expect(statement.rows.map(\.amount) == [-123_456, 1])
        #expect(statement.rows.map(\.day.text) == ["2024-01-01", "2024-01-02"])
        #expect(statement.rows.map(\.name) == ["Bakery & Co,", "Pub"])
        #expect(statement.rows.map(\.line) == [3, 4])
        #expect(statement.layout?.columns == ["Date", "Name", "", "Amount"])
    }

    @Test func sheetsThatAreMadeToHarmAreRefused() throws {
        let long = String(repeating: "x", count: 30_000)
        let cells = String(repeating: "<c t=\"s\"><v>0</v></c>", count: 200)
        let rows = (1...10).map { "<row r=\"\($0)\">\(cells)</row>" }.joined()
        let bomb = try workbook(rows, strings: [long])
        #expect(bomb.count < 100_000)
        #expect(throws: UnreadableStatement.self) { try read(bomb) }
        for rows in [
            "<row r=\"0\"/>", "<row r=\"99999999999\"/>", "<row r=\"2\"/><row r=\"1\"/>",
            "<row r=\"-1\"/>",
            "<row><c r=\"ZZZZZZZZZ1\"><v>1</v></c>", "<c r=\"A1\"><v>1</v></c></row>",
        ] {
            let book = try workbook(rows)
            let error = #expect(throws: UnreadableStatement.self) { try read(book) }
            guard case .unreadable(let line, _)? = error else { continue }
            #expect(line >= 1, "\(rows)")
        }
    }

    /// Each is a few kilobytes, and makes many times as many of rows.
    @Test func workbooksInAnArchiveShareItsBound() throws {
        let cells = String(repeating: "<c t=\"s\"><v>0</v></c>", count: 60)
        let rows = (1...5).map { "<row r=\"\($0)\">\(cells)</row>" }.joined()
        let long = String(repeating: "x", count: 30_000)
        let book = try workbook(rows, strings: [long])
        _ = try Unpacking.files(in: book)
        let archive = try ZipWriter()
        for number in 0..<10 {
            try archive.begin("\(number).xlsx")
            try archive.write(book)
        }
        try archive.finish()
        let bytes = archive.take()
        #expect(bytes.count < 1_000_000)
        #expect(throws: UnreadableStatement.self) { try Unpacking.files(in: bytes) }
    }

    @Test(arguments: [
        ("1", "1"), ("-0.5", "-0.50"), ("1234.5600000000002", "1234.56"), ("1E-2", "0.01"),
        ("1.5e3", "1500"), ("0.30000000000000004", "0.30"), ("12.345", "12.3450"), ("0", "0"),
        ("999999999999999.9", "1000000000000000"), ("-7.0", "-7"), ("00012", "12"),
        ("1E+300", nil), ("x", nil), ("", nil), ("1e", nil), ("1.2.3", nil),
        ("1E31", nil), ("1E-31", nil),
        // The least number, which has no counterpart.
        ("1E-9223372036854775808", nil),
    ])
    func numbersAreDecimals(_ text: String, _ plain: String?) {
        #expect(XLSXNumber.plain(text) == plain)
    }
}
