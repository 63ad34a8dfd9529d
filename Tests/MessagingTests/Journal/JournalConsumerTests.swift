import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import Messaging

@Suite(.timeLimit(.minutes(3))) struct JournalConsumerTests {
    struct Poison: Error {}

    /// Holes, roll-backs, a relay that is killed, two replicas that follow.
    @Test func everyPostingIsAppliedAndTheMarkComesToTheEnd() async throws {
        try await withBench { actor, bench in
            let accounts = (0..<30).map { _ in ID<Account>.new() }
            let replicas = [bench.follower(), bench.follower()]
            try await running(bench.relayOfJournal { $0.batchMax = 64 }, on: actor) {
                try await running(replicas[0], on: actor) {
                    try await running(replicas[1], on: actor) {
                        await writeOutOfOrder(bench, accounts: accounts, on: actor)
                        _ = try await bench.database.queryOne(endLeader)
                        await writeOutOfOrder(bench, accounts: accounts, rounds: 20, on: actor)
                        try await eventually(actor) { try await bench.isExact() }
                    }
                }
            }
            #expect(replicas.allSatisfy { $0.metrics.buried == 0 && $0.metrics.failures == 0 })
        }
    }

    /// The stream is gone with what nobody had applied, and the relay begins behind it.
    @Test func whatTheStreamHasLostIsAskedForPageAfterPage() async throws {
        try await withBench { actor, bench in
            try await bench.database.transaction { transaction in
                for _ in 0..<3_000 { try await bench.post(to: .new(), in: transaction) }
            }
            let relay = bench.relayOfJournal()
            try await running(relay, on: actor) {
                try await eventually(actor) { relay.metrics.journalMark == 3_000 }
            }
            let stream = bench.stream
            try await bench.administration { administration in
                let end = try administration.state(of: stream.name).lastSequence
                try administration.purge(
                    stream: stream.name,
                    subject: PostingsPack.subject(of: .ledger),
                    before: end + 1
                )
            }
            let follower = bench.follower()
            try await running(bench.relayOfJournal(), on: actor) {
                try await running(follower, on: actor) {
                    try await bench.postNothing()
                    try await bench.post(5, to: [.new()])
                    let began = monotonicNanoseconds()
                    try await eventually(actor) { try await bench.isExact() }
                    // Six pages, and one second until the first is asked for.
                    #expect(monotonicNanoseconds() - began < 20_000_000_000)
                }
            }
            #expect(follower.metrics.pages >= 6)
        }
    }

    /// Effects and mark are emptied while traffic goes on, and come back by the same path.
    @Test func whoHasLostEverythingIsMadeAnewWhileItServes() async throws {
        try await withBench { actor, bench in
            let accounts = (0..<10).map { _ in ID<Account>.new() }
            try await running(bench.relayOfJournal(), on: actor) {
                try await running(bench.follower(), on: actor) {
                    try await bench.post(700, to: accounts)
                    try await eventually(actor) { try await bench.isExact() }
                    let owner = Database(configuration: bench.made.owner, loop: actor.loop)
                    defer { owner.close() }
                    try await owner.transaction { transaction in
                        try await transaction.execute(emptyApplied)
                        try await transaction.execute(emptyConsumer)
                    }
                    #expect(try await bench.database.queryOne(countOfApplied) ?? 0 < 700)
                    await writeOutOfOrder(bench, accounts: accounts, rounds: 20, on: actor)
                    try await eventually(actor) { try await bench.isExact() }
                }
            }
        }
    }

    /// Nobody writes to a place that a writer still holds: it is asked for until it is there.
    @Test func aPlaceThatIsCommittedLateIsNotLost() async throws {
        try await withBench { actor, bench in
            let other = Database(configuration: bench.made.service, loop: actor.loop)
            defer { other.close() }
            let follower = bench.follower()
            try await running(bench.relayOfJournal(), on: actor) {
                try await running(follower, on: actor) {
                    try await other.transaction { transaction in
                        try await bench.post(to: .new(), in: transaction)
                        try await bench.post(10, to: [.new()])
                        try await eventually(actor) { follower.metrics.applied == 10 }
                        // Long enough for it to be asked for.
                        try await eventually(actor) { follower.metrics.pages > 0 }
                        #expect(follower.metrics.missing == 1)
                    }
                    try await eventually(actor) { try await bench.isExact() }
                }
            }
            #expect(try await bench.database.queryOne(countOfApplied) == 11)
        }
    }

    /// The broker delivers again what was not settled; its places say that it was applied.
    @Test func whatIsDeliveredAgainChangesNothing() async throws {
        try await withBench { actor, bench in
            try await running(bench.relayOfJournal(singly), on: actor) {
                try await bench.post(20, to: [.new()])
                try await eventually(actor) { try await bench.state().messages == 20 }
            }
            let first = bench.follower()
            try await running(first, on: actor) {
                try await eventually(actor) { try await bench.isExact() }
            }
            let second = bench.follower { $0.durable = "again" }
            try await running(second, on: actor) {
                try await eventually(actor) { second.metrics.applied == 20 }
            }
            let suspicious = bench.follower {
                $0.durable = "suspicious"
                $0.deliveriesMax = 0
            }
            try await running(suspicious, on: actor) {
                try await actor.loop.sleep(nanoseconds: 1_000_000_000)
            }
            #expect(suspicious.metrics.applied == 0, "passed over by the window")
            #expect(try await bench.isExact())
            #expect(try await bench.database.queryOne(parkedCount) == 0)
        }
    }

    /// One that cannot be applied is tried again, buried alone, and holds up no other.
    @Test func aBadPostingBecomesADeadLetterAlone() async throws {
        try await withBench { actor, bench in
            let accounts = [ID<Account>.new(), .new()]
            var handed = 0
            var told: [String] = []
            let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            let follower = bench.follower(
                { $0.attemptsMax = 2 },
                report: { event in
                    if case .eventFailed = event {
                        told.append(RequestContext.current?.traceparent ?? "none")
                    }
                },
                before: { postings in
                    handed += postings.count
                    if postings.contains(where: { $0.source.place == 20 }) { throw Poison() }
                }
            )
            try await running(bench.relayOfJournal(), on: actor) {
                try await bench.post(64, to: accounts, trace: trace)
                try await running(follower, on: actor) {
                    try await eventually(actor) {
                        try await bench.database.queryOne(countOfApplied) == 63
                    }
                    try await bench.post(6, to: accounts)
                    try await eventually(actor) { follower.metrics.buried == 1 }
                    try await eventually(actor) {
                        try await bench.database.queryOne(countOfApplied) == 69
                    }
                    try await eventually(actor) { try await bench.window().mark == 70 }
                }
            }
            #expect(told == [trace])
            #expect(handed < 64 * 12, "\(handed) handed to the handler")
            let dead = try await bench.database.query(deadPostings)
            #expect(dead.map(\.place) == [20] && dead.map(\.aggregate) == ["journal"])
            let row = try JSON.read(Postings.self, from: Array(try #require(dead.first).event.utf8))
            #expect(try row.rows().map(\.source.place) == [20])
        }
    }

    @Test func aDatabaseThatFailsIsNoFaultOfThePostings() async throws {
        try await withBench { actor, bench in
            var failures = 0
            let follower = bench.follower(
                { $0.deliveriesMax = 0 },
                before: { _ in
                    guard failures < 8 else { return }
                    failures += 1
                    throw DatabaseError.connectionLost(duringCommit: false)
                }
            )
            try await running(bench.relayOfJournal(), on: actor) {
                try await bench.post(3, to: [.new()])
                try await running(follower, on: actor) {
                    try await eventually(actor) { try await bench.isExact() }
                }
            }
            #expect(failures == 8)
            #expect(follower.metrics.buried == 0 && follower.metrics.failures == 0)
            #expect(try await bench.database.queryOne(parkedCount) == 0)
        }
    }

    /// Notes as they are left by processes that died of the whole once and of one entry thrice.
    @Test func whatEndsTheProcessIsBuriedAndNoneOfItsNeighbours() async throws {
        try await withBench { actor, bench in
            try await running(bench.relayOfJournal(), on: actor) {
                try await bench.database.transaction { transaction in
                    for _ in 0..<50 { try await bench.post(to: .new(), in: transaction) }
                }
                try await eventually(actor) { try await bench.state().messages == 1 }
            }
            let note = BeginningStatements.beginReading
            _ = try await bench.database.queryOne(note, "follower whole", Int64(1))
            for _ in 0..<3 {
                _ = try await bench.database.queryOne(note, "follower entry", Int64(20))
            }
            var handed: Set<Int64> = []
            let follower = bench.follower(
                { $0.deliveriesMax = 0 },
                before: { handed.formUnion($0.map(\.source.place)) }
            )
            try await running(follower, on: actor) {
                try await eventually(actor) { try await bench.window().mark == 50 }
            }
            #expect(handed == Set(1...50).subtracting([20]))
            #expect(try await bench.database.query(deadPostings).map(\.place) == [20])
            #expect(follower.metrics.buried == 1)
            try await eventually(actor) { try await bench.database.queryOne(parkedCount) == 0 }
        }
    }

    @Test func whatIsNoMessageOfOursIsADeadLetterAndItsPlacesAreAskedFor() async throws {
        try await withBench { actor, bench in
            try await bench.post(10, to: [.new()])
            let connection = bench.connection
            let stream = bench.stream
            try await bench.administration { administration in
                _ = try administration.ensureStream(stream)
                let publisher = try JetStreamPublisher(connection, inFlightMax: 16)
                let subject = PostingsPack.subject(of: .ledger)
                let bodies = ["nonsense", "{}", "\u{0}"].enumerated().map { number, body in
                    OutgoingMessage(subject: subject, id: "odd \(number)", body: Array(body.utf8))
                }
                _ = publisher.publish(bodies, waitMilliseconds: 60_000)
            }
            let follower = bench.follower()
            try await running(bench.relayOfJournal(), on: actor) {
                try await running(follower, on: actor) {
                    try await eventually(actor) { try await bench.isExact() }
                    try await eventually(actor) { follower.metrics.buried == 3 }
                }
            }
            #expect(try await bench.database.query(deadLetters).count == 3)
        }
    }
}

private let deadPostings = Statement(
    "select aggregate, sequence, event from dead_letter where event is not null order by id"
) { row in
    (aggregate: try row.string(0), place: try row.int64(1), event: try row.string(2))
}
