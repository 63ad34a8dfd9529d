import HTTP
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// A service that exists for tests: one endpoint for each right and shape.
enum Echo {
    struct Note: JSONObject, Hashable {
        let text: String
        static let json = Object(Note.init, Field("text", \.text, .line(1...40)))
        init(text: String) { self.text = text }
    }
    struct Search: QueryObject, Hashable {
        let limit: Int
        static let query = QueryFields(
            Search.init,
            QueryField("limit", \.limit, .range(1...200), default: 50)
        )
        init(limit: Int) { self.limit = limit }
    }

    static func endpoint<Query: QueryObject, Body: JSONValue, View: JSONValue>(
        _ method: WalletProtocol.Method,
        _ path: PathTemplate,
        for right: Right,
        idempotency: Idempotency? = nil,
        response: ResponseKind? = nil
    ) -> Endpoint<Query, Body, View> {
        Endpoint(
            "echo",
            method,
            path,
            of: .groups,
            for: right,
            idempotency: idempotency,
            bodyLimit: 100,
            response: response,
            summary: "For tests"
        )
    }

    struct Open: Handler {
        static let endpoint: Endpoint<Search, NoBody, Note> =
            Echo.endpoint(.get, "/v1/open/{id}", for: .anyone)
        func handle(_ request: Request<Search, NoBody>, as caller: Caller) -> Response<Note> {
            .ok(Note(text: "\(request.path["id"]) \(request.query.limit) \(caller.isUser)"))
        }
    }
    struct Mine: Handler {
        static let endpoint: Endpoint<NoQuery, NoBody, Note> =
            Echo.endpoint(.get, "/v1/mine", for: .user)
        func handle(_ request: Request<NoQuery, NoBody>, as caller: Caller) -> Response<Note> {
            .ok(Note(text: "mine"))
        }
    }
    struct Write: Handler {
        static let endpoint: Endpoint<NoQuery, Note, Note> =
            Echo.endpoint(.post, "/v1/mine", for: .user, idempotency: .required)
        let effects: KeyedEffects
        func handle(
            _ request: Request<NoQuery, Note>,
            as caller: Caller
        ) async throws -> Response<Note> {
            try await effects.answer(request.idempotency) { _ in
                .created(request.body, at: "/v1/mine")
            }
        }
    }
    struct Figures: Handler {
        static let endpoint: Endpoint<NoQuery, NoBody, Note> =
            Echo.endpoint(.get, "/v1/figures", for: .role(.coo))
        func handle(_ request: Request<NoQuery, NoBody>, as caller: Caller) -> Response<Note> {
            .ok(Note(text: "figures"))
        }
    }
    struct Inner: Handler {
        static let endpoint: Endpoint<NoQuery, NoBody, Note> =
            Echo.endpoint(.get, "/internal/inner", for: .internalService)
        func handle(_ request: Request<NoQuery, NoBody>, as caller: Caller) -> Response<Note> {
            .ok(Note(text: caller.name))
        }
    }
    /// What fails by something that no client may hear of.
    struct Broken: Handler {
        struct Secret: Error { let password = "hunter2" }
        static let endpoint: Endpoint<NoQuery, NoBody, Note> =
            Echo.endpoint(.get, "/v1/broken", for: .anyone)
        func handle(
            _ request: Request<NoQuery, NoBody>,
            as caller: Caller
        ) throws -> Response<Note> { throw Secret() }
    }
    struct Stream: Handler {
        static let endpoint: Endpoint<NoQuery, NoBody, Note> =
            Echo.endpoint(.get, "/v1/stream", for: .anyone, response: .eventStream)
        func handle(_ request: Request<NoQuery, NoBody>, as caller: Caller) -> Response<Note> {
            request.http.setDeadline(.max)
            return .stream(type: "text/event-stream") { writer in
                while true {
                    try await writer.write(Array(": x\n\n".utf8))
                    try await writer.loop.sleep(nanoseconds: 50_000_000)
                }
            }
        }
    }

    static let service = ServiceDefinition(
        .groups,
        migrations: [
            EmbeddedFile(name: "0001.sql", bytes: Array(schema.utf8))
        ]
    ) { _, service in
        service.router.add(Open())
        service.router.add(Mine())
        let effects = KeyedEffects(database: service.database, relayBell: service.relayBell)
        service.router.add(Write(effects: effects))
        service.router.add(Figures())
        service.router.add(Inner())
        service.router.add(Broken())
        service.router.add(Stream())
    }

    private static let schema = """
        create schema groups;
        create table groups.idempotency_key (
            scope text not null,
            key text not null,
            request_hash bytea not null,
            answer text not null,
            created_at timestamptz not null default now(),
            people text[],
            primary key (scope, key)
        );
        do $$ begin
            execute format('grant usage on schema groups to %I',
                current_setting('ezwallet.service_role'));
            execute format('grant select, insert, update on groups.idempotency_key to %I',
                current_setting('ezwallet.service_role'));
        end $$;
        """
}

extension Caller {
    var isUser: Bool { optionalUser != nil }
}
