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

    /// Ends some holds whose time is over; false where there is none.
    ///
    /// Whichever replica comes first ends one: the key is the hold's own, and it ends but once.
    func endSome() async throws -> Bool {
        let holds = try await database.query(TransferStatements.overdue, Instant.now())
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
        let outcomes = try await database.post(postings)
        relayBell.ring()
        // What was busy comes in the next round.
        return outcomes.contains { $0.status == .posted && !$0.isReplay }
    }
}
