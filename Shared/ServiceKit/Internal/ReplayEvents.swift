internal import Messaging
internal import Postgres
internal import WalletProtocol

/// Repeats an aggregate's events to a consumer that has missed some.
struct ReplayEvents: Handler {
    static let endpoint = Endpoint<EventReplayQuery, NoBody, EventReplay>(
        "replayEvents",
        .get,
        "/internal/events",
        of: .gateway,
        for: .internalService,
        summary: "An aggregate's events again"
    )
    let database: Database
    let service: ServiceName

    func handle(
        _ request: Request<EventReplayQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<EventReplay> {
        let answer = try await Outbox.replay(
            ReplayRequest(
                producer: service,
                aggregate: request.query.aggregate,
                fromSequence: Int64(request.query.from)
            ),
            of: service,
            in: database
        )
        return .ok(
            EventReplay(events: answer.events, lastSequence: Int(answer.lastSequence))
        )
    }
}
