import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// Queries and those that are kept, on a database.
@Suite struct SavedQueryTests {
    private func posting(
        _ amount: Int64,
        _ division: Coicop,
        in area: String
    ) throws
        -> [EventEnvelope]
    {
        let user = ID<User>.new()
        let person = UserRegistered(
            userID: user,
            username: "u",
            email: "u@example.org",
            area: area,
            language: "en",
            timeZone: "UTC",
            currency: .eur,
            registeredAt: .now()
        )
        let posted = TransactionPosted(
            source: JournalLine(entryID: .new(), place: 1),
            transactionID: .new(),
            version: 1,
            kind: .posted,
            userID: user,
            accountID: .new(),
            accountKind: .wallet,
            amount: Money(minorUnits: amount, .eur),
            day: try #require(Day("2023-05-17")),
            categoryID: .new(),
            coicop: division,
            recordedAt: .now()
        )
        return [envelope(person, from: .auth), envelope(posted)]
    }

    @Test func aQueryIsAnsweredAsTheCallIs() async throws {
        try await withBench { _, bench in
            for number in 0..<24 {
                let division = Coicop.allCases[number % 2]
                try await bench.apply(
                    posting(Int64(-100 * (number + 1)), division, in: number < 12 ? "IT" : "FR")
                )
            }
            try await bench.release()
            let queries = InsightQueries(
                spending: bench.insights,
                usage: bench.usage,
                blocking: bench.insights.blocking
            )
            let (from, to) = (Day("2023-05-01"), Day("2023-05-31"))
            let user = ID<User>.new()
            let tables: [[SpendingDimension]] = [[], [.category], [.area], [.category, .area]]
            for dimensions in tables {
                let view = try await bench.insights.spending(
                    SpendingQuery(from: from, to: to, groupBy: dimensions),
                    by: user
                )
                let asked = try AskedInsights(
                    Unjudged(
                        InsightQuery(
                            measures: SpendingMeasure.allCases.map(\.rawValue),
                            dimensions: dimensions.compactMap {
                                InsightDimension(rawValue: $0.rawValue)
                            },
                            from: from,
                            to: to
                        )
                    ),
                    now: .now()
                )
                let answer = try await queries.answer(asked, by: user)
                #expect(answer.spending == view && answer.usage == nil)
                #expect(view.cells.contains { !$0.isSuppressed })
            }
            let usage = try await queries.answer(
                AskedInsights(
                    Unjudged(InsightQuery(measures: ["active"], from: from, to: to)),
                    now: .now()
                ),
                by: user
            )
            let call = UsageQuery(measure: "active", from: from, to: to)
            let told = try await bench.usage.insights(call, by: user)
            #expect(usage.usage == told && usage.spending == nil)
            // A currency that is not released in is refused where it stands in the body.
            let other = InsightQuery(measures: ["total"], convertedTo: .gbp)
            let error = await #expect(throws: APIError.self) {
                _ = try await queries.answer(AskedInsights(Unjudged(other), now: .now()), by: user)
            }
            #expect(error?.code == .invalidBody && error?.errors.map(\.pointer) == ["/in"])
        }
    }

    @Test func whereMoreCouldBeNamedThanIsListedIsSaid() async throws {
        try await withBench { _, bench in
            for number in 0..<4 {
                try await bench.apply(posting(Int64(-100 * (number + 1)), .food, in: "IT"))
            }
            try await bench.release()
            let queries = InsightQueries(
                spending: bench.insights,
                usage: bench.usage,
                blocking: bench.insights.blocking
            )
            for (areaCount, isUnlisted) in [(2, false), (50, true)] {
                let areas = (0..<areaCount).map { "FR-\($0)" }
                let query = InsightQuery(
                    measures: ["total"],
                    dimensions: [.category, .area, .ageBand],
                    filters: InsightFilters(
                        areas: areas.compactMap { AreaKey.parse(Array($0.utf8)[...]) }
                    ),
                    from: Day("2023-05-01"),
                    to: Day("2023-05-31")
                )
                let asked = try AskedInsights(Unjudged(query), now: .now())
                let answer = try await queries.answer(asked, by: .new())
                let spending = try #require(answer.spending)
                #expect(spending.cells.isEmpty == isUnlisted)
                #expect((spending.isUnlisted == true) == isUnlisted)
                let reasons = Set(answer.explanation.notes.map(\.reason))
                #expect(reasons == [isUnlisted ? .unlisted : .suppressed])
            }
        }
    }

    @Test func whatHasNoRateSaysOfWhichMonthsItIs() async throws {
        try await withBench { _, bench in
            for _ in 0..<4 {
                try await bench.apply([
                    envelope(AnalyticsTests.posting(-100, on: "2023-05-17")),
                    envelope(AnalyticsTests.posting(-200, on: "2023-06-17", in: .gbp)),
                ])
            }
            try await bench.release()
            let query = SpendingQuery(from: Day("2023-05-01"), to: Day("2023-06-30"))
            let view = try await bench.insights.spending(query, by: .new())
            #expect(view.unconverted.map(\.minorUnits) == [800])
            #expect(view.months.map(\.month.text) == ["2023-05"])
            #expect(view.unconvertedMonths.map(\.month.text) == ["2023-06"])
        }
    }

    /// Another version knew other words, or another shape: it is a line of the list all the same.
    @Test func aQueryInWordsThatAreUnknownIsShownAndChangedAndRemoved() async throws {
        let texts = [
            #"{"measures":["total","adClicks"]}"#: ErrorCode.unknownMeasure,
            #"{"measures":["total"],"dimensions":["area","planet"]}"#: .invalidBody,
            #"{"measures":["total"],"filters":{"category":["99"],"area":["IT"]}}"#: .invalidBody,
            #"{"measures":["total"],"compare":true,"order":[{"by":"total"}]}"#: .invalidBody,
            #"{"measures":"total"}"#: .invalidBody, "[]": .invalidBody, "x": .invalidBody,
        ]
        try await withBench { _, bench in
            let (store, user) = (SavedQueryStore(database: bench.database), ID<User>.new())
            let good = InsightQuery(measures: ["total"], dimensions: [.area])
            for (number, text) in texts.keys.enumerated() {
                let made = try await bench.database.transaction { transaction in
                    let body = NewSavedQuery(name: "\(number)", query: good)
                    return try await store.make(body, of: user, in: transaction)
                }
                #expect(made.view(at: .now()).unreadable == nil)
                try await bench.database.execute(rewrite, made.id, text)
            }
            let page = try await store.list(PageQuery(), of: user, at: .now())
            #expect(Set(page.items.compactMap(\.unreadable)) == Set(texts.keys))
            #expect(page.items.count == texts.count && page.items.allSatisfy { $0.query == nil })
            let read = try JSON.read(
                Page<SavedQueryView>.self,
                from: Array(JSON.text(page).utf8)
            )
            #expect(read.items == page.items, "as the document says")
            for item in page.items {
                let row = try await store.find(item.id, of: user)
                let error = #expect(throws: APIError.self) {
                    _ = try AskedInsights(row.query, now: .now())
                }
                #expect(error?.code == texts[row.text], "\(row.text)")
                #expect(error?.errors.isEmpty == false, "\(row.text)")
                let named = try await store.change(
                    item.id,
                    SavedQueryChange(name: .set("other")),
                    of: user,
                    ifMatch: nil
                )
                #expect(named.name == "other" && named.text == row.text)
                let changed = try await store.change(
                    item.id,
                    SavedQueryChange(query: .set(good)),
                    of: user,
                    ifMatch: nil
                ).view(at: .now())
                #expect(changed.unreadable == nil && changed.query == good)
                try await bench.database.execute(rewrite, item.id, row.text)
                try await store.remove(item.id, of: user, ifMatch: nil)
            }
            let left = try await store.list(PageQuery(), of: user, at: .now())
            #expect(left.items.isEmpty)
        }
    }

    /// Held against a table in memory: names, versions, whose it is, and how many.
    @Test func savedQueriesAreTheirOwnersAlone() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        try await withBench { _, bench in
            var random = SeededGenerator(seed: seed)
            let store = SavedQueryStore(database: bench.database)
            let users = [ID<User>.new(), .new()]
            let query = InsightQuery(measures: ["total"])
            var model: [ID<User>: [ID<SavedQuery>: (name: String, version: Int32)]] = [:]
            for _ in 0..<150 {
                let place = Int.random(in: 0...1, using: &random)
                let (user, other) = (users[place], users[1 - place])
                let name = ["a", "A", "b", "Straße", "STRASSE"].randomElement(using: &random) ?? ""
                let known = model[user, default: [:]]
                func isTaken(but id: ID<SavedQuery>? = nil) -> Bool {
                    known.contains { $0.key != id && $0.value.name.folded == name.folded }
                }
                let some = known.randomElement(using: &random)
                switch (Int.random(in: 0..<3, using: &random), some) {
                case (0, _), (_, nil):
                    do {
                        let row = try await bench.database.transaction { transaction in
                            try await store.make(
                                NewSavedQuery(name: name, query: query),
                                of: user,
                                in: transaction
                            )
                        }
                        #expect(!isTaken(), "seed \(seed)")
                        model[user, default: [:]][row.id] = (name, row.version)
                    } catch let error as DatabaseError {
                        #expect(error.violatedConstraint == "saved_query_name_key")
                        #expect(isTaken(), "seed \(seed)")
                    }
                case (1, let one?):
                    let stale = Bool.random(using: &random)
                    let tag = stale ? "x" : String(one.value.version)
                    do {
                        let row = try await store.change(
                            one.key,
                            SavedQueryChange(name: .set(name)),
                            of: user,
                            ifMatch: EntityTags(stringLiteral: tag)
                        )
                        #expect(!stale && !isTaken(but: one.key), "seed \(seed)")
                        #expect(row.version == one.value.version + 1)
                        model[user]?[one.key] = (name, row.version)
                    } catch let error as APIError {
                        let code: ErrorCode = stale ? .preconditionFailed : .savedQueryNameTaken
                        #expect(error.code == code, "seed \(seed)")
                        #expect(stale || isTaken(but: one.key), "seed \(seed)")
                    }
                case (_, let one?):
                    await #expect(throws: APIError.notFound) {
                        try await store.remove(one.key, of: other, ifMatch: nil)
                    }
                    try await store.remove(one.key, of: user, ifMatch: nil)
                    model[user]?[one.key] = nil
                }
                let page = try await store.list(PageQuery(limit: 200), of: user, at: .now())
                #expect(page.nextCursor == nil)
                let ids = (model[user] ?? [:]).keys.sorted(by: >)
                #expect(page.items.map(\.id) == ids, "seed \(seed)")
                #expect(page.items.map(\.name) == ids.map { model[user]?[$0]?.name ?? "" })
            }
            try await bench.database.transaction { transaction in
                try await PeopleEvents.erase(users[0], at: .now(), in: transaction)
            }
            #expect(try await store.list(PageQuery(), of: users[0], at: .now()).items.isEmpty)
            let left = try await store.list(PageQuery(), of: users[1], at: .now()).items
            #expect(left.count == model[users[1]]?.count ?? 0)
        }
    }

    @Test func nobodyHasTooMany() async throws {
        try await withBench { _, bench in
            let (store, user) = (SavedQueryStore(database: bench.database), ID<User>.new())
            func make(_ name: String) async throws {
                _ = try await bench.database.transaction { transaction in
                    let body = NewSavedQuery(name: name, query: InsightQuery(measures: ["total"]))
                    return try await store.make(body, of: user, in: transaction)
                }
            }
            for number in 0..<SavedQueries.countMax { try await make("\(number)") }
            let error = await #expect(throws: APIError.self) { try await make("more") }
            #expect(error?.code == .tooManySavedQueries)
            // In pages, newest first.
            var cursor: Cursor?
            var names: [String] = []
            repeat {
                let query = PageQuery(limit: 30, cursor: cursor)
                let page = try await store.list(query, of: user, at: .now())
                names += page.items.map(\.name)
                cursor = page.nextCursor
            } while cursor != nil
            #expect(names == (0..<SavedQueries.countMax).reversed().map { "\($0)" })
        }
    }
}

private let rewrite = Statement<Void>(
    "update analytics.saved_query set query = $2 where id = $1"
)

extension String {
    /// As the database has it.
    fileprivate var folded: String { lowercased().replacing("ß", with: "ss") }
}
