import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// Who takes files in, each of any formats, and what is told of it to whoever puts all of that
/// together.
@Suite struct UsageFileTests {
    /// Every group of people that somebody could name by formats, be it by those that they did not
    /// use, is of nobody, of enough people, or of unknown size.
    @Test func whoUsedWhichFormatsFollowsFromNoSumOfWhatIsTold() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await withBench { _, bench in
            var random = SeededGenerator(seed: seed)
            let crowd = FileCrowd(using: &random)
            try await bench.apply(crowd.events)
            try await bench.release(at: FileCrowd.released)
            var (told, small) = (0, 0)
            for month in FileCrowd.months {
                var span = LinearSpan(width: FileCrowd.leaves.count)
                for measure in [UsageMeasure.imports, .active] {
                    for (groupBy, areas) in FileCrowd.queries
                    where
                        measure == .imports || !groupBy.contains(.kind)
                    {
                        let query = UsageQuery(
                            measure: measure.rawValue,
                            from: month.firstDay,
                            to: month.firstDay,
                            groupBy: groupBy,
                            areas: areas
                        )
                        let answer = try await bench.usage.insights(query, by: .new())
                        for cell in answer.cells {
                            guard let users = cell.users else { continue }
                            let leaves = FileCrowd.leaves.indices.filter { index in
                                FileCrowd.leaves[index].isIn(cell, measure, areas)
                            }
                            let count = crowd.count(of: leaves, in: month)
                            #expect(users == count, "seed \(seed): \(cell)")
                            span.know(leaves)
                            told += 1
                        }
                    }
                }
                for leaves in FileCrowd.unions {
                    let count = crowd.count(of: leaves, in: month)
                    guard (1..<Bench.usersMin).contains(count) else { continue }
                    small += 1
                    let follows = span.tells(leaves)
                    #expect(!follows, "seed \(seed): \(leaves.map { FileCrowd.leaves[$0] })")
                }
            }
            #expect(told > 20 && small > 20, "seed \(seed): \(told) told, \(small) small")
        }
    }

    /// Two formats that most people share tell of nobody who is in one of them alone.
    @Test func whoDoesOtherwiseIsInNoDifferenceOfFormats() async throws {
        try await withBench { _, bench in
            // One by CSV alone, one by OFX alone, five by both: 7, 6 and 6 would tell of both.
            let formats: [Set<StatementFormat>] =
                [[.csv], [.ofx]] + Array(repeating: [.csv, .ofx], count: 5)
                + Array(repeating: [], count: 5)
            try await bench.apply(FileCrowd.events(of: formats))
            try await bench.release(at: FileCrowd.released)
            let query = UsageQuery(
                measure: UsageMeasure.imports.rawValue,
                from: FileCrowd.months[0].firstDay,
                to: FileCrowd.months[0].firstDay
            )
            let all = try await bench.usage.insights(query, by: .new())
            #expect(all.cells.map(\.users) == [7])
            let byKind = UsageQuery(
                measure: query.measure,
                from: query.from,
                to: query.to,
                groupBy: [.kind]
            )
            let kinds = try await bench.usage.insights(byKind, by: .new())
            let areHidden = kinds.cells.allSatisfy(\.isSuppressed)
            #expect(areHidden, "\(kinds.cells)")
        }
    }

    /// However much somebody takes out, a day of theirs counts once, as anybody's.
    @Test func manyFilesOfADayAreOneRowAndCountOnce() async throws {
        try await withBench { _, bench in
            let formats = Array(repeating: Set([StatementFormat.csv]), count: 6)
            let events = FileCrowd.events(of: formats)
            try await bench.apply(events)
            let imported = try #require(events.last { $0.type == StatementImported.eventType })
            let user = try imported.body(as: StatementImported.self).userID
            for day in ["2024-03-05", "2024-03-05", "2024-03-05", "2024-03-20"] {
                let body = StatementImported(importID: .new(), userID: user, format: .csv)
                let moment = try #require(Day(day)).startUTC.adding(seconds: 7)
                let event = envelope(body, at: moment)
                try await bench.apply([event, event])
            }
            let rows = try await bench.database.queryOne(fileRows, user)
            #expect(rows == 2)
            try await bench.release(at: FileCrowd.released)
            let query = UsageQuery(
                measure: UsageMeasure.imports.rawValue,
                from: FileCrowd.months[0].firstDay,
                to: FileCrowd.months[0].firstDay
            )
            let answer = try await bench.usage.insights(query, by: .new())
            #expect(answer.cells.map(\.users) == [6] && answer.cells.map(\.count) == [7])
        }
    }
}

private let fileRows = Statement(
    "select count(*) from analytics.file_use where user_id = $1"
) { row in try row.int64(0) }

/// People of three regions who are all there each month, and take files in by some formats or none.
private struct FileCrowd {
    static let months = (3...7).compactMap { Month(year: 2_024, month: $0) }
    /// From the third day after the last month's end on.
    static let released = Day("2024-08-05")?.startUTC ?? .now()
    private static let areas = ["IT-RM", "IT-MI", "FR-75"]
    private static let formats: [StatementFormat] = [.csv, .ofx, .qif]

    /// Those of a region that used exactly these formats.
    struct Leaf: Hashable {
        let area: String
        let formats: Set<StatementFormat>

        func isIn(_ cell: UsageCell, _ measure: UsageMeasure, _ areas: [String]) -> Bool {
            guard cell.area.map({ $0 == area }) ?? true,
                areas.isEmpty || areas.contains(where: { area.hasPrefix($0) })
            else { return false }
            guard measure == .imports else { return true }
            switch cell.kind {
            case nil: return !formats.isEmpty
            case .several: return formats.count > 1
            case let kind?: return formats.map(\.rawValue) == [kind.rawValue]
            }
        }
    }

    private static let sets = (0..<8).map { bits in
        Set(formats.indices.filter { bits & 1 << $0 != 0 }.map { formats[$0] })
    }
    static let leaves = areas.flatMap { area in sets.map { Leaf(area: area, formats: $0) } }

    /// All that formats tell apart of a region, of a country, or of everybody.
    static let unions: [[Int]] = [["IT-RM"], ["IT-MI"], ["FR-75"], ["IT-RM", "IT-MI"], areas]
        .flatMap { areas in
            (1..<256).map { bits in
                leaves.indices.filter { index in
                    areas.contains(leaves[index].area)
                        && sets.indices.contains {
                            bits & 1 << $0 != 0 && sets[$0] == leaves[index].formats
                        }
                }
            }
        }

    /// With all that there is to ask by.
    static let queries: [(groupBy: [UsageDimension], areas: [String])] = [
        ([], []), ([.kind], []), ([], ["IT"]), ([.kind], ["IT"]), ([.area], []),
        ([.kind, .area], []),
    ]

    let events: [EventEnvelope]
    private var counts: [Month: [Leaf: Int]] = [:]

    init(using random: inout SeededGenerator) {
        let people = (0..<90).map { _ in
            (id: ID<User>.new(), area: Self.areas.randomElement(using: &random) ?? "")
        }
        var events = people.flatMap { Self.registration($0.id, $0.area) }
        for month in Self.months {
            // Most do as many do, some as nobody else.
            let usual = Self.sets.shuffled(using: &random)
                .prefix(Int.random(in: 2...4, using: &random))
            for person in people {
                let isUsual = Int.random(in: 0..<12, using: &random) > 0
                let formats =
                    (isUsual ? Array(usual) : Self.sets).randomElement(using: &random) ?? []
                events += Self.use(person.id, month, formats)
                let leaf = Leaf(area: person.area, formats: formats)
                counts[month, default: [:]][leaf, default: 0] += 1
            }
        }
        self.events = events + Self.later(people[0].id)
    }

    func count(of leaves: [Int], in month: Month) -> Int {
        leaves.reduce(0) { $0 + (counts[month]?[Self.leaves[$1]] ?? 0) }
    }

    /// What each of some people has done in the first month.
    static func events(of formats: [Set<StatementFormat>]) -> [EventEnvelope] {
        let people = formats.map { (id: ID<User>.new(), formats: $0) }
        return people.flatMap { registration($0.id, areas[0]) + use($0.id, months[0], $0.formats) }
            + later(people[0].id)
    }

    private static func registration(_ user: ID<User>, _ area: String) -> [EventEnvelope] {
        let registered = UserRegistered(
            userID: user,
            username: "u",
            email: "u@example.org",
            area: area,
            language: "it",
            timeZone: "UTC",
            currency: .eur,
            registeredAt: months[0].firstDay.startUTC,
            roles: [.user]
        )
        return [envelope(registered, from: .auth)]
    }

    private static func use(
        _ user: ID<User>,
        _ month: Month,
        _ formats: Set<StatementFormat>
    ) -> [EventEnvelope] {
        let day = month.firstDay.adding(days: 4) ?? month.firstDay
        let files = formats.map { StatementImported(importID: .new(), userID: user, format: $0) }
        return [envelope(UserActive(userID: user, day: day), from: .auth)]
            + files.map { envelope($0, at: day.startUTC) }
    }

    /// A month is told once a later day has been seen.
    private static func later(_ user: ID<User>) -> [EventEnvelope] {
        let last = months[months.count - 1].lastDay
        let day = last.adding(days: 1) ?? last
        return [envelope(UserActive(userID: user, day: day), from: .auth)]
    }
}
