import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What is told of a posting carries on the trace of the request that asked for it.
@Suite struct TraceTests {
    private func trace(_ number: Int) -> String {
        "00-000000000000000000000000000000\(10 + number)-00000000000000\(10 + number)-01"
    }

    @Test func eachOfABatchKeepsItsOwnTrace() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let pairs = try await [
                (books.account(of: ada, holding: 10), books.account(of: ada)),
                (books.account(of: ada, holding: 10), books.account(of: ada)),
            ]
            let before = try await books.told().count
            // One call, made under neither's trace.
            var postings: [Posting] = []
            for (number, pair) in pairs.enumerated() {
                let context = RequestContext(
                    deadline: .max,
                    requestID: "request \(number)",
                    traceparent: trace(number)
                )
                await RequestContext.with(context) {
                    postings.append(.transfer(1, from: pair.0, to: pair.1, by: ada))
                }
            }
            let outcomes = try await books.service.lease { lease in
                try await lease.post(postings, waits: false)
            }
            #expect(outcomes.map(\.status) == [.posted, .posted])
            let all = try await books.told()
            #expect(all.count == before + 4)
            for (number, pair) in pairs.enumerated() {
                for account in [pair.0, pair.1] {
                    let own = all.filter { $0.accountID == account }
                    #expect(own.last?.source.traceParent == trace(number))
                }
            }
        }
    }

    /// Through the batcher, whose workers stand in no request.
    @Test func theBatcherPostsUnderEachRequestsTrace() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let rich = try await books.account(of: ada, holding: 500)
            var others: [ID<Account>] = []
            for _ in 0..<8 { others.append(try await books.account(of: ada)) }
            let (rig, made) = (BatcherRig(books, on: actor), others)
            await atOnce(8, on: actor) { actor, number in
                let context = RequestContext(
                    deadline: .max,
                    requestID: "request \(number)",
                    traceparent: trace(number)
                )
                let rig = rig.on(actor)
                do {
                    try await RequestContext.with(context) {
                        _ = try await rig.batcher.post(
                            .transfer(1, from: rich, to: made[number], by: ada)
                        )
                    }
                } catch { Issue.record("\(error)") }
            }
            await rig.on(actor).end()
            let all = try await books.told()
            for (number, account) in others.enumerated() {
                let own = all.filter { $0.accountID == account }
                #expect(own.last?.source.traceParent == trace(number))
            }
            let ofRich = all.filter { $0.accountID == rich }.compactMap(\.source.traceParent)
            let traces = Set((0..<8).map { trace($0) })
            #expect(Set(ofRich) == traces)
        }
    }

    /// What ends a version tells of it twice, under the same trace.
    @Test func whatIsTakenBackCarriesTheTraceOfWhoTakesItBack() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let pair = try await (
                books.account(of: ada, holding: 10), books.account(of: ada)
            )
            let posting = Posting.transfer(1, from: pair.0, to: pair.1, by: ada)
            _ = try await books.service.lease { try await $0.post([posting], waits: false) }
            let context = RequestContext(deadline: .max, requestID: "r", traceparent: trace(5))
            var ending: Posting?
            await RequestContext.with(context) {
                ending = Posting(.reversal, .init(of: ada), by: ada, on: pair.0)
            }
            ending?.counter = pair.1
            ending?.transaction = posting.transaction
            let postings = [try #require(ending)]
            let outcomes = try await books.service.lease {
                try await $0.post(postings, waits: false)
            }
            #expect(outcomes.map(\.status) == [.posted])
            let all = try await books.told()
            for account in [pair.0, pair.1] {
                let own = all.filter { $0.accountID == account }
                #expect(own.last?.source.traceParent == trace(5))
                let earlier = own.dropLast().compactMap(\.source.traceParent)
                #expect(earlier.isEmpty)
            }
        }
    }
}
