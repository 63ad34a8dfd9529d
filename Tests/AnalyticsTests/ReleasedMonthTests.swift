import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

private let brokenMonth: SQLScript = """
    alter table analytics.month_cube add constraint broken check (month <> '2023-06-01');
    """

private let mendedMonth: SQLScript = """
    alter table analytics.month_cube drop constraint broken;
    """

private let lostMay: SQLScript = """
    delete from analytics.cell where month = '2023-05-01';
    delete from analytics.month_cube where month = '2023-05-01';
    """

private let lostRates: SQLScript = """
    delete from analytics.exchange_rate where currency = 'USD' and day = '2023-05-31';
    delete from analytics.released_rate where currency = 'USD' and day = '2023-05-31';
    """

/// Which months, and which currencies, an answer is of, and of when.
@Suite struct ReleasedMonthTests {
    /// So many people, each of whom has booked once.
    private func book(
        _ count: Int,
        _ bench: Bench,
        on day: String = "2023-05-17",
        in currency: Currency = .eur
    ) async throws {
        for place in 0..<count {
            let division: Coicop = place % 2 == 0 ? .food : .transport
            try await bench.apply([envelope(posting(-1_000, division, on: day, in: currency))])
        }
    }

    /// Every form of what can be asked of the months around one, in one text.
    private func texts(_ bench: Bench) async throws -> String {
        var all = ""
        let periods = [
            ("2023-04-01", "2023-05-31"), ("2023-05-01", "2023-06-30"),
            ("2023-06-01", "2023-06-30"), ("2023-01-01", "2023-12-31"),
        ]
        let tables: [[SpendingDimension]] = [
            [], [.category], [.month], [.category, .month], [.area], [.currency, .accountKind],
        ]
        for (from, to) in periods {
            for table in tables {
                for direction in Direction.allCases {
                    let query = SpendingQuery(
                        from: Day(from),
                        to: Day(to),
                        groupBy: table,
                        direction: direction
                    )
                    let view = try await bench.insights.spending(query, by: .new())
                    all +=
                        JSON.text(view) + String(decoding: SpendingCSV.write(view), as: UTF8.self)
                }
            }
        }
        return all
    }

    /// Sums over months that one of few withholds would tell that somebody is there.
    @Test func whoBooksAloneInAMonthThatWasNeverToldChangesNoByte() async throws {
        try await withBench { _, bench in
            let moment = try #require(Instant("2023-12-01T00:00:00Z"))
            try await book(8, bench)
            try await book(8, bench, in: .chf)
            try await bench.release(at: moment)
            let before = try await texts(bench)
            let user = ID<User>.new()
            let booked = [
                try posting(by: user, -7_731, on: "2023-06-17"),
                try posting(by: user, 7_731, on: "2023-06-17"),
                try posting(by: user, -7_731, on: "2023-06-17", in: .chf),
            ]
            for change in [booked, booked.map(reversal)] {
                try await bench.apply(change.map { envelope($0) })
                try await bench.release(at: moment)
                let after = try await texts(bench)
                #expect(after == before)
            }
        }
    }

    @Test func whatCannotBeReleasedKeepsNothingElseFromIt() async throws {
        try await withBench { actor, bench in
            var missing: [String] = []
            let store = ReleaseStore(
                database: bench.releases.database,
                rates: bench.releases.rates,
                blocking: bench.releases.blocking,
                settings: bench.releases.settings,
                also: bench.releases.also + [
                    ReleasePart(name: "announcement") { _, _ in throw APIError(.internalError) }
                ],
                note: { part, _ in missing.append(part) }
            )
            let now = try #require(Instant("2023-12-01T00:00:00Z"))
            let next = now.adding(seconds: Int64(store.settings.hours) * 3_600)
            for month in ["2023-05", "2023-06", "2023-07"] {
                try await book(Bench.usersMin, bench, on: "\(month)-17")
            }
            func told() async throws -> [String] {
                let query = SpendingQuery(from: Day("2023-05-01"), to: Day("2023-07-31"))
                return try await bench.insights.spending(query, by: .new()).months.map(\.month.text)
            }
            try await bench.owner(on: actor.loop) { owner in
                try await owner.lease { try await $0.executeScript(brokenMonth) }
            }
            _ = try await store.makeWhereDue(at: now)
            #expect(try await told() == ["2023-05", "2023-07"])
            #expect(missing == ["2023-06", "announcement"])
            // It is tried with the next release, and makes none by itself.
            let early = try await store.makeWhereDue(at: next.adding(seconds: -1))
            #expect(early == nil)
            try await bench.owner(on: actor.loop) { owner in
                try await owner.lease { try await $0.executeScript(mendedMonth) }
            }
            _ = try await store.makeWhereDue(at: next)
            #expect(try await told() == ["2023-05", "2023-06", "2023-07"])
            #expect(missing == ["2023-06", "announcement", "announcement"])
        }
    }

    // MARK: Rates

    private static func rates(_ day: Day) throws(APIError) -> RateTable {
        guard let dollar = ExactDecimal("1.25"), let yen = ExactDecimal("150") else {
            throw APIError(.rateUnavailable)
        }
        let rates = day.text == "2023-05-20" ? ["USD": dollar] : ["USD": dollar, "JPY": yen]
        return RateTable(base: .eur, day: day, source: "ECB", rates: rates)
    }

    /// What all have booked in May, in a currency; nil where it is not told.
    private func count(_ bench: Bench, in currency: Currency) async throws -> Int? {
        let query = SpendingQuery(
            from: Day("2023-05-01"),
            to: Day("2023-05-31"),
            convertedTo: currency
        )
        return try await bench.insights.spending(query, by: .new()).cells.first?.count
    }

    /// Were it a matter of what is booked, one booking would take a currency away, and tell of it.
    @Test func aCurrencyIsToldOrNotWhicheverDaysAreBooked() async throws {
        try await withBench(rates: Self.rates) { _, bench in
            let day = try #require(Day("2023-05-20"))
            try await book(4, bench)
            for bookings in [4, 8] {
                try await bench.release()
                var counts: [Int?] = []
                for currency in [Currency.eur, .usd, .jpy] {
                    counts.append(try await count(bench, in: currency))
                }
                #expect(counts == [bookings, bookings, nil])
                if bookings == 4 {
                    try await book(3, bench)
                    try await book(1, bench, on: day.text)
                }
            }
            try await bench.database.execute(RateStatements.upsertRates, day, ["JPY"], ["150"])
            try await bench.release()
            #expect(try await count(bench, in: .jpy) == 8)
            #expect(try await count(bench, in: .eur) == 8)
        }
    }

    @Test func whatARateComesForLaterIsTakenUpAsAnyChange() async throws {
        try await withBench { _, bench in
            func view() async throws -> SpendingInsights {
                let query = SpendingQuery(from: Day("2023-05-01"), to: Day("2023-05-31"))
                return try await bench.insights.spending(query, by: .new())
            }
            let day = try #require(Day("2023-05-20"))
            try await book(4, bench)
            try await book(Bench.usersMin, bench, on: day.text, in: .chf)
            try await bench.release()
            let before = try await view()
            #expect(before.cells.map(\.count) == [4])
            #expect(before.unconverted == [Total(minorUnits: 3_000, .chf)])
            let codes = ["CHF", "EUR"]
            try await bench.database.execute(
                RateStatements.upsertRates,
                day,
                codes,
                codes.map { _ in "1e2" }
            )
            try await bench.release()
            let after = try await view()
            #expect(after.cells.map(\.count) == [4 + Bench.usersMin])
            #expect(after.unconverted.isEmpty)
        }
    }

    /// One booking's amount in two currencies at dated rates would be one day's rate.
    @Test func whatIsToldInAnotherCurrencyDependsOnNoDay() async throws {
        func told(on days: [String]) async throws -> [String] {
            try await withBench(rates: { day throws(APIError) in
                let rate = ExactDecimal(coefficient: 10_000 + Int64(day.parts.day), scale: 4)
                return RateTable(base: .eur, day: day, source: "ECB", rates: ["USD": rate])
            }) { _, bench in
                for day in days { try await book(4, bench, on: day) }
                try await bench.release()
                var texts: [String] = []
                for currency in [Currency.eur, .usd] {
                    let query = SpendingQuery(
                        from: Day("2023-05-01"),
                        to: Day("2023-05-31"),
                        groupBy: [.category],
                        convertedTo: currency
                    )
                    let view = try await bench.insights.spending(query, by: .new())
                    texts += view.cells.filter { !$0.isSuppressed }.map(JSON.text)
                }
                return texts
            }
        }
        let early = try await told(on: ["2023-05-01", "2023-05-02"])
        let late = try await told(on: ["2023-05-30", "2023-05-31"])
        #expect(early == late && early.count == 4)
        // The mean of 1.0001 to 1.0031.
        #expect(early.contains { $0.contains(#""USD""#) && $0.contains("40.06") }, "\(early)")
    }

    @Test func aMonthKeepsItsCurrencyWhicheverIsTheSettingLater() async throws {
        try await withBench(rates: Self.rates) { _, bench in
            var counts: [Int?] = []
            func release(in currencies: [Currency]) async throws {
                let store = ReleaseStore(
                    database: bench.releases.database,
                    rates: bench.releases.rates,
                    blocking: bench.releases.blocking,
                    settings: ReleaseSettings(usersMin: Bench.usersMin, currencies: currencies),
                    also: bench.releases.also,
                    note: bench.releases.note
                )
                _ = try await store.make(at: .now())
                for currency in [Currency.eur, .usd, .jpy] {
                    counts.append(try await count(bench, in: currency))
                }
            }
            try await book(4, bench)
            try await release(in: [.eur])
            try await release(in: [.usd])
            // Of days without a rate of the new one, too, it is taken up as before.
            try await book(Bench.usersMin, bench, on: "2023-05-20")
            try await release(in: [.jpy])
            let later = 4 + Bench.usersMin
            #expect(counts == [4, nil, nil, 4, 4, nil, later, later, nil])
        }
    }

    @Test func aCurrencyThatADayHasNoRateOfIsToldNoLonger() async throws {
        try await withBench(rates: Self.rates) { actor, bench in
            try await book(4, bench)
            try await bench.release()
            #expect(try await count(bench, in: .usd) == 4)
            try await bench.owner(on: actor.loop) { owner in
                try await owner.lease { try await $0.executeScript(lostRates) }
            }
            try await bench.release()
            #expect(try await count(bench, in: .usd) == nil)
            #expect(try await count(bench, in: .eur) == 4)
        }
    }

    /// Told as for the first time, it would tell what an earlier release hid; told as nothing, it
    /// would withhold sums with other months.
    @Test func aCubeThatWasToldInWhatIsNotKnownAnyMoreIsInNoAnswer() async throws {
        try await withBench { actor, bench in
            func view() async throws -> SpendingInsights {
                let query = SpendingQuery(from: Day("2023-05-01"), to: Day("2023-06-30"))
                return try await bench.insights.spending(query, by: .new())
            }
            try await book(4, bench)
            try await book(5, bench, on: "2023-06-17")
            try await bench.release()
            #expect(try await view().cells.map(\.count) == [9])
            try await bench.owner(on: actor.loop) { owner in
                try await owner.lease { try await $0.executeScript(lostMay) }
            }
            for _ in 0..<2 {
                try await book(Bench.usersMin, bench)
                try await bench.release()
                let view = try await view()
                #expect(view.cells.map(\.count) == [5])
                #expect(view.months.map(\.month.text) == ["2023-06"])
            }
        }
    }

    // MARK: Instants

    @Test func anAnswerIsOfWhenItsMonthsWereReadAndOfReleasesThatAreDone() async throws {
        try await withBench { _, bench in
            for month in ["2023-05", "2023-06"] {
                try await book(Bench.usersMin, bench, on: "\(month)-17")
            }
            let start = try #require(Instant("2023-12-01T00:00:00Z"))
            var seconds: Int64 = 0
            func tick() -> Instant {
                seconds += 1
                return start.adding(seconds: seconds)
            }
            let release = try await bench.releases.make(at: tick())
            let query = SpendingQuery(from: Day("2023-05-01"), to: Day("2023-06-30"))
            let view = try await bench.insights.spending(query, by: .new())
            let instants = view.months.map(\.asOf)
            #expect(view.asOf == release.releasedAt && release.releasedAt > start)
            #expect(instants.count == 2 && instants == instants.sorted())
            #expect(instants[0] > release.releasedAt && instants[1] > instants[0])
            // Another one is under way, or was cut off.
            try await bench.database.execute(
                ReleaseStatements.insert,
                release.number + 1,
                tick(),
                Int64(Bench.usersMin),
                ["EUR"]
            )
            let meanwhile = try await bench.insights.spending(query, by: .new())
            #expect(meanwhile.asOf == release.releasedAt && meanwhile.cells == view.cells)
        }
    }
}
