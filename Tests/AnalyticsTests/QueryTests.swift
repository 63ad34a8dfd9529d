import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// Queries for everybody's figures: what is asked, in which order, and all that is wrong.
@Suite struct QueryTests {
    private func asked(_ query: InsightQuery) throws -> AskedInsights {
        try AskedInsights(Unjudged(query), now: .now())
    }

    /// Cells of a table, some of them told, by their keys.
    private func cells(_ random: inout SeededGenerator) -> [SpendingCell] {
        let divisions = Coicop.allCases.prefix(Int.random(in: 0...8, using: &random))
        return divisions.flatMap { division in
            AgeBand.allCases.map { ages in
                let isSuppressed = Bool.random(using: &random)
                // Few different ones, so that many are alike.
                func figure() -> Int { .random(in: 10...13, using: &random) }
                func sum() -> Total { Total(minorUnits: Int128(figure()), .eur) }
                return SpendingCell(
                    category: .division(division),
                    ageBand: ages,
                    isSuppressed: isSuppressed,
                    total: isSuppressed ? nil : sum(),
                    count: isSuppressed ? nil : figure(),
                    users: isSuppressed ? nil : figure(),
                    mean: isSuppressed ? nil : sum(),
                    median: isSuppressed ? nil : sum(),
                    p90: isSuppressed ? nil : sum()
                )
            }
        }
    }

    private func view(_ cells: [SpendingCell]) throws -> SpendingInsights {
        let month = try #require(Month("2024-01"))
        return SpendingInsights(
            from: month.firstDay,
            to: month.lastDay,
            direction: .outgoing,
            currency: .eur,
            asOf: nil,
            months: [ReleasedMonth(month: month, asOf: Instant(microseconds: 0))],
            usersMin: 10,
            cells: cells,
            unconverted: []
        )
    }

    /// What is ordered and cut is what the whole answer tells, and what is hidden there stands
    /// where its keys alone put it.
    @Test func noOrderAndNoLimitTellsMoreThanTheWhole() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let names = SpendingMeasure.allCases.map(\.rawValue) + ["category", "age-band"]
        for _ in 0..<300 {
            let whole = try view(cells(&random))
            let order = names.shuffled(using: &random)
                .prefix(Int.random(in: 0...3, using: &random))
                .map { InsightOrder(by: $0, isDescending: Bool.random(using: &random)) }
            let query = InsightQuery(
                measures: SpendingMeasure.allCases.map(\.rawValue),
                dimensions: [.category, .ageBand],
                order: order,
                limit: Int.random(in: 1...80, using: &random)
            )
            let asked = try asked(query)
            guard case .spending(let spending, let measures) = asked.figures else {
                Issue.record("seed \(seed)")
                continue
            }
            let answer = InsightQueries.answer(whole, asked, spending, measures)
            let found = try #require(answer.spending).cells
            #expect(found.count == min(whole.cells.count, asked.limit), "seed \(seed)")
            #expect(Set(found).count == found.count, "seed \(seed)")
            #expect(Set(found).isSubset(of: whole.cells), "seed \(seed)")
            // Without a limit it is all of it, of which this is the beginning.
            let unlimited = CellOrder(keys: asked.order.map(\.ofSpending), limit: .max)
                .apply(to: whole.cells)
            #expect(Array(unlimited.prefix(asked.limit)) == found, "seed \(seed)")
            // What is hidden is in the same order by whichever figures, and behind what is told.
            let hidden = unlimited.filter(\.isSuppressed)
            let byKeys = asked.order.filter { $0.dimension != nil }
            #expect(
                hidden
                    == CellOrder(keys: byKeys.map(\.ofSpending), limit: .max)
                    .apply(to: whole.cells.filter(\.isSuppressed)),
                "seed \(seed)"
            )
            if let first = order.first, let measure = SpendingMeasure(rawValue: first.by) {
                let told = unlimited.prefix { !$0.isSuppressed }
                #expect(told.count + hidden.count == unlimited.count, "seed \(seed)")
                let figures = told.map { Self.figure(measure, of: $0) }
                let isSorted = first.isDescending == true ? figures.sorted(by: >) : figures.sorted()
                #expect(figures == isSorted, "seed \(seed)")
            }
            #expect(answer.explanation.told == whole.cells.count { !$0.isSuppressed })
            #expect(answer.explanation.suppressed == hidden.count)
            let reasons = Set(answer.explanation.notes.map(\.reason))
            #expect(reasons.contains(.suppressed) == !hidden.isEmpty, "seed \(seed)")
            #expect(reasons.contains(.beyondLimit) == (whole.cells.count > asked.limit))
        }
    }

    private static func figure(_ measure: SpendingMeasure, of cell: SpendingCell) -> Int128 {
        switch measure {
        case .count: Int128(cell.count ?? 0)
        case .users: Int128(cell.users ?? 0)
        case .total: cell.total?.minorUnits ?? 0
        case .mean: cell.mean?.minorUnits ?? 0
        case .median: cell.median?.minorUnits ?? 0
        case .p90: cell.p90?.minorUnits ?? 0
        }
    }

    /// Of two tables that differ in what is hidden alone, every answer is the same: it is given the
    /// view, in which nothing of that is.
    @Test func figuresThatWereNotAskedForAreLeftOut() throws {
        var random = SeededGenerator(seed: 7)
        let whole = try view(cells(&random) + cells(&random))
        for measure in SpendingMeasure.allCases {
            let asked = try asked(InsightQuery(measures: [measure.rawValue]))
            guard case .spending(let spending, let measures) = asked.figures else { continue }
            let answer = InsightQueries.answer(whole, asked, spending, measures)
            for cell in answer.spending?.cells ?? [] where !cell.isSuppressed {
                let there = [
                    cell.count != nil, cell.users != nil, cell.total != nil, cell.mean != nil,
                    cell.median != nil, cell.p90 != nil,
                ]
                #expect(there.count { $0 } == 1)
            }
        }
    }

    private func faults(_ body: String) -> (code: ErrorCode?, places: [String: String]) {
        do throws(APIError) {
            let sent = try JSON.read(Unjudged<InsightQuery>.self, from: Array(body.utf8))
            _ = try AskedInsights(sent, now: .now())
            return (nil, [:])
        } catch {
            let pairs = error.errors.map { ($0.pointer, $0.code.text) }
            return (error.code, Dictionary(pairs) { first, _ in first })
        }
    }

    @Test func allThatIsWrongWithAQueryIsNamedAtOnce() {
        let told = faults(
            """
            {"measures":["total","adClicks","total","funnel"],
            "dimensions":["area","area","language","planet"],
            "filters":{"area":["it"],"language":["it"],"month":["2024-13"],"x":1},
            "from":"yesterday","order":[{"by":"mean"},{"by":"total"},{"by":"total"}],"limit":0}
            """
        )
        #expect(told.code == .invalidBody)
        #expect(
            told.places == [
                "/measures/1": "unknown-value", "/measures/2": "duplicate",
                "/measures/3": "conflict", "/dimensions/3": "unknown-value",
                "/filters/area/0": "invalid-value", "/filters/month/0": "invalid-month",
                "/filters/x": "unknown-field", "/from": "invalid-day",
                "/order/0/by": "unknown-value", "/order/2/by": "duplicate",
                "/limit": "out-of-range",
            ]
        )
    }

    @Test func whatIsOfTheOtherFiguresIsNamed() {
        let spending = faults(
            #"{"measures":["total"],"dimensions":["kind"],"filters":{"language":["it"]}}"#
        )
        #expect(spending.code == .invalidBody)
        #expect(
            spending.places == [
                "/dimensions/0": "unknown-value", "/filters/language": "unknown-field",
            ]
        )
        let usage = faults(
            """
            {"measures":["active"],"dimensions":["month","category"],"direction":"out","in":"EUR",
            "filters":{"category":["01"],"currency":["EUR"]},"order":[{"by":"month"}]}
            """
        )
        #expect(
            usage.places == [
                "/dimensions/1": "unknown-value", "/filters/category": "unknown-field",
                "/filters/currency": "unknown-field", "/direction": "unknown-field",
                "/in": "unknown-field",
            ]
        )
        // What those refuse who answer it stands where it stands in the body.
        #expect(
            faults(#"{"measures":["total"],"from":"2024-02-01","to":"2024-01-01"}"#).places
                == ["/to": "out-of-range"]
        )
        #expect(
            faults(#"{"measures":["active"],"dimensions":["kind"]}"#).places
                == ["/dimensions": "unknown-value"]
        )
        #expect(
            faults(#"{"measures":["active"],"filters":{"area":["IT","FR"]}}"#).places
                == ["/filters/area": "too-many"]
        )
    }

    @Test func aMeasureThatIsNotKeptIsACodeOfItsOwn() {
        let told = faults(#"{"measures":["total","adClicks"]}"#)
        #expect(told.code == .unknownMeasure && told.places == ["/measures/1": "unknown-value"])
        #expect(faults(#"{"measures":["adClicks"],"limit":0}"#).code == .invalidBody)
        #expect(faults(#"{"measures":[]}"#).code == .invalidBody)
        #expect(faults(#"{"measures":["total"]}"#).code == nil)
    }

    @Test(arguments: [199, 200, 201, 1_000]) func howeverMuchIsWrongItIsBounded(count: Int) throws {
        let many = Array(repeating: "{\"by\":\"x\"}", count: count).joined(separator: ",")
        let names = (0..<count).map { "\"m\($0)\"" }.joined(separator: ",")
        for body in [
            "{\"measures\":[\(names)]}", "{\"measures\":[\"total\"],\"order\":[\(many)]}",
        ] {
            do throws(APIError) {
                let sent = try JSON.read(Unjudged<InsightQuery>.self, from: Array(body.utf8))
                _ = try AskedInsights(sent, now: .now())
                Issue.record("read with \(count) faults")
            } catch {
                #expect(error.code == .invalidBody)
                #expect(error.errors.count == min(count + 1, JSONReading.errorsMax))
            }
        }
    }

    /// Whatever may be asked comes back from its text, which the audit log has a place for.
    @Test func theTextOfAQueryIsTheQuery() throws {
        let query = InsightQuery(
            measures: ["total", "p90"],
            dimensions: [.area, .month],
            filters: InsightFilters(
                areas: (0..<50).compactMap { _ in AreaKey.parse(Array("IT-25".utf8)[...]) },
                months: (0..<120).compactMap { _ in Month("2024-01") },
                currencies: (0..<50).map { _ in .eur }
            ),
            from: Day("2024-01-01"),
            order: [InsightOrder(by: "total", isDescending: true)],
            limit: 7
        )
        let text = try asked(query).text
        #expect(try JSON.read(InsightQuery.self, from: Array(text.utf8)) == query)
        #expect(text.utf8.count < 4_096)
    }
}
