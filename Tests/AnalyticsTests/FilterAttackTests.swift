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
    let people: [[String]: Set<Int64>]
    let telling: Telling
    let made: ToldCells
    /// What is told, by table.
    private let rows: [[Int]: [CellRow]]

    init(on seed: UInt64, _ day: Day) {
        var random = SeededGenerator(seed: seed)
        let few = Int.random(in: 1...4, using: &random)
        var people: [[String]: Set<Int64>] = [:]
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
        self.init(on: people, seed, day)
    }

    private init(on people: [[String]: Set<Int64>], _ seed: UInt64, _ day: Day) {
        self.seed = seed
        self.people = people
        let bookings = people.flatMap { cell, crowd in
            crowd.map { (person: $0, coordinates: cell + ["wallet", "EUR"]) }
        }
        let space = CubeSpace(bookings.map(\.coordinates))
        let cube = MonthCube(
            space: space,
            bookings: bookings.compactMap { person, coordinates in
                space.key(of: coordinates).map {
                    Booking(person: person, leaf: $0, value: 1, times: 1, from: 1, until: .max)
                }
            }
        )
        let users = cube.users(in: 1)
        telling = Telling(first: users, usersMin: Self.usersMin)
        made = ToldCells(cube, in: 1, users: users, telling: telling)
        let cells = made.rows.map { row in
            var coordinates = row.coordinates
            coordinates.insert(day.month.text, at: 3)
            return (
                levels: CubeTables.levels(row.table),
                row: CellRow(
                    month: day,
                    coordinates: coordinates,
                    country: row.country,
                    figures: row.figures
                )
            )
        }
        rows = Dictionary(grouping: cells, by: \.levels).mapValues { $0.map(\.row) }
    }

    /// What an answer tells, by its keys.
    func answer(_ query: SpendingQuery, today: Day) throws -> [[String?]: ToldFigures] {
        let scope = try InsightScope(query, today: today)
        let month = InsightMonth(
            month: today.month,
            asOf: .now(),
            usersMin: Self.usersMin,
            cells: Disclosure.tables(scope).flatMap { rows[$0] ?? [] }
        )
        return Disclosure(scope, [month]).told()
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

    func run(_ day: Day) throws -> Int {
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
        for row in made.rows {
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
                // Each person has booked once in each of them.
                let bookings = parts.reduce(0) { $0 + (people[cells[$1]]?.count ?? 0) }
                #expect(figures.bookings == Int64(bookings), "seed \(seed): \(query) \(key)")
                let users = figures.cell.map { Int($0.users) }
                #expect(users ?? crowd.count == crowd.count, "seed \(seed): \(query) \(key)")
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

extension FilterAttack {
    /// The same with nobody in a region, and with one person in one cell of it.
    func apart(_ day: Day, _ random: inout SeededGenerator) -> [FilterAttack] {
        let area = Self.areas.randomElement(using: &random) ?? ""
        let nobody = people.filter { $0.key[1] != area }
        var one = nobody
        let category = Self.categories.randomElement(using: &random) ?? Self.categories[0]
        let age = Self.ages.randomElement(using: &random) ?? Self.ages[0]
        one[[category.word, area, age.rawValue]] = [41]
        return [FilterAttack(on: nobody, seed, day), FilterAttack(on: one, seed, day)]
    }

    /// What is told by all queries: of how many people and bookings.
    func answers(_ day: Day) throws -> [SpendingQuery: [[String?]: [Int64]]] {
        var answers: [SpendingQuery: [[String?]: [Int64]]] = [:]
        for query in Self.queries(day) {
            answers[query] = try answer(query, today: day).mapValues {
                [$0.cell?.users ?? -1, $0.bookings]
            }
        }
        return answers
    }

    /// The queries for each of those coordinates that a query's figures are sums of.
    static func parts(of query: SpendingQuery) -> [SpendingQuery] {
        func each<Value>(_ values: [Value], _ dimension: SpendingDimension) -> [[Value]] {
            values.isEmpty || query.groupBy.contains(dimension) ? [values] : values.map { [$0] }
        }
        let country = query.areas.filter { $0 == "IT" || !$0.hasPrefix("IT") }
        let areas =
            query.areas.contains("IT") && !query.groupBy.contains(.area)
            ? country : query.areas
        return each(query.categories, .category).flatMap { categories in
            each(areas, .area).flatMap { areas in
                each(query.ageBands, .ageBand).map { ages in
                    SpendingQuery(
                        from: query.from,
                        to: query.to,
                        groupBy: query.groupBy,
                        categories: categories,
                        areas: areas,
                        ageBands: ages
                    )
                }
            }
        }
    }
}

@Suite struct FilterAttackTests {
    /// Of nobody nothing is told, as of one person: a sum over either is not told, or it would tell
    /// which.
    @Test func aSumOverNobodyLooksLikeOneOverOnePerson() throws {
        let day = try #require(Day("2023-05-01"))
        var (told, same) = (0, 0)
        for seed in [1, .random(in: 0...UInt64.max)] as [UInt64] {
            var random = SeededGenerator(seed: seed)
            let attacks = FilterAttack(on: seed, day).apart(day, &random)
            let worlds = try attacks.map { try $0.answers(day) }
            for query in FilterAttack.queries(day) {
                let parts = FilterAttack.parts(of: query)
                guard parts.count > 1 else { continue }
                for world in worlds {
                    // All that the parts tell, of the whole alike.
                    let keys = parts.map { Set(world[$0]?.keys.map(\.self) ?? []) }
                    let common = keys.dropFirst().reduce(keys[0]) { $0.intersection($1) }
                    let found = Set(world[query]?.keys.map(\.self) ?? [])
                    #expect(found == common, "seed \(seed): \(query)")
                    told += found.count
                }
                guard parts.allSatisfy({ worlds[0][$0] == worlds[1][$0] }) else { continue }
                #expect(worlds[0][query] == worlds[1][query], "seed \(seed): \(query)")
                same += 1
            }
        }
        #expect(told > 100 && same > 100, "\(told) told, \(same) the same")
    }

    @Test func nothingOfFewFollowsFromAllPairsAndTriplesOfFilters() throws {
        let seeds = Array(1...6) + (0..<6).map { _ in UInt64.random(in: 0...UInt64.max) }
        var told = 0
        let day = try #require(Day("2023-05-01"))
        for seed in seeds { told += try FilterAttack(on: seed, day).run(day) }
        #expect(told > 100)
    }
}
