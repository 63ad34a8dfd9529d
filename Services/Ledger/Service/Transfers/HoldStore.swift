import Postgres
import ServiceKit
import WalletProtocol

/// How a hold ends by the will of those whom it is about.
struct HoldStore {
    let transfers: TransferStore

    /// Captures or voids one, at most once under its key.
    /// - Throws: 404 for who has no part in it, and for a payee who would capture, `hold-ended`.
    func end(
        _ id: ID<Transfer>,
        by kind: Posting.Kind,
        under scope: IdempotencyScope,
        for user: ID<User>
    ) async throws -> TransferStore.Answer {
        let people = transfers.people
        let person = try await people.person(user)
        let row = try await transfers.find(id, for: user)
        // Who is to be paid cannot take it: for them there is nothing here to capture.
        if kind == .capture, row.fromOwner != user { throw APIError.notFound }
        guard user == row.fromOwner || user == row.toOwner else { throw APIError(.forbidden) }
        var posting = Posting(kind, Posting.Operation(scope), by: user, on: row.from)
        posting.counter = row.to
        posting.counterIsOwn = row.fromOwner == row.toOwner
        posting.transfer = id
        posting.day = people.today(for: person)
        if kind == .capture, row.fromOwner != row.toOwner {
            let payee = try await transfers.database.queryOne(
                AccountStatements.named,
                [row.to],
                [String]()
            )
            posting.name = payee.map { masked($0.reference.ownerName) }
            posting.counterName = person.displayName
        }
        let outcome = try await transfers.batcher.post(posting)
        return (try await transfers.find(id, for: user).view(for: user), outcome.isReplay)
    }
}

/// Gives back what was held for too long.
struct HoldExpiry {
    let database: Database
    let relayBell: RelayBell

    /// Holds that are passed over at most while their accounts are held.
    private static let busyMax = 10_000

    /// Ends the holds whose time is over.
    func endAll() async throws {
        var busy: [ID<Transfer>] = []
        while busy.count < Self.busyMax, try await endSome(passingOver: &busy) {}
    }

    /// Ends some holds whose time is over; false where there is none.
    ///
    /// Whichever replica comes first ends one: the key is the hold's own, and it ends but once. It
    /// waits for nobody: whose accounts are held comes in the next round, and keeps none of the
    /// others from their end.
    private func endSome(passingOver busy: inout [ID<Transfer>]) async throws -> Bool {
        let holds = try await database.query(TransferStatements.overdue, Instant.now(), busy)
        guard !holds.isEmpty else { return false }
        let postings = holds.map { hold in
            var posting = Posting(
                .expiry,
                Posting.Operation(work: "expiry \(hold.id)", part: 0),
                by: nil,
                on: hold.from
            )
            posting.counter = hold.to
            posting.transfer = hold.id
            return posting
        }
        let outcomes = try await database.transaction { try await $0.post(postings, waits: false) }
        relayBell.ring()
        for (hold, outcome) in zip(holds, outcomes) where outcome.status != .posted {
            busy.append(hold.id)
        }
        return true
    }
}
