import Postgres
import ServiceKit
import WalletProtocol

/// Moves the money that is held for a transfer.
struct CaptureTransfer: Handler {
    static let endpoint = Transfers.capture
    let ending: HoldEnding

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        try await ending.end(.capture, request, as: caller)
    }
}

/// Gives up what is held for a transfer.
struct VoidTransfer: Handler {
    static let endpoint = Transfers.void
    let ending: HoldEnding

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        try await ending.end(.void, request, as: caller)
    }
}

/// How a hold ends by the will of those whom it is about.
struct HoldEnding {
    let database: Database
    let people: People
    let batcher: PostingBatcher

    func end(
        _ kind: Posting.Kind,
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        let user = caller.user.id
        let id = try request.path.id(of: Transfer.self)
        let person = try await people.person(user)
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        guard let row = try await database.queryOne(TransferStatements.find, user, [id]) else {
            throw APIError.notFound
        }
        // Who is to be paid cannot take it: for them there is nothing here to capture.
        if kind == .capture, row.fromOwner != user { throw APIError.notFound }
        guard user == row.fromOwner || user == row.toOwner else { throw APIError(.forbidden) }
        var posting = Posting(kind, Posting.Operation(scope), by: user, on: row.from)
        posting.counter = row.to
        posting.counterIsOwn = row.fromOwner == row.toOwner
        posting.transfer = id
        posting.day = people.today(for: person)
        if kind == .capture, row.fromOwner != row.toOwner {
            let payee = try await database.queryOne(AccountStatements.references, [row.to])
            posting.name = payee.map { masked($0.ownerName) }
            posting.counterName = person.displayName
        }
        let outcome = try await batcher.post(posting)
        guard let ended = try await database.queryOne(TransferStatements.find, user, [id]) else {
            throw APIError.notFound
        }
        let answer = Response.ok(try ended.view(for: user))
        return outcome.isReplay ? answer.replayed() : answer
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
