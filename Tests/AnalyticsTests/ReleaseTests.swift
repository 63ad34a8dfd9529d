import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

private let bookingsOf = Statement(
    """
    select count(*) from analytics.booking
    where person = (select number from analytics.insight_person where user_id = $1)
    """
) { row in try row.int64(0) }

private let numbersOf = Statement(
    "select count(*) from analytics.insight_person where user_id = $1"
) { row in try row.int64(0) }

private let erasedPeople = Statement(
    "select coalesce(max(people), 0) from analytics.erased_booking"
) { row in try row.int64(0) }

private let allBookings = Statement("select count(*) from analytics.booking") { row in
    try row.int64(0)
}

/// Whoever watches everybody's figures sees releases, and of one person nothing between two.
@Suite struct ReleaseTests {
    private static let divisions: [Coicop] = [.food, .transport, .education]

    private func person(_ user: ID<User>, in area: String) -> EventEnvelope {
        envelope(
            UserChanged(
                userID: user,
                username: "u",
                email: "u@example.org",
                emailVerified: true,
                dateOfBirth: nil,
                area: area,
                language: "en",
                timeZone: "UTC",
                currency: .eur,
                enabled: true
            ),
            from: .auth
        )
    }

    /// Six who have booked in each division, on either kind of account.
    private func crowd(_ bench: Bench) async throws -> [TransactionPosted] {
        var all: [TransactionPosted] = []
        for person in 0..<6 {
            let user = ID<User>.new()
            for division in Self.divisions {
                for kind in [AccountKind.wallet, .current] {
                    all.append(
                        try posting(by: user, -1_000 - Int64(person), division, kind: kind)
                    )
                }
            }
        }
        try await bench.apply(all.map { envelope($0) })
        return all
    }

    /// Every table that can be asked for, by its keys.
    private func everything(_ bench: Bench) async throws -> [[SpendingDimension]: [SpendingCell]] {
        var all: [[SpendingDimension]: [SpendingCell]] = [:]
        let tables: [[SpendingDimension]] = [
            [], [.category], [.accountKind], [.category, .accountKind], [.month],
            [.category, .month], [.ageBand, .category], [.area], [.currency, .accountKind],
        ]
        for table in tables {
            let query = SpendingQuery(
                from: Day("2023-05-01"),
                to: Day("2023-05-31"),
                groupBy: table
            )
            all[table] = try await bench.insights.spending(query, by: .new()).cells
        }
        return all
    }

    private func told(
        _ cells: [[SpendingDimension]: [SpendingCell]]
    ) -> [[SpendingDimension]: [SpendingCell]] {
        cells.mapValues { $0.filter { !$0.isSuppressed } }
    }

    @Test(arguments: ["booking", "edit", "taken back", "erasure"])
    func whoWatchesBeforeAndAfterSeesNothingOfOnePerson(change: String) async throws {
        try await withBench { _, bench in
            let all = try await crowd(bench)
            try await bench.release()
            let before = try await everything(bench)
            #expect(before[[]]?.map(\.users) == [6])
            let one = try #require(all.first)
            switch change {
            case "booking": try await bench.apply([envelope(posting(by: one.userID, -7_731))])
            case "edit":
                try await bench.apply([
                    envelope(reversal(of: one)), envelope(posting(by: one.userID, -7_731)),
                ])
            case "taken back": try await bench.apply([envelope(reversal(of: one))])
            default:
                let erasure = UserErased(userID: one.userID, erasedAt: .now())
                try await bench.apply([envelope(erasure, from: .auth)])
            }
            let watched = try await everything(bench)
            #expect(watched == before, "before the next release nothing differs")
            try await bench.release()
            let after = try await told(everything(bench))
            for (table, cells) in after {
                let known = told(before)[table] ?? []
                for cell in cells { #expect(known.contains(cell), "\(table): \(cell)") }
            }
            // And with one booking nobody takes away what was told.
            #expect(after == told(before))
        }
    }

    /// Whatever fewer than are needed do to a month that is told, and however often it is released.
    @Test func whatFewHaveChangedTakesNothingAwayThatWasTold() async throws {
        for seed in [1, .random(in: 0...UInt64.max)] as [UInt64] {
            try await withBench { _, bench in
                var random = SeededGenerator(seed: seed)
                let all = try await crowd(bench)
                try await bench.release()
                let before = try await told(everything(bench))
                let users = Array(Set(all.map(\.userID)).prefix(Bench.usersMin - 1))
                for _ in 0..<3 {
                    for _ in 0..<4 {
                        let user = try #require(users.randomElement(using: &random))
                        let amount = -Int64.random(in: 1...5_000, using: &random)
                        let division = Self.divisions.randomElement(using: &random) ?? .food
                        let own = all.filter { $0.userID == user }
                        let one = try #require(own.randomElement(using: &random))
                        let change: [EventEnvelope] =
                            switch Int.random(in: 0..<3, using: &random) {
                            case 0: [envelope(try posting(by: user, amount, division))]
                            case 1: [envelope(reversal(of: one))]
                            default: [person(user, in: "IT-RM")]
                            }
                        try await bench.apply(change)
                    }
                    try await bench.release()
                    let after = try await told(everything(bench))
                    #expect(after == before, "seed \(seed)")
                }
            }
        }
    }

    @Test func whatWaitsIsToldWithWhatOthersChangeAndSaysSince() async throws {
        try await withBench { _, bench in
            func may() async throws -> SpendingInsights {
                let query = SpendingQuery(from: Day("2023-05-01"), to: Day("2023-05-31"))
                return try await bench.insights.spending(query, by: .new())
            }
            let users = Array(Set(try await crowd(bench).map(\.userID)))
            let start = try #require(Instant("2024-01-01T00:00:00Z"))
            let moments = (0..<3).map { start.adding(seconds: Int64($0) * 86_400) }
            try await bench.release(at: moments[0])
            try await bench.apply([envelope(posting(by: users[0], -7_731))])
            try await bench.release(at: moments[1])
            var view = try await may()
            #expect(view.cells.map(\.count) == [36] && view.asOf == moments[1])
            #expect(view.months.map(\.asOf) == [moments[0]])
            for user in users[1..<Bench.usersMin] {
                try await bench.apply([envelope(posting(by: user, -500))])
            }
            try await bench.release(at: moments[2])
            view = try await may()
            #expect(view.cells.map(\.count) == [39] && view.asOf == moments[2])
            #expect(view.months.map(\.asOf) == [moments[2]])
        }
    }

    @Test func aMonthOfFewWaitsUntilItMayTellSomething() async throws {
        try await withBench { _, bench in
            func users() async throws -> [Int?] {
                let query = SpendingQuery(from: Day("2023-05-01"), to: Day("2023-05-31"))
                return try await bench.insights.spending(query, by: .new()).cells.map(\.users)
            }
            for _ in 0..<Bench.usersMin - 1 { try await bench.apply([envelope(posting())]) }
            try await bench.release()
            #expect(try await users() == [nil])
            for _ in 0..<Bench.usersMin { try await bench.apply([envelope(posting())]) }
            try await bench.release()
            #expect(try await users() == [2 * Bench.usersMin - 1])
        }
    }

    /// Those of a bench where more people are needed.
    private func releases(_ bench: Bench, usersMin: Int) -> ReleaseStore {
        bench.releases.needing(usersMin)
    }

    @Test func whatTellsTooLittleOnceTheNumberIsRaisedIsToldMerged() async throws {
        try await withBench { _, bench in
            for (area, count) in [("IT-RM", 4), ("IT-MI", 7), ("FR-75", 4), ("FR-13", 7)] {
                for _ in 0..<count {
                    let user = ID<User>.new()
                    try await bench.apply([person(user, in: area), envelope(posting(by: user))])
                }
            }
            func told() async throws -> [String: Int] {
                let query = SpendingQuery(
                    from: Day("2023-05-01"),
                    to: Day("2023-05-31"),
                    groupBy: [.area]
                )
                let view = try await bench.insights.spending(query, by: .new())
                return view.cells.reduce(into: [:]) { told, cell in
                    if let area = cell.area, let users = cell.users { told[area] = users }
                }
            }
            try await bench.release()
            #expect(try await told().count == 4)
            _ = try await releases(bench, usersMin: 5).make(at: .now())
            #expect(try await told() == ["FR": 11, "IT": 11])
        }
    }

    @Test func whoRaisesTheNumberCannotSubtractWhatIsBelowIt() async throws {
        try await withBench { _, bench in
            for (division, count) in zip(Self.divisions, [4, 6, 9]) {
                for _ in 0..<count { try await bench.apply([envelope(posting(-100, division))]) }
            }
            try await bench.release()
            let before = try await everything(bench)
            #expect(before[[.category]]?.compactMap(\.users).sorted() == [4, 6, 9])
            _ = try await releases(bench, usersMin: 5).make(at: .now())
            let after = try await everything(bench)
            #expect(after[[]]?.map(\.users) == [19])
            #expect(after[[.category]]?.compactMap(\.users) == [9], "six go with the four")
        }
    }

    @Test func whoIsErasedWhileAMonthIsAtWorkIsNobodyAtOnce() async throws {
        try await withBench { _, bench in
            let all = try await crowd(bench)
            try await bench.release()
            let gone = try #require(all.first?.userID)
            try await bench.releases.database.transaction { atWork in
                _ = try await atWork.queryOne(ReleaseStatements.lock)
                let erasure = UserErased(userID: gone, erasedAt: .now())
                try await bench.apply([envelope(erasure, from: .auth)])
                let numbers = try await bench.database.query(numbersOf, gone)
                #expect(numbers == [0])
            }
            let before = try await bench.database.query(allBookings)
            try await bench.releases.forgetGone()
            let left = try await bench.database.query(allBookings)
            let people = try await bench.database.query(erasedPeople)
            #expect(before == [36] && left == [30] && people == [1])
        }
    }

    @Test func whatManyHaveChangedIsTold() async throws {
        try await withBench { _, bench in
            let all = try await crowd(bench)
            try await bench.release()
            for user in Set(all.map(\.userID)).prefix(Bench.usersMin) {
                try await bench.apply([envelope(posting(by: user, -500, .food, kind: .wallet))])
            }
            let release = try await bench.release()
            let after = try await everything(bench)
            #expect(after[[]]?.map(\.count) == [39])
            #expect(after[[.category]]?.filter { !$0.isSuppressed }.count == 3)
            let query = SpendingQuery(from: Day("2023-05-01"), to: Day("2023-05-31"))
            let view = try await bench.insights.spending(query, by: .new())
            #expect(view.asOf?.secondsSince1970 == release.releasedAt.secondsSince1970)
        }
    }

    @Test func whatIsFirstAskedLaterIsOfTheSameRelease() async throws {
        try await withBench { _, bench in
            _ = try await crowd(bench)
            try await bench.release()
            func total(_ dimensions: [SpendingDimension]) async throws -> Int128 {
                let query = SpendingQuery(
                    from: Day("2023-05-01"),
                    to: Day("2023-05-31"),
                    groupBy: dimensions
                )
                return try await bench.insights.spending(query, by: .new()).cells
                    .reduce(0) { $0 + ($1.total?.minorUnits ?? 0) }
            }
            let first = try await total([])
            try await bench.apply([envelope(posting(-7_731))])
            // What others ask for, and when, changes nothing of what is told.
            for dimensions in [[.category], [.accountKind], [.month]] as [[SpendingDimension]] {
                #expect(try await total(dimensions) == first)
            }
        }
    }

    @Test func anErasedPersonsBookingsGoAtOnceAndStayANumber() async throws {
        try await withBench { _, bench in
            let all = try await crowd(bench)
            try await bench.release()
            let gone = try #require(all.first?.userID)
            let had = try await bench.database.query(bookingsOf, gone)
            #expect(had == [6])
            let erasure = UserErased(userID: gone, erasedAt: .now())
            try await bench.apply([envelope(erasure, from: .auth)])
            try await bench.apply([envelope(erasure, from: .auth)])
            let left = try await bench.database.query(bookingsOf, gone)
            let others = try await bench.database.query(allBookings)
            let people = try await bench.database.query(erasedPeople)
            #expect(left == [0] && others == [30] && people == [1])
        }
    }

    @Test func whoMovesIsCountedWhereTheyWereUntilTheNextRelease() async throws {
        try await withBench { _, bench in
            func areas() async throws -> [String: Int] {
                let query = SpendingQuery(
                    from: Day("2023-05-01"),
                    to: Day("2023-05-31"),
                    groupBy: [.area]
                )
                let cells = try await bench.insights.spending(query, by: .new()).cells
                return Dictionary(
                    uniqueKeysWithValues: cells.compactMap { cell in
                        cell.users.flatMap { users in cell.area.map { ($0, users) } }
                    }
                )
            }
            var users: [ID<User>] = []
            for area in ["IT-RM", "IT-RM", "IT-RM", "IT-RM", "IT-RM", "IT-RM", "FR", "FR", "FR"] {
                users.append(.new())
                try await bench.apply([
                    person(users[users.count - 1], in: area),
                    envelope(posting(by: users[users.count - 1], -100, .food, kind: .wallet)),
                ])
            }
            try await bench.release()
            for user in users.prefix(3) { try await bench.apply([person(user, in: "FR")]) }
            #expect(try await areas() == ["IT-RM": 6, "FR": 3])
            try await bench.release()
            #expect(try await areas() == ["IT-RM": 3, "FR": 6])
        }
    }

    @Test func aMonthIsReleasedFromTheThirdDayAfterItsEnd() throws {
        let settings = ReleaseSettings(usersMin: 3, currencies: [.eur])
        let running = ReleaseSettings(usersMin: 3, currencies: [.eur], tellsRunningMonths: true)
        for (moment, last) in [
            ("2023-06-02T23:59:59Z", "2023-04"), ("2023-06-03T00:00:00Z", "2023-05"),
            ("2023-06-30T00:00:00Z", "2023-05"), ("2024-01-03T00:00:00Z", "2023-12"),
            ("2024-01-02T00:00:00Z", "2023-11"),
        ] {
            let now = try #require(Instant(moment))
            #expect(settings.lastMonth(at: now)?.text == last)
            #expect(running.lastMonth(at: now)?.text == String(moment.prefix(7)))
        }
    }

    @Test func aMonthThatIsNotOverIsNotTold() async throws {
        try await withBench { _, bench in
            for _ in 0..<5 { try await bench.apply([envelope(posting())]) }
            let query = SpendingQuery(from: Day("2023-05-01"), to: Day("2023-05-31"))
            for (moment, users) in [
                ("2023-06-02T12:00:00Z", nil), ("2023-06-03T12:00:00Z", 5),
            ] as [(String, Int?)] {
                let now = try #require(Instant(moment))
                try await bench.release(at: now)
                let view = try await bench.insights.spending(query, by: .new())
                #expect(view.cells.map(\.users) == [users] && view.asOf == now)
            }
        }
    }

    @Test func aReleaseIsMadeAtMostOnceInSoManyHours() async throws {
        try await withBench { _, bench in
            let now = try #require(Instant("2023-06-03T12:00:00Z"))
            let first = try await bench.releases.makeWhereDue(at: now)
            let early = try await bench.releases.makeWhereDue(
                at: now.adding(seconds: 24 * 3_600 - 1)
            )
            let later = try await bench.releases.makeWhereDue(at: now.adding(seconds: 24 * 3_600))
            #expect(first?.number == 1 && early == nil && later?.number == 2)
        }
    }

    @Test func whatWasCutOffIsMadeUpForAfterARest() throws {
        let settings = ReleaseSettings(usersMin: 3, currencies: [.eur])
        let now = try #require(Instant("2023-06-03T12:00:00Z"))
        let cut = Release(number: 1, releasedAt: now, usersMin: 3, currencies: [.eur])
        #expect(!settings.isDue(after: cut, at: now.adding(seconds: 599)))
        #expect(settings.isDue(after: cut, at: now.adding(seconds: 600)))
    }
}
