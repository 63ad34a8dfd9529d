import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// What ends the process is set aside; what was merely under way is done again.
@Suite struct BegunImportTests {
    struct Failed: Error {}

    /// A process that is killed leaves its note, as it leaves it where it stood.
    private func killed(_ id: ID<StatementImport>, at place: Int32, _ books: Books) async throws {
        let attempt = ID<BegunWork.Attempt>.new()
        _ = try await books.service.queryOne(BegunWorkStatements.begin, "import", id.text, attempt)
        try await books.service.execute(
            BegunWorkStatements.reach,
            "import",
            id.text,
            attempt,
            place
        )
        try await books.owner.execute(disconnect, attempt)
    }

    private func ask(_ books: Books, named name: String) async throws -> ID<StatementImport> {
        let user = try await books.person()
        let wallet = try await books.account(of: user, .wallet)
        let id = ID<StatementImport>.new()
        try await books.owner.execute(insertImport, id, user, wallet)
        try await books.owner.execute(insertRow, id, name)
        return id
    }

    @Test func anImportThatEndsItsProcessAtOnePlaceIsSetAside() async throws {
        try await LedgerRig().run { _, books in
            let bad = try await ask(books, named: "poison")
            let good = try await ask(books, named: "bread")
            for place: Int32 in [57, 58, 57] { try await killed(bad, at: place, books) }
            let work = ImportWork(database: books.service, relayBell: RelayBell())
            while try await work.doOne() {}
            let refused = try await books.owner.queryOne(stateOf, bad)
            #expect(refused?.state == "preview" && refused?.refusal == ImportRecord.setAside)
            let done = try await books.owner.queryOne(stateOf, good)
            #expect(done?.state == "committed")
            let buried = try await books.owner.query(dead)
            #expect(buried == ["import:\(bad)"])
            let left = try await books.owner.query(noted)
            #expect(left.isEmpty)
            try await books.check()
        }
    }

    /// Else it would end its process three times more.
    @Test func whatCouldNotBeSetAsideStaysHopeless() async throws {
        try await LedgerRig().run { _, books in
            let id = ID<StatementImport>.new()
            for place: Int32 in [57, 57, 57] { try await killed(id, at: place, books) }
            let begun = BegunWork(database: books.service)
            var hopeless = 0
            for _ in 0..<4 {
                await #expect(throws: Failed.self) {
                    try await begun.attempt("import", id) { attempt in
                        if attempt.isHopeless { hopeless += 1 }
                        throw Failed()
                    }
                }
                // Killed while it was set aside.
                try await killed(id, at: 0, books)
            }
            #expect(hopeless == 4)
            try await begun.attempt("import", id) { hopeless += $0.isHopeless ? 1 : 0 }
            #expect(hopeless == 5)
            #expect(try await books.owner.query(noted).isEmpty)
            #expect(try await books.owner.query(dead) == ["import:\(id)"])
        }
    }

    /// Another connection has its number since.
    @Test func whatWasBegunBeforeTheServersRestartIsNotTakenForBegun() async throws {
        try await LedgerRig().run { _, books in
            let id = ID<StatementImport>.new()
            for place: Int32 in [57, 57, 57] { try await killed(id, at: place, books) }
            try await books.owner.execute(restarted)
            var isHopeless = false
            try await BegunWork(database: books.service).attempt("import", id) {
                isHopeless = $0.isHopeless
            }
            #expect(isHopeless)
        }
    }

    /// Replicas that look for work at the same moment find the same piece.
    @Test func whatIsBegunBesideALivingReplicaIsNotCounted() async throws {
        try await LedgerRig().run { _, books in
            let id = ID<StatementImport>.new()
            let first = BegunWork(database: books.service)
            try await first.attempt("import", id) { _ in
                let other = BegunWork(database: books.service)
                for _ in 0..<5 {
                    try await other.attempt("import", id) { #expect(!$0.isHopeless) }
                    #expect(try await books.owner.query(noted) == [id.text])
                }
            }
            #expect(try await books.owner.query(noted).isEmpty)
        }
    }

    /// Else six kills in three seconds would all meet the first piece of work.
    @Test func whatEndedAProcessRestsWhileItsNeighboursAreDone() async throws {
        try await LedgerRig().run { _, books in
            let bad = try await ask(books, named: "unlucky")
            let good = try await ask(books, named: "bread")
            try await killed(bad, at: 1, books)
            try await books.owner.execute(rests)
            let work = ImportWork(database: books.service, relayBell: RelayBell())
            while try await work.doOne() {}
            #expect(try await books.owner.queryOne(stateOf, bad)?.state == "committing")
            #expect(try await books.owner.queryOne(stateOf, good)?.state == "committed")
        }
    }

    /// Three deploys, five kills: they find it at other places.
    @Test func anImportThatIsKilledAtManyPlacesIsTakenIn() async throws {
        try await LedgerRig().run { _, books in
            let id = try await ask(books, named: "bread")
            for place: Int32 in [57, 20, 60, 3, 40, 41] { try await killed(id, at: place, books) }
            let work = ImportWork(database: books.service, relayBell: RelayBell())
            while try await work.doOne() {}
            let done = try await books.owner.queryOne(stateOf, id)
            #expect(done?.state == "committed")
            let left = try await books.owner.query(noted)
            #expect(left.isEmpty)
        }
    }

    /// Whatever leaves the process alive is no crash: an error, and the end of a drain.
    @Test func whatFailsOrIsCancelledIsNotCounted() async throws {
        try await LedgerRig().run { actor, books in
            let id = ID<StatementImport>.new()
            let begun = BegunWork(database: books.service)
            for _ in 0..<5 {
                var failures = 0
                do {
                    try await begun.attempt("import", id) { attempt in
                        if attempt.isHopeless { return }
                        throw Failed()
                    }
                } catch is Failed { failures += 1 }
                #expect(failures == 1)
                let bound = LoopBound(books.service, to: actor)
                let steps = Steps(on: actor.loop)
                let task = actor.spawn { actor in
                    let other = BegunWork(database: bound.on(actor))
                    do {
                        try await other.attempt("import", id) { attempt in
                            steps.slowIsDone = attempt.isHopeless
                            steps.isHeld.resume(returning: ())
                            try await steps.release.value()
                        }
                        Issue.record("it was not cancelled")
                    } catch {}
                }
                try await steps.isHeld.value()
                task.cancel()
                await task.value
                #expect(!steps.slowIsDone)
                let left = try await books.owner.query(noted)
                #expect(left.isEmpty)
            }
        }
    }
}

private let insertImport = Statement<Void>(
    """
    insert into ledger.statement_import
        (id, user_id, account_id, state, format, row_count, duplicate_count, faults)
    values ($1, $2, $3, 'committing', 'csv', 1, 0, '[]')
    """
)
private let insertRow = Statement<Void>(
    """
    insert into ledger.import_row
        (import_id, place, line, day, amount, name, fingerprint, occurrence)
    values ($1, 0, 1, '2024-02-29', 5, $2, convert_to($2::text, 'UTF8'), 0)
    """
)
/// No backend has this number; and some time goes by.
private let disconnect = Statement<Void>(
    """
    update ledger.work_begun set backend = 0, again_at = clock_timestamp() - interval '1 second'
    where attempt = $1
    """
)
/// The number is a living connection's.
private let restarted = Statement<Void>(
    """
    update ledger.work_begun
    set backend = pg_backend_pid(), server = server - interval '1 hour'
    """
)
private let rests = Statement<Void>(
    "update ledger.work_begun set again_at = clock_timestamp() + interval '1 hour'"
)
private let stateOf = Statement(
    "select state, refusal from ledger.statement_import where id = $1"
) { row in try (state: row.string(0), refusal: row.value(1, as: String?.self)) }
private let noted = Statement("select id from ledger.work_begun") { row in try row.string(0) }
private let dead = Statement("select aggregate from ledger.dead_letter") { row in
    try row.string(0)
}
