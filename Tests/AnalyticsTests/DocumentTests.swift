import Crypto
import Glibc
import Loops
import ReportFiles
import TestKit
import Testing
import Text
import WalletProtocol

@testable import AnalyticsService
@testable import Documents
@testable import ServiceKit

/// What reports become.
@Suite struct ReportDocumentTests {
    private static let reader = DocumentReader(language: "en", timeZone: "UTC")

    private static func composer(_ labels: [CategoryLabel] = []) -> ReportComposer {
        ReportComposer(reader, LabelBook(labels), nil, madeAt: .now())
    }

    private static func lines(_ csv: [UInt8]) -> [String] {
        String(decoding: csv.dropFirst(3), as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    private func day(_ text: String) throws -> Day { try #require(Day(text)) }

    /// Cells of random divisions and ages, of which some are suppressed.
    private func cells(_ random: inout SeededGenerator, _ currency: Currency) -> [SpendingCell] {
        (0..<Int.random(in: 0...60, using: &random)).map { index in
            let isSuppressed = Bool.random(using: &random)
            let total = Total(minorUnits: .random(in: 0...1_000_000, using: &random), currency)
            return SpendingCell(
                category: .division(Coicop.allCases[index % 15]),
                ageBand: AgeBand.allCases[index / 15],
                isSuppressed: isSuppressed,
                total: isSuppressed ? nil : total,
                count: isSuppressed ? nil : 20,
                users: isSuppressed ? nil : 10,
                mean: isSuppressed ? nil : total,
                median: isSuppressed ? nil : total,
                p90: isSuppressed ? nil : total
            )
        }
    }

    @Test func suppressedCellsAreInNoChartAndNoFigure() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let view = SpendingInsights(
                from: try day("2024-01-01"),
                to: try day("2024-01-31"),
                direction: .outgoing,
                currency: .eur,
                asOf: nil,
                months: [],
                usersMin: 10,
                cells: cells(&random, .eur),
                unconverted: []
            )
            let printed = view.printed(by: Self.composer())
            let told = view.cells.filter { !$0.isSuppressed }
            let chart = try #require(printed.charts.first)
            #expect(printed.charts.count == 1 && chart.series.count == 1, "seed \(seed)")
            // That some are missing is told where they are missing.
            let hidden = view.cells.count - told.count
            #expect(chart.note == (hidden > 0 ? "Withheld: \(hidden)" : ""), "seed \(seed)")
            #expect(
                chart.series[0].values == told.compactMap { $0.total?.minorUnits },
                "seed \(seed)"
            )
            let sum = chart.tenths.reduce(0, +)
            #expect(sum == (chart.series[0].values.contains { $0 > 0 } ? 1_000 : 0), "seed \(seed)")
            for (cell, row) in zip(view.cells, printed.tables[0].rows) where cell.isSuppressed {
                #expect(row[1] == printed.hiddenWord, "seed \(seed)")
                #expect(row.dropFirst(2).allSatisfy { $0.isEmpty }, "seed \(seed)")
            }
        }
    }

    @Test func monthsAloneAreBars() throws {
        let month = try #require(Month("2024-01"))
        let total = Total(minorUnits: 5, .eur)
        let cell = SpendingCell(month: month, isSuppressed: false, total: total)
        let hidden = SpendingCell(month: month, isSuppressed: true)
        let view = SpendingInsights(
            from: month.firstDay,
            to: month.lastDay,
            direction: .outgoing,
            currency: .eur,
            asOf: nil,
            months: [],
            usersMin: 10,
            cells: [hidden, cell],
            unconverted: []
        )
        let chart = try #require(view.printed(by: Self.composer()).charts.first)
        #expect(chart.shape == .bars && chart.names == ["2024-01-01/2024-01-31"])
    }

    private func categoryReport(_ ids: [CategoryID]) throws -> CategoryReport {
        let amounts = ids.indices.map { Total(minorUnits: Int128(ids.count - $0) * 100, .eur) }
        let percents = try Percentages.of(amounts.map(\.minorUnits))
        return CategoryReport(
            from: try day("2024-01-01"),
            to: try day("2024-01-31"),
            currency: .eur,
            total: try Total.sum(amounts, in: .eur),
            net: try Total.sum(amounts, in: .eur),
            items: ids.indices.map { index in
                CategoryShare(
                    categoryID: ids[index],
                    amount: amounts[index],
                    net: amounts[index],
                    count: 1,
                    percent: percents[index],
                    previous: .zero(.eur),
                    parts: []
                )
            },
            unconverted: [Total(minorUnits: 7, .jpy)],
            previous: nil
        )
    }

    @Test func pagesOfTooManyRowsAreRefusedByName() async throws {
        let report = try categoryReport((0...20_000).map { _ in .new() })
        try await onLoop { actor in
            let documents = ReportDocuments(
                blocking: BlockingPool(threads: 1, queueMax: 8),
                loop: actor.loop,
                reader: { _ in Self.reader }
            )
            let error = await #expect(throws: APIError.self) {
                _ = try await documents.answer(report, as: .pdf, for: .new())
            }
            #expect(error?.errors.map(\.pointer) == ["query:format"])
            _ = try await documents.answer(report, as: .csv, for: .new())
        }
    }

    @Test func whatIsToldCoarserOrNotListedIsSaidInEveryForm() throws {
        func view(
            _ merged: [SpendingDimension],
            isUnlisted: Bool? = nil,
            _ cells: [SpendingCell] = [
                SpendingCell(area: "IT", isSuppressed: false, total: Total(minorUnits: 5, .eur))
            ]
        ) throws -> SpendingInsights {
            SpendingInsights(
                from: try day("2024-01-01"),
                to: try day("2024-01-31"),
                direction: .outgoing,
                currency: .eur,
                asOf: nil,
                months: [],
                merged: merged,
                usersMin: 10,
                cells: cells,
                unconverted: [Total(minorUnits: 7, .jpy)],
                isUnlisted: isUnlisted
            )
        }
        /// The last two columns.
        func lines(_ view: SpendingInsights) -> [[Substring]] {
            let lines = String(decoding: view.csv(LabelBook()), as: UTF8.self)
                .split(separator: "\r\n").map {
                    $0.split(separator: ",", omittingEmptySubsequences: false)
                }
            #expect(Set(lines.map(\.count)).count == 1)
            return lines.map { $0.suffix(2) }
        }
        let head: [Substring] = ["merged", "unlisted"]
        let told = try view([.area, .ageBand])
        #expect(lines(told) == [head, ["area age-band", "false"], ["", "false"]])
        let unlisted = try view([], isUnlisted: true)
        #expect(lines(unlisted) == [head, ["", "true"], ["", "true"]])
        // Though no cell is told, and of nothing that is told coarser.
        let untold = try view([], isUnlisted: true, [])
        #expect(lines(untold) == [head, ["", "true"], ["", "true"]])
        #expect(lines(try view([], [])) == [head, ["", "false"]])
        let notes = [told, unlisted].map { $0.printed(by: Self.composer()).charts.map(\.note) }
        #expect(notes == [[""], ["Withheld: …"]])
        let facts = told.printed(by: Self.composer()).facts
        #expect(
            facts.filter { $0.name == "Combined" }.map(\.text)
                == ["ISO 3166-2 → ISO 3166-1", "18-34, 35-54, 55+"]
        )
        let others = try view([]).printed(by: Self.composer()).facts
        #expect(others.allSatisfy { $0.name != "Combined" })
    }

    @Test func aTableOfUsageSaysThatNotAllIsListedThoughNothingIsTold() throws {
        func lines(_ cells: [UsageCell], isUnlisted: Bool?) throws -> [[Substring]] {
            let view = UsageInsights(
                measure: .active,
                from: try day("2024-01-01"),
                to: try day("2024-01-31"),
                asOf: nil,
                months: [],
                usersMin: 10,
                cells: cells,
                isUnlisted: isUnlisted
            )
            return String(decoding: UsageCSV.write(view), as: UTF8.self).split(separator: "\r\n")
                .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        }
        let month = try day("2024-01-01").month
        let cell = UsageCell(month: month, isSuppressed: true)
        for cells in [[], [cell]] {
            let unlisted = try lines(cells, isUnlisted: true)
            #expect(unlisted.map(\.last) == ["unlisted", "true"])
            #expect(Set(unlisted.map(\.count)).count == 1)
        }
        #expect(try lines([cell], isUnlisted: nil).map(\.last) == ["unlisted", "false"])
        #expect(try lines([], isUnlisted: nil).map(\.last) == ["unlisted"])
    }

    @Test(arguments: [
        ("Europe/Rome", "2024-04-01"), ("Pacific/Honolulu", "2024-03-31"), ("UTC", "2024-03-31"),
        ("Nowhere", "2024-03-31"),
    ])
    func daysInAHeadAreTheReaders(_ zone: String, _ day: String) throws {
        let instant = try #require(Instant("2024-03-31T23:30:00Z"))
        let reader = DocumentReader(language: "en", timeZone: zone)
        #expect(reader.day(of: instant) == day)
        let composer = ReportComposer(reader, LabelBook(), nil, madeAt: instant)
        #expect(composer.report("", [], [], [], in: .eur).madeOn == day)
        #expect(composer.fact("", instant).text == DayText(language: "en").text(day))
    }

    /// A program that sets any document as these two bytes.
    private static func setter(_ bytes: String) async throws -> String {
        let path = "/tmp/ezw-setter-\(UInt32.random(in: 0 ... .max)).sh"
        // Once it is asked: a frame of them, and one that says that it is done.
        let text = """
            #!/bin/sh
            /usr/bin/head -c 1 > /dev/null
            printf '\\000\\000\\000\\002\\\(DocumentFrame.Kind.bytes.octal)\(bytes)'
            printf '\\000\\000\\000\\000\\\(DocumentFrame.Kind.ready.octal)'
            """
        // Written by another process: no child of this one has it open when it is to be run.
        let write = "printf %s \"$2\" > \"$1\" && chmod 700 \"$1\""
        try Subprocess.run(["/bin/sh", "-c", write, "sh", path, text])
        return path
    }

    /// Hands `body` what asks for a picture, set by a program.
    private func withDocuments(
        setBy executable: String,
        _ body:
            @escaping @Sendable (() async throws -> Response<CategoryReport>) async throws -> Void
    ) async throws {
        let report = try categoryReport([])
        try await onLoop { actor in
            let documents = ReportDocuments(
                blocking: BlockingPool(threads: 1, queueMax: 8),
                loop: actor.loop,
                executable: executable,
                reader: { _ in Self.reader }
            )
            let user = ID<User>.new()
            try await body { try await documents.answer(report, as: .svg, for: user) }
        }
    }

    /// What could not be begun is had later, what ends its process never; no place is lost.
    @Test func aDocumentThatCannotBeBegunIsUnavailableAndOneThatEndsItsProcessFails() async throws {
        try await withDocuments(setBy: "/nowhere") { ask in
            for _ in 0..<6 {
                let error = await #expect(throws: APIError.self) { _ = try await ask() }
                #expect(error?.code == .unavailable && error?.retryAfterSeconds != nil)
            }
        }
        try await withDocuments(setBy: "/bin/false") { ask in
            for _ in 0..<6 {
                await #expect(throws: TypesettingProcess.Failure.self) { _ = try await ask() }
            }
        }
    }

    @Test func aDocumentKeepsItsPlaceUntilItHasBeenSent() async throws {
        let setter = try await Self.setter("ab")
        defer { unlink(setter) }
        try await withDocuments(setBy: setter) { ask in
            var unsent: [Response<CategoryReport>] = []
            for _ in 0..<2 { unsent.append(try await ask()) }
            let error = await #expect(throws: APIError.self) { _ = try await ask() }
            #expect(error?.code == .unavailable)
            // Sent, or given up: its place is free.
            unsent.removeLast()
            unsent.append(try await ask())
            #expect(unsent.count == 2)
        }
    }

    @Test func namesInTablesAreNeverFormulas() throws {
        let ids = (0..<3).map { _ in CategoryID.new() }
        let names = ["=1+1", "say \"hi\", all", "قهوة"]
        let labels = zip(ids, names).map {
            CategoryLabel(categoryID: $0, name: $1, color: Colour(rgb: 0x10))
        }
        let report = try categoryReport(ids)
        let lines = Self.lines(report.csv(LabelBook(labels)))
        #expect(lines[1].contains(",\"'=1+1\",") && lines[2].contains(",\"say \"\"hi\"\", all\","))
        #expect(lines[3].contains(",قهوة,"))
        #expect(lines[4] == "total,2024-01-01,2024-01-31,,,,EUR,6.00,,,,6.00")
        #expect(lines[5] == "unconverted,2024-01-01,2024-01-31,,,,JPY,7,,,,")
        let printed = report.printed(by: Self.composer(labels))
        #expect(
            printed.charts[0].names == names
                && printed.charts[0].series[0].colours == [
                    0x10, 0x10, 0x10,
                ]
        )
        #expect(printed.charts[0].tenths.reduce(0, +) == 1_000)
        // One that is gone since has no name, and is told of all the same.
        let nameless = report.printed(by: Self.composer())
        #expect(nameless.charts[0].names == ["–", "–", "–"])
    }

    @Test func trendsOfCategoriesHaveAChartForEachWayThatHasAny() throws {
        let (one, two) = (CategoryID.new(), CategoryID.new())
        func series(_ id: CategoryID, income: Int128, expenses: Int128) throws -> TrendSeries {
            let (income, expenses) = (
                Total(minorUnits: income, .eur), Total(minorUnits: expenses, .eur)
            )
            let net = try income.subtracting(expenses)
            let point = TrendPoint(
                from: try day("2024-01-01"),
                to: try day("2024-01-01"),
                income: income,
                expenses: expenses,
                net: net
            )
            return TrendSeries(
                categoryID: id,
                income: income,
                expenses: expenses,
                net: net,
                points: [point]
            )
        }
        let report = TrendReport(
            from: try day("2024-01-01"),
            to: try day("2024-01-01"),
            currency: .eur,
            interval: .day,
            series: [
                try series(one, income: 0, expenses: 5), try series(two, income: 0, expenses: 9),
            ],
            unconverted: [],
            previous: nil
        )
        let charts = report.printed(by: Self.composer()).charts
        #expect(charts.count == 1 && charts[0].series.map(\.values) == [[9], [5]])
        #expect(Self.lines(report.csv(LabelBook([]))).count == 5)
    }
}

extension DocumentFrame.Kind {
    /// As `printf` has it.
    fileprivate var octal: String { "00" + String(rawValue, radix: 8) }
}

extension PrintedReport {
    fileprivate var hiddenWord: String { "Withheld" }
}

/// Names and colours are asked for, and nothing is made up without an answer.
@Suite struct CategoryLabelReaderTests {
    private static func reader() -> UserIdentity? {
        let claims = AccessClaims(
            issuer: "",
            audience: "",
            subject: ID<User>.new().text,
            session: .new(),
            roles: [.user],
            generation: 1,
            issuedAt: 0,
            expiresAt: 1
        )
        return UserIdentity(claims, keyID: "", token: [])
    }

    private func read(
        _ ids: [CategoryID],
        of owner: CategoryOwner,
        _ answer: @escaping (CategoryLabelRequest) throws(APIError) -> CategoryLabels
    ) async throws -> LabelBook {
        try await CategoryLabelReader(
            ledger: { request throws(APIError) in try answer(request) },
            groups: { _, _ throws(APIError) in
                _ = try answer(CategoryLabelRequest(userID: .new(), categoryIDs: []))
                return []
            }
        ).read(ids, of: owner, for: try #require(Self.reader()))
    }

    @Test func moreThanACallMayAskForAreSeveral() async throws {
        let ids = (0..<CategoryLabelRequest.countMax * 2 + 1).map { _ in CategoryID.new() }
        let user = ID<User>.new()
        let book = try await read(ids, of: .person(user)) { request throws(APIError) in
            guard request.userID == user, request.categoryIDs.count <= CategoryLabelRequest.countMax
            else { throw APIError(.internalError) }
            return CategoryLabels(
                items: request.categoryIDs.map {
                    CategoryLabel(categoryID: $0, name: $0.text, color: Colour(rgb: 1))
                }
            )
        }
        #expect(ids.allSatisfy { book.name(of: $0) == $0.text && book.colour(of: $0) == 1 })
    }

    @Test func withoutAnAnswerThereIsNoDocument() async throws {
        for owner in [CategoryOwner.person(.new()), .group(.new())] {
            for (code, told) in [
                (ErrorCode.unavailable, ErrorCode.unavailable), (.gatewayTimeout, .unavailable),
                (.forbidden, .unavailable), (.notFound, .notFound),
            ] {
                var refusal: ErrorCode?
                do {
                    _ = try await read([.new()], of: owner) { _ throws(APIError) in
                        throw APIError(code)
                    }
                } catch let error as APIError { refusal = error.code }
                #expect(refusal == told)
            }
            // Of nothing nobody is asked.
            _ = try await read([], of: owner) { _ throws(APIError) in throw APIError(.unavailable) }
        }
    }
}
