internal import Messaging
internal import Postgres
internal import WalletProtocol

/// Repeats places of the journal to a consumer that has missed them, or has lost everything.
struct ReplayJournal: Handler {
    static let endpoint = Endpoint<JournalQuery, NoBody, Postings>(
        "replayJournal",
        .get,
        "/internal/journal",
        of: .gateway,
        for: .internalService,
        summary: "The journal's postings again"
    )
    let journal: JournalSource
    let database: Database

    func handle(
        _ request: Request<JournalQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Postings> {
        let (first, last) = (Int64(request.query.from), Int64(request.query.through))
        guard first <= last else { return .ok(Postings(covers: [], rows: [])) }
        return .ok(try await journal.page(from: first, through: last, in: database))
    }
}
