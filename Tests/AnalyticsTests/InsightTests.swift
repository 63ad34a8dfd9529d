import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// Facts, and ten for each cell.
private let factsOf = Statement(
    """
    select (select count(*) from analytics.fact where user_id = $1)
        + (select count(*) from analytics.report_cell where owner_id = $1) * 10
    """
) { row in try row.int64(0) }

/// What is kept back, by examples; three people are enough here.
@Suite struct InsightTests {
    private func posting(
        by user: ID<User> = .new(),
        _ amount: Int64 = -1_000,
        _ currency: Currency = .eur,
        on day: String = "2023-05-17",
        division: Coicop = .food
    ) throws -> EventEnvelope {
        try envelope(AnalyticsTests.posting(by: user, amount, division, on: day, in: currency))
    }

    private func person(_ user: ID<User>, in area: String) -> EventEnvelope {
        envelope(
            UserRegistered(
                userID: user,
                username: "u",
                email: "u@example.org",
                dateOfBirth: nil,
                area: area,
                language: "en",
                timeZone: "UTC",
                currency: .eur,
                registeredAt: .now()
            ),
            from: .auth
        )
    }

    private func query(
        _ from: String = "2023-05-01",
        _ to: String = "2023-05-31",
        by dimensions: [SpendingDimension] = [],
        areas: [String] = [],
        direction: Direction = .outgoing
    ) -> SpendingQuery {
        SpendingQuery(
            from: Day(from),
            to: Day(to),
            groupBy: dimensions,
            areas: areas,
            direction: direction
        )
    }

    @Test func whoHasNoRateIsInNoCohort() async throws {
        try await withBench { _, bench in
            for _ in 0..<2 { try await bench.apply([posting()]) }
            for _ in 0..<5 { try await bench.apply([posting(-1_000, .chf)]) }
            for _ in 0..<4 { try await bench.apply([posting(division: .transport)]) }
            for _ in 0..<5 { try await bench.apply([posting(division: .education)]) }
            try await bench.release()
            let view = try await bench.insights.spending(query(by: [.category]), by: .new())
            let told = view.cells.filter { !$0.isSuppressed }.map(\.category)
            // The two who ate are all that the others leave of the total: another goes with them.
            #expect(told == [.division(.education)])
        }
    }

    @Test func sumsWithoutARateAreKeptBackInCompany() async throws {
        try await withBench { _, bench in
            for area in ["FR", "FR", "FR", "IT"] {
                let user = ID<User>.new()
                try await bench.apply([person(user, in: area), posting(by: user, -700, .chf)])
            }
            try await bench.release()
            let all = try await bench.insights.spending(query(), by: .new())
            #expect(all.unconverted == [Total(minorUnits: 2_800, .chf)])
            let french = try await bench.insights.spending(query(areas: ["FR"]), by: .new())
            #expect(french.unconverted.isEmpty)
        }
    }

    @Test func aFilterThatIsWholeInOneMonthAloneIsOfBothAndOfNobodysNumber() async throws {
        try await withBench { _, bench in
            let (may, june) = ("2023-05-17", "2023-06-17")
            let booked = [("FR", 1_000, may), ("FR", 3_000, june), ("IT", 9, june)]
            for (area, amount, day) in booked {
                for _ in 0..<4 {
                    let user = ID<User>.new()
                    try await bench.apply([
                        person(user, in: area), posting(by: user, Int64(-amount), on: day),
                    ])
                }
            }
            try await bench.release()
            let query = query("2023-05-01", "2023-06-30", by: [.category], areas: ["FR"])
            let view = try await bench.insights.spending(query, by: .new())
            let cell = try #require(view.cells.first { !$0.isSuppressed })
            #expect(cell.count == 8 && cell.mean?.amount == "20.00")
            // People and amounts of several cells would tell of those in one alone.
            #expect(cell.users == nil && cell.median == nil && cell.p90 == nil)
        }
    }

    @Test func smallRegionsAreToldAsTheirCountryAndIsSaid() async throws {
        try await withBench { _, bench in
            for (area, count) in [("IT-RM", 2), ("IT-MI", 2), ("FR-75", 3)] {
                for _ in 0..<count {
                    let user = ID<User>.new()
                    try await bench.apply([person(user, in: area), posting(by: user)])
                }
            }
            try await bench.release()
            let view = try await bench.insights.spending(query(by: [.area]), by: .new())
            #expect(view.merged == [.area])
            let told = view.cells.filter { !$0.isSuppressed }
            #expect(told.map(\.area) == ["FR", "IT"] && told.map(\.users) == [3, 4])
            let regions = try await bench.insights.spending(
                query(by: [.area], areas: ["IT-RM", "FR-75"]),
                by: .new()
            )
            #expect(regions.merged.isEmpty && regions.cells.allSatisfy(\.isSuppressed))
        }
    }

    @Test func nothingIsMergedWhereAMonthTellsNothingOfItMerged() throws {
        let today = try #require(Day("2023-06-30"))
        let asked = [0, 2, 2, 0, 0]
        func header(closed: Set<[Int]>, _ merged: [[Int]: [Int]]) -> CubeHeader {
            CubeHeader(
                month: today,
                asOf: .now(),
                usersMin: 3,
                closed: closed,
                merged: MergedTables(tables: merged),
                release: 1,
                erased: 0,
                base: .eur
            )
        }
        let both = header(closed: [], [asked: [0, 1, 1, 0, 0]])
        let query = query(by: [.area, .ageBand])
        let scope = try InsightScope(query, today: today)
        for (closed, merged) in [
            ([], [.area, .ageBand]), ([[0, 1, 1, 0, 0], [0, 2, 1, 0, 0]], [.area]),
            ([[0, 1, 1, 0, 0], [0, 1, 2, 0, 0]], [.ageBand]),
            ([[0, 1, 1, 0, 0], [0, 1, 2, 0, 0], [0, 2, 1, 0, 0]], []),
            ([[0, 1, 1, 0, 0], asked], [.area, .ageBand]),
        ] as [(Set<[Int]>, [SpendingDimension])] {
            let headers = [both, header(closed: closed, [:])]
            #expect(Disclosure.merged(scope, [asked], headers) == merged, "\(closed)")
        }
    }

    @Test func aSumIsOfCountriesWithTheirPartsAndToldWhereEachIs() async throws {
        try await withBench { _, bench in
            for (area, count) in [("IT", 3), ("IT-RM", 4), ("FR-75", 5), ("FR-13", 6)] {
                for _ in 0..<count {
                    let user = ID<User>.new()
                    try await bench.apply([person(user, in: area), posting(by: user)])
                }
            }
            try await bench.release()
            for (areas, users) in [
                (["IT", "FR-75"], 12), (["IT", "IT-RM"], 7), (["IT-RM", "FR-75"], 9),
                (["IT", "FR"], 18), (["FR-75", "DE"], nil), (["FR-75", "FR-69"], nil),
            ] as [([String], Int?)] {
                let view = try await bench.insights.spending(query(areas: areas), by: .new())
                // Each has one booking; people of several places are not told.
                #expect(view.cells.map(\.count) == [users], "\(areas)")
                let isOne = areas == ["IT", "IT-RM"]
                #expect(view.cells.map(\.users) == [isOne ? users : nil], "\(areas)")
            }
        }
    }

    @Test func periodsCannotBeSubtracted() async throws {
        try await withBench { _, bench in
            for _ in 0..<4 { try await bench.apply([posting()]) }
            try await bench.apply([posting(-99, on: "2023-05-31"), posting(-77, on: "2023-06-01")])
            try await bench.release()
            let insights = bench.insights
            let may = try await insights.spending(query(), by: .new())
            let almost = try await insights.spending(query("2023-05-02", "2023-05-30"), by: .new())
            #expect(may.cells == almost.cells && almost.to == may.to && almost.from == may.from)
            #expect(may.cells.map(\.users) == [5])
            // June was never taken up: what is booked there is in no sum, and so in no difference.
            for dimensions in [[], [.category]] as [[SpendingDimension]] {
                let query = query("2023-05-01", "2023-06-30", by: dimensions)
                let both = try await insights.spending(query, by: .new())
                let one = try await insights.spending(self.query(by: dimensions), by: .new())
                #expect(both.cells == one.cells && both.months.map(\.month.text) == ["2023-05"])
            }
            let months = try await insights.spending(
                query("2023-04-01", "2023-06-30", by: [.month]),
                by: .new()
            )
            #expect(months.cells.map(\.isSuppressed) == [true, false, true])
            let spring = try await insights.spending(query("2023-03-01"), by: .new())
            #expect(spring.cells.map(\.users) == [5])
        }
    }

    @Test func aCellOfFewLooksLikeOneOfNobody() async throws {
        try await withBench { _, bench in
            for _ in 0..<4 { try await bench.apply([posting(), posting(division: .transport)]) }
            try await bench.release()
            let dimensions: [SpendingDimension] = [.category, .accountKind]
            let before = try await bench.insights.spending(query(by: dimensions), by: .new())
            #expect(before.cells.count == 16 * AccountKind.allCases.count)
            try await bench.apply([posting(division: .education)])
            try await bench.release()
            let after = try await bench.insights.spending(query(by: dimensions), by: .new())
            #expect(after.cells.map(\.category) == before.cells.map(\.category))
            let wasThere = { (view: SpendingInsights) in
                view.cells.filter { $0.category == .division(.education) }
            }
            #expect(wasThere(after) == wasThere(before))
        }
    }

    @Test func whatIsHiddenDoesNotDependOnTheOrderOfRows() throws {
        var random = SeededGenerator(seed: 1)
        func row(_ category: String) -> [String] {
            [category, "unknown", "unknown", "wallet", "EUR"]
        }
        var people: [(person: Int64, coordinates: [String])] = []
        for (category, count) in [("01", 7), ("07", 7), ("09", 7), ("10", 1)] {
            for _ in 0..<count { people.append((Int64(people.count), row(category))) }
        }
        var first: [[String?]]?
        for _ in 0..<50 {
            people.shuffle(using: &random)
            let space = CubeSpace(people.map(\.coordinates))
            let bookings = people.compactMap { person, coordinates in
                space.key(of: coordinates).map {
                    Booking(person: person, leaf: $0, value: 1, times: 1, from: 1, until: .max)
                }
            }
            let cube = MonthCube(space: space, bookings: bookings)
            let users = cube.users(in: 1)
            let telling = Telling(first: users, usersMin: 3)
            let cells = ToldCells(cube, in: 1, users: users, telling: telling)
            let table = CubeTables.code([1, 0, 0, 0, 0])
            let told = cells.rows.filter { $0.table == table }
            #expect(told.count == 2)
            let names = told.map(\.coordinates)
            #expect(first == nil || first == names)
            first = names
        }
    }

    @Test func nothingOfAnErasedPersonStays() async throws {
        try await withBench { _, bench in
            let users = (0..<3).map { _ in ID<User>.new() }
            for user in users { try await bench.apply([posting(by: user)]) }
            try await bench.release()
            let before = try await bench.insights.spending(query(), by: .new())
            #expect(before.cells.map(\.users) == [3])
            let gone = try #require(users.first)
            let erasure = UserErased(userID: gone, erasedAt: .now())
            try await bench.apply([envelope(erasure, from: .auth)])
            let kept = try await bench.database.query(factsOf, gone)
            #expect(kept == [0])
            // What comes after all is not kept, whatever it comes with.
            try await bench.apply([posting(by: gone)])
            let frozen = try await bench.insights.spending(query(), by: .new())
            #expect(frozen == before)
            try await bench.release()
            let after = try await bench.insights.spending(query(), by: .new())
            #expect(after.cells.map(\.isSuppressed) == [true])
            let late = try await bench.database.query(factsOf, gone)
            let others = try await bench.database.query(factsOf, users[1])
            #expect(late == [0] && others == [11])
        }
    }

    @Test func nothingEarnedIsEarnedToo() async throws {
        try await withBench { _, bench in
            let users = (0..<3).map { _ in ID<User>.new() }
            for user in users { try await bench.apply([posting(by: user, 0)]) }
            try await bench.release()
            let income = try await bench.insights.spending(query(direction: .incoming), by: .new())
            #expect(income.cells.map(\.count) == [3])
            let scope = ReportScope(
                subject: .person(users[0]),
                period: try .ofReport(
                    from: Day("2023-05-01"),
                    to: Day("2023-05-31"),
                    today: #require(Day("2023-05-31"))
                ),
                currency: .eur
            )
            let earned = try await bench.reports.categories(scope.going(.incoming))
            let spent = try await bench.reports.categories(scope.going(.outgoing))
            #expect(earned.items.map(\.count) == [1] && spent.items.isEmpty)
        }
    }
}
