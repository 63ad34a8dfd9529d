import HTTP
import Loops
import Postgres
import ServiceKit
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// A provider that answers what a test wants.
private final class RateProvider: HTTPHandler, Sendable {
    enum Answer: Sendable {
        case document(String)
        case status(Int)
        case bytes(Int)
        case silence
        case redirect
    }
    let answer = Mutex(Answer.status(404))
    let asked = Mutex(0)

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        asked.withLock { $0 += 1 }
        switch answer.withLock({ $0 }) {
        case .document(let text): return HTTPResponse(status: 200, body: .bytes(Array(text.utf8)))
        case .status(let status): return HTTPResponse(status: status)
        case .bytes(let count):
            return HTTPResponse(
                status: 200,
                body: .bytes([UInt8](repeating: UInt8(ascii: "<"), count: count))
            )
        case .silence:
            try? await request.loop.sleep(nanoseconds: 60_000_000_000)
            return HTTPResponse(status: 200)
        case .redirect:
            var headers = HeaderBlock()
            headers.append(.location, "http://127.0.0.1:1/other")
            return HTTPResponse(status: 302, headers: headers)
        }
    }
    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        HTTPResponse(status: error.status)
    }
}

/// The worker that fetches rates and loads them, against a provider that may be anything.
@Suite struct RateWorkTests {
    private func document(_ lines: [(String, String, String)]) -> String {
        "<a>"
            + lines.map { day, dollar, yen in
                "<Cube time='\(day)'><Cube currency='USD' rate='\(dollar)'/>"
                    + "<Cube currency='JPY' rate='\(yen)'/></Cube>"
            }.joined() + "</a>"
    }

    /// A worker of a replica that has known two days from the start.
    private func worker(
        _ books: Books,
        _ actor: isolated LoopActor,
        port: Int,
        publisher: String = "ECB"
    ) throws -> (work: RateWork, store: RateStore) {
        let history = try RateHistory(
            csv: Array("Date,USD,JPY,\n2024-11-18,1.1,180,\n2024-11-15,1.2,181,\n".utf8)
        )
        let store = RateStore(history)
        let work = RateWork(
            database: books.service,
            blocking: BlockingPool(threads: 1, queueMax: 4),
            loop: actor.loop,
            logger: Logger(service: "test", level: .error),
            url: "http://127.0.0.1:\(port)/rates.xml",
            publisher: publisher,
            store: store,
            waitNanoseconds: 400_000_000
        )
        return (work, store)
    }

    private func withProvider(
        _ body:
            @escaping @Sendable (isolated LoopActor, Books, RateProvider, Int) async throws -> Void
    ) async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        let provider = RateProvider()
        let server = HTTPServer(loops: LoopGroup(sharing: [group.loops[0]]))
        let port = try await group.loops[0].actor.run { actor in
            server.attach(provider, on: actor)
            return try server.listen(host: "127.0.0.1", port: 0, on: actor)
        }
        try await LedgerRig().run { actor, books in
            try await body(actor, books, provider, port)
        }
    }

    @Test func whatOneReplicaFetchesAllHave() async throws {
        try await withProvider { actor, books, provider, port in
            let first = try worker(books, actor, port: port)
            let second = try worker(books, actor, port: port)
            let text = document([("2024-11-20", "1.15", "182"), ("2024-11-19", "1.12", "181")])
            provider.answer.withLock { $0 = .document(text) }
            try await first.work.run()
            try await second.work.run()
            #expect(provider.asked.withLock { $0 } == 1)
            for store in [first.store, second.store] {
                let days = try store.history().days.map(\.text)
                #expect(days == ["2024-11-15", "2024-11-18", "2024-11-19", "2024-11-20"])
            }
            // A day that is there never becomes another one.
            let changed = document([("2024-11-21", "1.15", "182"), ("2024-11-20", "1.19", "170")])
            provider.answer.withLock { $0 = .document(changed) }
            try await books.owner.execute(again)
            try await second.work.run()
            try await first.work.run()
            let day = try #require(Day("2024-11-20"))
            let rate = try first.store.history().row(on: day)?.published(.usd)
            #expect(rate == PublishedRate(mantissa: 115, scale: 2))
            #expect(try first.store.history().days.count == 5)
            await #expect(throws: DatabaseError.self) {
                _ = try await books.service.execute(overwrite)
            }
        }
    }

    @Test func whoPublishedARateStaysWithIt() async throws {
        try await withProvider { actor, books, provider, port in
            let elsewhere = try worker(books, actor, port: port, publisher: "Elsewhere")
            let text = document([("2024-11-20", "1.15", "182"), ("2024-11-19", "1.12", "181")])
            provider.answer.withLock { $0 = .document(text) }
            try await elsewhere.work.run()
            // From now on it is fetched from somebody else, by a replica that knows of none before.
            let here = try worker(books, actor, port: port, publisher: "Here")
            let next = document([("2024-11-21", "1.16", "183"), ("2024-11-20", "1.15", "182")])
            provider.answer.withLock { $0 = .document(next) }
            try await books.owner.execute(again)
            try await here.work.run()
            let history = try here.store.history()
            let publishers = [
                "2024-11-18": "ECB", "2024-11-19": "Elsewhere", "2024-11-20": "Elsewhere",
                "2024-11-21": "Here", "2024-11-22": "Here",
            ]
            for (text, publisher) in publishers {
                let day = try #require(Day(text))
                let rate = try #require(history.rate(from: .usd, to: .jpy, on: day))
                #expect(rate.view.source == publisher, "\(text)")
                for row in history.rows(after: day) {
                    #expect(row.publisher == publishers[row.day.text], "\(row.day.text)")
                }
            }
        }
    }

    /// An executable is replaced by one whose file reaches beyond what the other had to fetch, and
    /// has days on which nothing was.
    @Test func whatWasFetchedStaysTrueUnderALaterFile() throws {
        let shipped = try RateHistory(
            csv: Array(
                """
                Date,USD,JPY,
                2024-11-22,1.22,,
                2024-11-20,1.20,180,
                2024-11-19,1.19,179,
                2024-11-18,1.18,178,
                2024-11-15,1.15,175,

                """.utf8
            )
        )
        func rate(_ hundredths: UInt64) -> PublishedRate {
            PublishedRate(mantissa: hundredths, scale: 2)
        }
        let fetched = try [("2024-11-18", UInt64(218)), ("2024-11-20", 220)].map { text, figure in
            DayRates(
                day: try #require(Day(text)),
                rates: [.usd: rate(figure)],
                publisher: "Elsewhere"
            )
        }
        let once = RateHistory(shipped, fetched: fetched)
        for history in [once, RateHistory(once, fetched: fetched)] {
            let told = history.days.map { day in
                let row = history.row(on: day)
                let figure = row?.published(.usd)?.mantissa ?? 0
                return "\(day.text) \(figure) \(row?.publisher ?? "")"
            }
            #expect(
                told == [
                    "2024-11-15 115 ECB", "2024-11-18 218 Elsewhere", "2024-11-19 119 ECB",
                    "2024-11-20 220 Elsewhere", "2024-11-22 122 ECB",
                ]
            )
        }
        let before = RateHistory(shipped, fetched: [])
        #expect(before.days == shipped.days)
    }

    @Test func theLastGoodDayStandsWhateverTheProviderDoes() async throws {
        try await withProvider { actor, books, provider, port in
            let (work, store) = try worker(books, actor, port: port)
            let faults: [RateProvider.Answer] = [
                .status(500), .status(404), .redirect, .document(""), .document("<html/>"),
                .document("<Cube time='2024-11-20'><Cube currency='USD' rate='0'/></Cube>"),
                .bytes(50 << 20), .silence,
            ]
            for (number, fault) in faults.enumerated() {
                provider.answer.withLock { $0 = fault }
                try await books.owner.execute(again)
                let begin = monotonicNanoseconds()
                try await work.run()
                #expect(monotonicNanoseconds() - begin < 30_000_000_000)
                let state = try #require(try await books.owner.queryOne(fetchState))
                #expect(state.failures == number + 1, "\(state.error ?? "")")
                // Not before half a minute, and later with each failure.
                #expect(state.seconds >= 29 && state.seconds <= 21_600)
                // Asked again at once nobody goes there.
                let asked = provider.asked.withLock { $0 }
                try await work.run()
                #expect(provider.asked.withLock { $0 } == asked)
            }
            #expect(try store.history().days.count == 2)
            #expect(try await books.count(rateCount) == 0)
        }
    }

    @Test func aLeapingRateIsTakenWhenItIsPublishedAgain() async throws {
        try await withProvider { actor, books, provider, port in
            let (work, store) = try worker(books, actor, port: port)
            let text = document([("2024-11-19", "1.1", "380")])
            provider.answer.withLock { $0 = .document(text) }
            try await work.run()
            #expect(try store.history().days.count == 2)
            try await books.owner.execute(again)
            try await work.run()
            #expect(try store.history().days.count == 2)
            try await books.owner.execute(halfADayAgo)
            try await books.owner.execute(again)
            try await work.run()
            #expect(try store.history().days.count == 3)
        }
    }

    /// Whoever was to fetch and was killed has kept the others from it for a while only.
    @Test func aClaimEnds() async throws {
        try await withProvider { actor, books, provider, port in
            let (work, _) = try worker(books, actor, port: port)
            _ = try await books.service.queryOne(RateStatements.claim)
            try await work.run()
            #expect(provider.asked.withLock { $0 } == 0)
            try await books.owner.execute(endClaim)
            try await work.run()
            #expect(provider.asked.withLock { $0 } == 1)
        }
    }
}

private let again = Statement<Void>("update ledger.rate_fetch set next_at = now()")
private let endClaim = Statement<Void>(
    "update ledger.rate_fetch set claimed_until = now() - interval '1 second'"
)
private let halfADayAgo = Statement<Void>(
    "update ledger.rate_doubt set seen_at = now() - interval '13 hours'"
)
private let overwrite = Statement<Void>("update ledger.exchange_rate set mantissa = 1")
private let rateCount = Statement("select count(*) from ledger.exchange_rate") { row in
    try row.int64(0)
}
private let fetchState = Statement(
    "select failures, error, extract(epoch from next_at - now())::bigint from ledger.rate_fetch"
) { row in
    try (failures: Int(row.int32(0)), error: row.value(1, as: String?.self), seconds: row.int64(2))
}
