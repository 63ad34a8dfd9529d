import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

private let everything = Statement(
    """
    select coalesce(string_agg(one, ' ' order by one), '')
    from (
        select c::text from analytics.usage_cell c
        union all
        select m::text from analytics.usage_month m
        union all
        select g::text from analytics.cohort_gone g
    ) as kept (one)
    """
) { row in try row.string(0) }

/// How the suite is used, by examples; three people are enough here.
@Suite struct UsageTests {
    private static let march = "2024-03-10"
    /// From the third day after the end of February on.
    private static let released = Day("2024-03-03")?.startUTC ?? .now()

    private func registration(
        _ user: ID<User>,
        on day: String = "2024-02-10",
        _ roles: [Role] = [.user],
        in area: String = "IT-RM"
    ) throws -> EventEnvelope {
        envelope(
            UserRegistered(
                userID: user,
                username: "u",
                email: "u@example.org",
                area: area,
                language: "it",
                timeZone: "UTC",
                currency: .eur,
                registeredAt: try #require(Day(day)).startUTC,
                roles: roles
            ),
            from: .auth
        )
    }

    private func active(_ user: ID<User>, on day: String = "2024-02-10") throws -> EventEnvelope {
        envelope(UserActive(userID: user, day: try #require(Day(day))), from: .auth)
    }

    private func query(_ measure: UsageMeasure, by: [UsageDimension] = []) -> UsageQuery {
        UsageQuery(
            measure: measure.rawValue,
            from: Day("2024-02-01"),
            to: Day("2024-02-29"),
            groupBy: by
        )
    }

    /// So many who have registered and are there in February, and again in March.
    private func crowd(_ bench: Bench, _ count: Int = 6) async throws -> [ID<User>] {
        let users = (0..<count).map { _ in ID<User>.new() }
        for user in users {
            try await bench.apply([
                registration(user), active(user), active(user, on: Self.march),
            ])
        }
        return users
    }

    @Test func whoeverWatchesSeesNoLogIn() async throws {
        try await withBench { _, bench in
            let users = try await self.crowd(bench)
            try await bench.release(at: Self.released)
            let before = try await bench.database.queryOne(everything)
            var answers: [[UsageCell]] = []
            for measure in UsageMeasure.allCases {
                let answer = try await bench.usage.insights(self.query(measure), by: .new())
                answers.append(answer.cells)
            }
            #expect(answers[1].map(\.users) == [6])
            // One is there on another day, one registers late, and one of another month is there.
            try await bench.apply([
                self.active(users[0], on: "2024-02-20"), self.active(users[1], on: "2024-03-11"),
            ])
            let late = ID<User>.new()
            try await bench.apply([self.registration(late), self.active(late)])
            for day in ["2024-03-03", "2024-03-04", "2024-04-02"] {
                try await bench.release(at: try #require(Day(day)).startUTC)
                for (measure, cells) in zip(UsageMeasure.allCases, answers) {
                    let answer = try await bench.usage.insights(self.query(measure), by: .new())
                    #expect(answer.cells == cells, "\(measure) on \(day)")
                }
                let after = try await bench.database.queryOne(everything)
                #expect(after == before)
            }
        }
    }

    @Test func whatARaisedNumberHidesCannotBeSubtracted() async throws {
        try await withBench { _, bench in
            for (area, count) in [("IT-RM", 4), ("IT-MI", 6), ("FR-75", 9)] {
                for _ in 0..<count {
                    let user = ID<User>.new()
                    try await bench.apply([
                        self.registration(user, in: area), self.active(user),
                        self.active(user, on: Self.march),
                    ])
                }
            }
            try await bench.release(at: Self.released)
            func told(_ measure: UsageMeasure) async throws -> (usersMin: Int, [String: Int]) {
                let query = self.query(measure, by: [.area])
                let answer = try await bench.usage.insights(query, by: .new())
                let pairs = answer.cells.compactMap { cell in
                    cell.users.map { (cell.area ?? "", $0) }
                }
                return (answer.usersMin, Dictionary(pairs) { first, _ in first })
            }
            let next = Self.released.adding(seconds: 86_400)
            for measure in [UsageMeasure.registrations, .active] {
                let before = try await told(measure)
                #expect(before == (3, ["IT-RM": 4, "IT-MI": 6, "FR-75": 9]))
            }
            for _ in 0..<2 {
                _ = try await bench.releases.needing(5).make(at: next)
                for measure in [UsageMeasure.registrations, .active] {
                    let after = try await told(measure)
                    #expect(after == (5, ["FR-75": 9]), "six go with the four")
                    let all = try await bench.usage.insights(self.query(measure), by: .new())
                    #expect(all.cells.map(\.users) == [19])
                }
            }
            // What is not told has no part in an answer, nor in whether it is too large.
            let rows = try await bench.database.query(
                UsageAnswerStatements.cells,
                UsageKind.activity.rawValue,
                [try #require(Day("2024-02-01"))],
                UsageCells.code([0, 2, 0, 0]),
                [""],
                Int64(100)
            )
            #expect(rows.map(\.area) == ["FR-75"])
            // The steps of who registered come with a later month, and follow what is told.
            try await bench.apply([self.active(.new(), on: "2024-04-02")])
            let third = try #require(Day("2024-04-03")).startUTC
            _ = try await bench.releases.needing(5).make(at: third)
            let funnel = try await bench.usage.insights(
                self.query(.funnel, by: [.area]),
                by: .new()
            )
            let registered = funnel.cells.filter { $0.step == .registered }
            #expect(registered.compactMap(\.users) == [9])
            // Fewer are not told again.
            _ = try await bench.releases.needing(3).make(at: third.adding(seconds: 86_400))
            let last = try await told(.active)
            #expect(last == (5, ["FR-75": 9]))
        }
    }

    /// Of a month that is told there may be no cell: too many could be named, and none is told.
    @Test func aMonthIsReleasedThoughNoCellOfItIsListed() async throws {
        try await withBench { _, bench in
            _ = try await self.crowd(bench)
            try await bench.release(at: Self.released)
            let queries = InsightQueries(
                spending: bench.insights,
                usage: bench.usage,
                blocking: bench.insights.blocking
            )
            func reasons(_ areaCount: Int) async throws -> (cells: Int, Set<InsightReason>) {
                let query = InsightQuery(
                    measures: ["active"],
                    dimensions: [.area, .ageBand, .language],
                    filters: InsightFilters(
                        areas: (0..<areaCount).compactMap { AreaKey.parse("FR-\($0)".utf8Bytes) },
                        languages: (0..<20).compactMap { LanguageKey.parse("l\($0)".utf8Bytes) }
                    ),
                    from: Day("2024-02-01"),
                    to: Day("2024-02-29")
                )
                let asked = try AskedInsights(Unjudged(query), now: .now())
                let answer = try await queries.answer(asked, by: .new())
                let usage = try #require(answer.usage)
                #expect(usage.months.map(\.text) == ["2024-02"])
                #expect((usage.isUnlisted == true) == (areaCount == 50))
                return (usage.cells.count, Set(answer.explanation.notes.map(\.reason)))
            }
            let few = try await reasons(2)
            #expect(few == (320, [.suppressed]))
            let many = try await reasons(50)
            #expect(many == (0, [.unlisted]))
        }
    }

    @Test func aMonthWaitsForItsEndAndForALaterDay() async throws {
        try await withBench { _, bench in
            for _ in 0..<4 {
                let user = ID<User>.new()
                try await bench.apply([self.registration(user), self.active(user)])
            }
            let query = self.query(.active)
            for day in ["2024-02-20", "2024-03-02", "2024-03-20"] {
                try await bench.release(at: try #require(Day(day)).startUTC)
                let answer = try await bench.usage.insights(query, by: .new())
                #expect(answer.cells.isEmpty, "\(day)")
            }
            try await bench.apply([self.active(.new(), on: "2024-03-20")])
            try await bench.release(at: Self.released)
            let answer = try await bench.usage.insights(query, by: .new())
            #expect(answer.cells.map(\.users) == [4])
            // One day each of 29, and its week of seven days.
            #expect(answer.cells.map { $0.daily?.text } == ["0.1"])
            #expect(answer.cells.map { $0.weekly?.text } == ["1"])
        }
    }

    @Test func whoIsNoUserIsNotCountedNorIsAGroupOfOne() async throws {
        try await withBench { _, bench in
            let users = try await self.crowd(bench)
            let officer = ID<User>.new()
            try await bench.apply([self.registration(officer, [.coo]), self.active(officer)])
            let joined = try #require(Day("2024-02-11")).startUTC
            for (index, user) in users.enumerated() {
                let member = GroupMemberJoined(
                    groupID: .new(),
                    memberID: .new(),
                    userID: user,
                    joinedAt: joined,
                    isPersonal: index < 3
                )
                try await bench.apply([envelope(member, from: .groups)])
            }
            // As groups told it before they said whether it was one.
            let id = ID<User>.new().text
            let old = """
                {"groupId":"\(id)","memberId":"\(id)","userId":"\(id)","joinedAt":"\(joined)"}
                """
            let unsaid = try JSON.read(GroupMemberJoined.self, from: Array(old.utf8))
            try await bench.apply([envelope(unsaid, from: .groups)])
            let steps = try await bench.database.query(groupSteps)
            #expect(Set(steps) == Set(users[3...]))
            try await bench.release(at: Self.released)
            for measure in [UsageMeasure.registrations, .active] {
                let answer = try await bench.usage.insights(self.query(measure), by: .new())
                #expect(answer.cells.map(\.users) == [6])
            }
        }
    }

    @Test func whoIsErasedStaysANumberOfThoseThatRegistered() async throws {
        try await withBench { _, bench in
            let users = try await self.crowd(bench, 9)
            try await bench.release(at: Self.released)
            let order = ErasureOrder(userID: users[0], erasedAt: .now(), lastSequence: 0)
            for _ in 0..<2 { try await PersonEraser(database: bench.database).erase(by: order) }
            let erased = envelope(UserErased(userID: users[1], erasedAt: .now()), from: .auth)
            try await bench.apply([erased, erased, self.active(users[0]), self.active(users[1])])
            try await bench.apply([self.active(.new(), on: "2024-04-02")])
            try await bench.release(at: try #require(Day("2024-04-03")).startUTC)
            let retention = try await bench.usage.insights(self.query(.retention), by: .new())
            // Two are away in March: seven would give them away.
            #expect(retention.cells.map(\.users) == [9, nil])
            let funnel = try await bench.usage.insights(self.query(.funnel), by: .new())
            #expect(funnel.cells.map(\.users) == [9, nil, nil, nil])
            for user in users.prefix(2) {
                for part in ExportStatements.parts + UsageExportStatements.parts {
                    let page = try await ExportPart.page(
                        ExportQuery(part: part.name),
                        of: user,
                        from: ExportStatements.parts + UsageExportStatements.parts,
                        in: bench.database
                    )
                    #expect(page.items.isEmpty, "\(part.name)")
                }
            }
        }
    }

    @Test func somebodyGetsAllThatIsKeptOfTheirUse() async throws {
        try await withBench { _, bench in
            let user = try await self.crowd(bench)[0]
            let body = StatementImported(importID: .new(), userID: user, format: .mt940)
            let moment = try #require(Day("2024-02-29")).startUTC
            let member = GroupMemberJoined(
                groupID: .new(),
                memberID: .new(),
                userID: user,
                joinedAt: moment
            )
            let imported = GroupImported(
                importID: .new(),
                groupID: .new(),
                format: .splitwise,
                expenseCount: 1,
                settlementCount: 0,
                importedBy: user,
                userIDs: []
            )
            try await bench.apply([
                envelope(body, at: moment), envelope(member, from: .groups),
                envelope(imported, from: .groups, at: moment),
                self.active(user, on: "2024-02-29"),
            ])
            try await bench.release(at: Self.released)
            var text = ""
            for part in UsageExportStatements.parts {
                let page = try await ExportPart.page(
                    ExportQuery(part: part.name),
                    of: user,
                    from: UsageExportStatements.parts,
                    in: bench.database
                )
                for item in page.items { text += String(decoding: item.bytes, as: UTF8.self) }
            }
            for word in [
                #""days":[10,29]"#, #""step":"group""#, #""format":"mt940""#,
                #""format":"splitwise""#, #""area":"IT-RM""#,
                #""language":"it""#,
            ] { #expect(text.contains(word), "\(word) is not in \(text)") }
        }
    }

    @Test func daysAndFilesOfPeopleAreForgottenAndWhatWasToldStays() async throws {
        try await withBench { _, bench in
            let users = try await self.crowd(bench)
            let moment = try #require(Day("2024-02-11")).startUTC
            for user in users {
                let body = StatementImported(importID: .new(), userID: user, format: .csv)
                try await bench.apply([envelope(body, at: moment)])
            }
            try await bench.release(at: Self.released)
            let queries = [
                self.query(.active), self.query(.retention), self.query(.imports, by: [.kind]),
            ]
            var before: [[UsageCell]] = []
            for query in queries {
                before.append(try await bench.usage.insights(query, by: .new()).cells)
            }
            // February is 25 months before the last that is told, and then 26.
            for (day, count) in [("2026-04-03", 18), ("2026-05-03", 6)] {
                try await bench.apply([self.active(.new(), on: day)])
                try await bench.release(at: try #require(Day(day)).startUTC)
                let rows = try await bench.database.queryOne(daysAndFiles, users)
                #expect(rows == Int64(count), "\(day)")
            }
            var after: [[UsageCell]] = []
            for query in queries {
                after.append(try await bench.usage.insights(query, by: .new()).cells)
            }
            #expect(before[0] == after[0] && before[2] == after[2])
            #expect(after[1].prefix(1) == before[1].prefix(1))
        }
    }

    @Test func eachDayIsInOneWeek() throws {
        for month in [(2_024, 2), (2_021, 2), (2_024, 12)] {
            let month = try #require(Month(year: month.0, month: month.1))
            let weeks = ActiveDays.weeks(of: month)
            #expect(weeks.reduce(0) { $0 + $1.length } == Int64(month.dayCount))
            #expect(weeks.allSatisfy { $0.days.nonzeroBitCount == Int($0.length) })
            #expect(weeks.reduce(0) { $0 ^ $1.days }.nonzeroBitCount == month.dayCount)
        }
        // February 2021 began on a Monday.
        let weeks = ActiveDays.weeks(of: try #require(Month("2021-02")))
        #expect(weeks.map(\.length) == [7, 7, 7, 7])
    }
}

private let daysAndFiles = Statement(
    """
    select (select count(*) from analytics.active_month where user_id = any ($1))
        + (select count(*) from analytics.file_use where user_id = any ($1))
    """
) { row in try row.int64(0) }

private let groupSteps = Statement(
    "select user_id from analytics.first_step where step = 'group' order by user_id limit 100"
) { row in try row.value(0, as: ID<User>.self) }

extension String {
    fileprivate var utf8Bytes: ArraySlice<UInt8> { Array(utf8)[...] }
}
