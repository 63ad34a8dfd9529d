import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// An attacker who asks for every pair and triple of filters, in every table, of a release.
private struct FilterAttack {
    static let usersMin = 5
    static let categories: [CategoryKey] = [
        .division(.food), .division(.transport), .division(.education),
    ]
    static let areas = ["IT-RM", "IT-MI", "FR-75"]
    static let ages: [AgeBand] = [.from18, .from65]
    let seed: UInt64
    /// The people of each finest cell: category, area, age band.
    var people: [[String]: Set<Int64>] = [:]
    let telling: Telling
    let made: ToldCells

    init(on seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        let few = Int.random(in: 1...4, using: &random)
        for category in Self.categories {
            for area in Self.areas {
                for age in Self.ages where Int.random(in: 0..<8, using: &random) > 0 {
                    let count = Int.random(in: 0..<6, using: &random) == 0 ? few : 12
                    people[[category.word, area, age.rawValue]] = Set(
                        (0..<Int.random(in: 1...count, using: &random)).map { _ in
                            Int64.random(in: 1...40, using: &random)
                        }
                    )
                }
            }
        }
        let rows = people.flatMap { cell, crowd in
            crowd.map { (person: $0, coordinates: cell + ["wallet", "EUR"]) }
        }
        let space = CubeSpace(rows.map(\.coordinates))
        let cube = MonthCube(
            space: space,
            bookings: rows.compactMap { person, coordinates in
                space.key(of: coordinates).map {
                    Booking(person: person, leaf: $0, value: 1, times: 1, from: 1, until: .max)
                }
            }
        )
        let users = cube.users(in: 1)
        telling = Telling(first: users, usersMin: Self.usersMin)
        made = ToldCells(cube, in: 1, users: users, telling: telling)
    }

    /// What an answer tells, by its keys.
    func answer(_ query: SpendingQuery, today: Day) throws -> [[String?]: CellFigures] {
        let scope = try InsightScope(query, today: today)
        let levels = Disclosure.levels(scope) { dimension in
            let table = CubeTables.dimensions.map { $0 == dimension ? 1 : 0 }
            let depths = zip(table, CubeTables.depths).map(*)
            return rows(of: depths, today).compactMap { $0.coordinate(of: dimension) }
        }
        let month = InsightMonth(
            month: today.month,
            levels: levels,
            isClosed: telling.closed.contains(levels),
            cells: rows(of: levels, today)
        )
        return Disclosure(scope, [month]).told()
    }

    private func rows(of levels: [Int], _ day: Day) -> [CellRow] {
        made.rows.filter { $0.table == CubeTables.code(levels) }.map { row in
            var coordinates = row.coordinates
            coordinates.insert(day.month.text, at: 3)
            return CellRow(
                month: day.month.firstDay,
                coordinates: coordinates,
                country: row.country,
                isTold: row.figures != nil,
                figures: row.figures
            )
        }
    }

    /// Every query of at most three filters, of one or two values each.
    static func queries(_ day: Day) -> [SpendingQuery] {
        func choices<Value>(_ all: [Value]) -> [[Value]] {
            var some: [[Value]] = [[]] + all.map { [$0] }
            for first in all.indices {
                for second in all.indices where second > first {
                    some.append([all[first], all[second]])
                }
            }
            return some
        }
        let tables: [[SpendingDimension]] = [
            [], [.category], [.area], [.ageBand], [.category, .area], [.category, .ageBand],
            [.area, .ageBand], [.category, .area, .ageBand],
        ]
        return choices(categories).flatMap { categories in
            choices(areas + ["IT"]).flatMap { areas in
                choices(ages).flatMap { ages in
                    tables.map { table in
                        SpendingQuery(
                            from: day,
                            to: day,
                            groupBy: table,
                            categories: categories,
                            areas: areas,
                            ageBands: ages
                        )
                    }
                }
            }
        }
    }

    /// The finest cells that a key of a query is of.
    func parts(of key: [String?], _ query: SpendingQuery, _ cells: [[String]]) -> [Int] {
        cells.indices.filter { index in
            let cell = cells[index]
            let passes =
                (query.categories.isEmpty || query.categories.map(\.word).contains(cell[0]))
                && (query.areas.isEmpty
                    || query.areas.contains { $0 == cell[1] || cell[1].hasPrefix($0 + "-") })
                && (query.ageBands.isEmpty || query.ageBands.map(\.rawValue).contains(cell[2]))
            return passes && zip(key, cell).allSatisfy { $0 == nil || $0 == $1 }
        }
    }

    func run() throws -> Int {
        let day = try #require(Day("2023-05-01"))
        var cells: [[String]] = []
        for category in Self.categories {
            for area in Self.areas {
                for age in Self.ages { cells.append([category.word, area, age.rawValue]) }
            }
        }
        // Which cells nobody is in is only not known of a table of which nothing is told.
        if !telling.closed.contains([1, 2, 2, 0, 0]) {
            cells = cells.filter { people[$0] != nil }
        }
        var span = LinearSpan(width: cells.count)
        var told = 0
        // And for every merged table beside those whose cells it puts together.
        for row in made.rows where row.figures != nil {
            span.know(
                cells.indices.filter { index in
                    let cell = cells[index]
                    let ages = CubeTables.ages(with: cell[2])
                    return cell[0] == row.coordinates[0] ?? cell[0]
                        && cell[1] == row.coordinates[1] ?? cell[1]
                        && CubeTables.country(of: cell[1]) == row.country
                            ?? CubeTables.country(of: cell[1])
                        && [cell[2], ages].contains(row.coordinates[2] ?? ages)
                }
            )
        }
        for query in Self.queries(day) {
            for (key, figures) in try answer(query, today: day) {
                let parts = parts(of: key, query, cells)
                let crowd = parts.reduce(into: Set()) { $0.formUnion(people[cells[$1]] ?? []) }
                #expect(figures.users == Int64(crowd.count), "seed \(seed): \(query) \(key)")
                #expect(crowd.count >= Self.usersMin, "seed \(seed): \(query) \(key)")
                span.know(parts)
                told += 1
            }
        }
        for query in Self.queries(day) where query.groupBy.isEmpty {
            let parts = parts(of: [nil, nil, nil], query, cells)
            let crowd = parts.reduce(into: Set()) { $0.formUnion(people[cells[$1]] ?? []) }
            guard (1..<Self.usersMin).contains(crowd.count) else { continue }
            let isTold = span.tells(parts)
            #expect(!isTold, "seed \(seed): \(query) follows")
        }
        return told
    }
}

@Suite struct FilterAttackTests {
    @Test func nothingOfFewFollowsFromAllPairsAndTriplesOfFilters() throws {
        let seeds = Array(1...6) + (0..<6).map { _ in UInt64.random(in: 0...UInt64.max) }
        var told = 0
        for seed in seeds { told += try FilterAttack(on: seed).run() }
        #expect(told > 100)
    }
}
