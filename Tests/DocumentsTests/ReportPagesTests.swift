import TestKit
import Testing

@testable import Documents

/// Reports, set in this process; that others can read them is the system tests' to see.
@Suite struct ReportPagesTests {
    private static let hostile = [
        "", "قهوة في الزاوية", "בית קפה", "<script>alert(1)</script>", "\u{202e}\u{2066}", "%s %n",
        "\u{0}\u{1f}\n\n", String(repeating: "👩\u{200d}👧", count: 100), "=1+1",
        String(repeating: "W", count: 200), "e" + String(repeating: "\u{301}", count: 300),
    ]

    /// A report with charts of a shape, of so many names.
    private static func report(
        _ shape: PrintedChart.Shape,
        _ values: [Int128],
        language: String = "en",
        series count: Int = 1,
        note: String = ""
    ) -> PrintedReport {
        let names = values.indices.map { index in
            shape == .pie ? hostile[index % hostile.count] : "2024-01-01/2024-12-31"
        }
        let count = shape == .pie ? 1 : count
        let series = (0..<count).map { index in
            PrintedSeries(
                name: hostile[index % hostile.count],
                colours: shape == .pie
                    ? values.map { UInt32(truncatingIfNeeded: $0) } : [0xff_ff00],
                values: values
            )
        }
        let chart = PrintedChart(
            shape,
            title: "Chart",
            names: names,
            series: series,
            tenths: shape == .pie ? values.map { _ in 1 } : [],
            others: "Other",
            note: note
        )
        let columns: [PrintedColumn] = [
            PrintedColumn("Name", .text), PrintedColumn("Days", .days),
            PrintedColumn("Amount", .amount), PrintedColumn("%", .percent),
            PrintedColumn("Count", .count),
        ]
        let rows = values.map { value in
            [hostile[Int(value.magnitude % 11)], "2024-01-01", "\(value).00", "12.3", "7"]
        }
        return PrintedReport(
            language: language,
            title: "Report",
            facts: [PrintedFact("Period", "2024"), PrintedFact("Odd", hostile[7])],
            charts: [chart],
            tables: [PrintedTable(columns: columns, rows: rows)],
            digits: 2,
            madeAt: "2024-06-01T10:00:00Z",
            madeOn: "2024-06-02"
        )
    }

    @Test func reportsComeBackAsTheyWent() {
        for shape in [PrintedChart.Shape.pie, .bars, .lines] {
            let values: [Int128] = [1, -2, 3, 1 << 100, 0, 5]
            let report = Self.report(shape, values, series: 3, note: "Withheld: 3")
            #expect(PrintedReport(texts: report.texts) == report)
        }
    }

    /// What was cut or changed on its way is refused, and nothing worse.
    @Test func whatIsNoReportIsRefused() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let texts = Self.report(.lines, [1, 2, 3], series: 2).texts
        for count in 0..<texts.count - 1 {
            #expect(PrintedReport(texts: Array(texts[..<count])) == nil)
        }
        for _ in 0..<2_000 {
            var changed = texts
            let place = Int.random(in: 0..<changed.count, using: &random)
            changed[place] =
                ["-1", "99999999999", "x", "", "7"].randomElement(using: &random) ?? ""
            guard let report = PrintedReport(texts: changed) else { continue }
            for table in report.tables {
                #expect(table.rows.allSatisfy { $0.count == table.columns.count }, "seed \(seed)")
            }
            for one in report.charts.flatMap(\.series) {
                #expect(report.charts.allSatisfy { $0.names.count == one.values.count })
            }
        }
    }

    private static let sizes: [[Int128]] = [
        [], [0], [5], [0, 0, 0], [7, -3, 2], [-4, -9], (0..<366).map { $0 % 30 - 3 },
        (0..<300).map { 1 << ($0 % 100) }, [1 << 110, -1 << 110],
    ]

    @Test(arguments: [PrintedChart.Shape.pie, .bars, .lines])
    func everyReportIsDrawn(_ shape: PrintedChart.Shape) throws {
        for (index, values) in Self.sizes.enumerated() {
            let language = ["en", "ar", "ja"][index % 3]
            let report = Self.report(shape, values, language: language, series: 11)
            let svg = String(
                decoding: try ReportPages.set(report, as: .svg),
                as: UTF8.self
            )
            #expect(svg.hasPrefix("<?xml") && svg.contains("</svg>"))
            #expect(!svg.contains("<script") && !svg.contains("href=\"http"))
            let png = try ReportPages.set(report, as: .png)
            #expect(png.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
            // Width and height: two pixels a point.
            #expect(png[16..<24].elementsEqual([0, 0, 5, 0, 0, 0, 2, 0xd0]))
            let pdf = try ReportPages.set(Self.report(shape, values), as: .pdf)
            #expect(pdf.starts(with: "%PDF-1.5\n".utf8))
            #expect(pdf.suffix(6).elementsEqual("%%EOF\n".utf8))
        }
    }

    @Test func aPieOfNothingIsGreyAndSaysNothing() throws {
        let nothing = try ReportPages.set(Self.report(.pie, [0, -1]), as: .svg)
        let something = try ReportPages.set(Self.report(.pie, [3, 1]), as: .svg)
        func texts(_ svg: [UInt8]) -> Int { String(decoding: svg, as: UTF8.self).count(of: "<use") }
        // Of the chart's title alone.
        #expect(texts(nothing) == "Chart".count && texts(something) > texts(nothing))
        // And of what it does not show.
        let note = Self.report(.pie, [0, -1], note: "Withheld:3")
        let noted = try ReportPages.set(note, as: .svg)
        #expect(texts(noted) == "Chart".count + "Withheld:3".count)
        let grey = String(decoding: nothing, as: UTF8.self).contains("74.901961%")
        #expect(grey)
    }

    @Test func longTablesGoOnPageByPage() throws {
        let rows = (0..<4_000).map { Int128($0) }
        let pdf = try ReportPages.set(Self.report(.bars, rows), as: .pdf)
        #expect(pdf.suffix(6).elementsEqual("%%EOF\n".utf8))
    }
}

extension String {
    fileprivate func count(of text: String) -> Int {
        var (bytes, places) = (Array(utf8)[...], 0)
        let wanted = Array(text.utf8)
        while bytes.count >= wanted.count {
            if bytes.starts(with: wanted) { places += 1 }
            bytes = bytes.dropFirst()
        }
        return places
    }
}

/// The table of words.
@Suite struct ReportWordsTests {
    @Test func everyLanguageOfStatementsHasAllOfThem() {
        let languages = ReportWords.rows.map(\.language)
        #expect(Set(languages) == Set(StatementWords.all.map(\.language)))
        #expect(languages.count == StatementWords.all.count)
        for (language, words) in ReportWords.rows {
            #expect(words.count == ReportWords.count, "\(language)")
            #expect(words.allSatisfy { $0.contains(where: \.isLetter) }, "\(language)")
            #expect(Set(words).count == words.count, "\(language)")
            #expect(ReportWords.of(language).summary == words[0], "\(language)")
        }
        #expect(ReportWords.of("de-AT").net == "Saldo" && ReportWords.of("xx").net == "Net")
    }
}
