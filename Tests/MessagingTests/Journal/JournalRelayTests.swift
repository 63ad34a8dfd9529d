import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import Messaging

@Suite(.timeLimit(.minutes(3))) struct JournalRelayTests {
    @Test(arguments: [3, 512])
    func outOfOrderCommitsLoseNothingAndKeepEachAccountsOrder(perMessage: Int) async throws {
        try await withBench { actor, bench in
            let accounts = (0..<30).map { _ in ID<Account>.new() }
            let relay = bench.relayOfJournal {
                $0.batchMax = 64
                $0.eventsPerMessageMax = perMessage
            }
            try await running(relay, on: actor) {
                await writeOutOfOrder(bench, accounts: accounts, on: actor)
                try await bench.write([1, 2, 3], of: "account:1")
                let entries = try await bench.database.queryOne(countOfEntries) ?? 0
                #expect(entries > 900)
                try await eventually(actor) { relay.metrics.published >= entries + 3 }
                let highest = try await bench.database.queryOne(highestPlace) ?? 0
                try await eventually(actor) { relay.metrics.journalMark == highest }
                #expect(try await bench.database.queryOne(OutboxStatements.journalMark) == highest)
            }
            let messages = try await bench.journalMessages("all")
            let rows = try messages.flatMap { try $0.rows() }
            let entries = Int(try await bench.database.queryOne(countOfEntries) ?? 0)
            #expect(rows.count == entries, "none lost, none twice")
            #expect(Set(rows.map(\.source.place)).count == entries)
            for (_, own) in Dictionary(grouping: rows, by: \.accountID) {
                #expect(own.map(\.source.sequence) == Array(1...Int64(own.count)))
            }
            // All places are settled, those of rolled-back transactions among them.
            var window = AppliedWindow()
            for message in messages { window.add(PlaceSet(try message.covers())) }
            let highest = try await bench.database.queryOne(highestPlace)
            #expect(window.mark == highest)
            #expect(messages.allSatisfy { ((try? $0.rows().count) ?? 0) <= perMessage })
        }
    }

    /// What is covered only once a writer has ended is told of then.
    @Test func anOpenWriterHoldsItsPlacesAloneOpen() async throws {
        try await withBench { actor, bench in
            let other = Database(configuration: bench.made.service, loop: actor.loop)
            defer { other.close() }
            struct GiveUp: Error {}
            try await running(bench.relayOfJournal(), on: actor) {
                await #expect(throws: GiveUp.self) {
                    try await other.transaction { transaction in
                        try await bench.post(to: .new(), in: transaction)
                        try await bench.post(3, to: [.new()])
                        try await eventually(actor) {
                            let found = try await bench.journalMessages(unused())
                            return try found.flatMap { try $0.rows() }.count == 3
                        }
                        let (source, database) = (testJournal, bench.database)
                        let page = try await source.page(from: 1, through: 4, in: database)
                        #expect(try page.covers() == [2...4])
                        throw GiveUp()
                    }
                }
                try await eventually(actor) {
                    let found = try await bench.journalMessages(unused())
                    var window = AppliedWindow()
                    for message in found { window.add(PlaceSet(try message.covers())) }
                    return window.mark == 4
                }
                try await eventually(actor) {
                    let page = try await testJournal.page(from: 1, through: 4, in: bench.database)
                    return try page.covers() == [1...4] && page.rows().count == 3
                }
            }
        }
    }

    @Test func aPageIsOfOneSizeAndSaysHowFarItGoes() async throws {
        try await withBench { actor, bench in
            try await bench.database.transaction { transaction in
                let account = ID<Account>.new()
                for _ in 0..<1_100 { try await bench.post(to: account, in: transaction) }
            }
            let unsaved = try await testJournal.page(from: 1, through: 2_000, in: bench.database)
            #expect(try unsaved.covers() == [1...512] && unsaved.rows().count == 512)
            let relay = bench.relayOfJournal()
            try await running(relay, on: actor) {
                try await eventually(actor) { relay.metrics.journalMark == 1_100 }
            }
            let last = try await testJournal.page(from: 1_025, through: 2_000, in: bench.database)
            #expect(try last.covers() == [1_025...1_100])
            let none = try await testJournal.page(from: 1_101, through: 2_000, in: bench.database)
            #expect(try none.covers().isEmpty && none.rows().isEmpty)
        }
    }

    @Test func aBrokerThatLostEverythingGetsItAgain() async throws {
        try await withBench { actor, bench in
            try await running(bench.relayOfJournal(singly), on: actor) {
                try await bench.post(200, to: [.new()])
                try await bench.write([1, 2], of: "account:1")
                try await eventually(actor) { try await bench.state().messages >= 202 }
                bench.nats.crash()
                try bench.nats.wipe()
                try bench.nats.launch()
                try await eventually(actor) { bench.connection.isConnected }
                try await eventually(actor) { try await bench.state().messages >= 202 }
            }
            // A broker that has just come back may let the first look wait.
            try await eventually(actor) {
                let found = try await bench.journalMessages(unused())
                return try found.flatMap { try $0.rows() }.map(\.source.sequence)
                    == Array(1...200)
            }
        }
    }

    /// The tail is gone, as after a power failure: from the loss on, not from the beginning.
    @Test func aBrokerThatLostItsTailGetsItAgain() async throws {
        try await withBench { actor, bench in
            let relay = bench.relayOfJournal {
                singly(&$0)
                $0.saveMilliseconds = 0
                $0.checkMilliseconds = 300
            }
            try await running(relay, on: actor) {
                try await bench.post(40, to: [.new()])
                try await eventually(actor) { try await bench.state().messages == 40 }
                try await actor.loop.sleep(nanoseconds: 300_000_000)
                bench.nats.crash()
                try bench.nats.keepData()
                try bench.nats.launch()
                try await eventually(actor) { bench.connection.isConnected }
                try await bench.post(40, to: [.new()])
                try await eventually(actor) { try await bench.state().messages >= 80 }
                bench.nats.crash()
            }
            try bench.nats.restoreData()
            try bench.nats.launch()
            try await eventually(actor) { bench.connection.isConnected }
            let next = bench.relayOfJournal(singly)
            try await running(next, on: actor) {
                try await eventually(actor) { try await bench.state().messages >= 80 }
            }
            #expect(next.metrics.losses == 1)
            #expect(next.metrics.published < 80)
            let rows = try await bench.journalMessages("all").flatMap { try $0.rows() }
            #expect(Set(rows.map(\.source.place)).count == 80)
        }
    }

    @Test func aLeaderThatLosesItsConnectionBeginsAgain() async throws {
        try await withBench { actor, bench in
            var ended: Int64 = 0
            try await running(bench.relayOfJournal(singly), on: actor) {
                for round in 0..<4 {
                    try await bench.post(60, to: [.new(), .new()])
                    try await bench.postNothing()
                    try await eventually(actor) {
                        ended += try await bench.database.queryOne(endLeader) ?? 0
                        return ended > round
                    }
                }
                try await bench.post(1, to: [.new()])
                let highest = try await bench.database.queryOne(highestPlace) ?? 0
                try await eventually(actor) {
                    let found = try await bench.journalMessages(unused())
                    var window = AppliedWindow()
                    for message in found { window.add(PlaceSet(try message.covers())) }
                    return window.mark == highest
                }
            }
            let rows = try await bench.journalMessages("all").flatMap { try $0.rows() }
            #expect(Set(rows.map(\.source.place)).count == 241)
        }
    }

    @Test func figuresTellWhatWaits() async throws {
        try await withBench(natsUp: false) { actor, bench in
            try await bench.post(5, to: [.new()])
            let relay = bench.relayOfJournal()
            try await running(relay, on: actor) {
                try await eventually(actor) { relay.metrics.journal.depth == 5 }
            }
        }
    }
}

/// The name of a durable that nobody has had.
private func unused() -> String { "look-\(monotonicNanoseconds())" }

let endLeader = Statement(
    """
    select count(pg_terminate_backend(pid))
    from pg_locks
    where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())
    """
) { row in try row.int64(0) }
