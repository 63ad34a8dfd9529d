import HTTP
import Loops
import Synchronization
import Testing
import WalletProtocol

@testable import ServiceKit

/// The gateway's internal listener, as far as a client can tell.
private final class Gateway: HTTPHandler {
    let seen: Seen
    init(_ seen: Seen) { self.seen = seen }
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        _ = try? await request.body(max: 1 << 16)
        let head = request.head
        if String(decoding: head.path, as: UTF8.self) == "/internal/service-tokens" {
            let token = ServiceToken(
                accessToken: seen.nextToken(),
                expiresIn: seen.expiresIn
            )
            return HTTPResponse(status: 200, body: .bytes(JSON.write(token)))
        }
        let bearer = head.text(.authorization) ?? ""
        seen.note(bearer: bearer, hops: head.text(.xEZWalletHops) ?? "")
        guard bearer == "Bearer \(seen.good)" else {
            return renderProblem(APIError(.unauthenticated), nil)
        }
        return HTTPResponse(
            status: 200,
            body: .bytes(JSON.write(RevocationList(items: [], after: 7)))
        )
    }
    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        renderProblem(framingRefusal(error), nil)
    }
}

private final class Seen: Sendable {
    private struct State {
        var tokens = 0
        var bearers: [String] = []
        var hops: [String] = []
    }
    let good: String
    let expiresIn: Int
    private let state = Mutex(State())
    init(good: String, expiresIn: Int = 600) {
        self.good = good
        self.expiresIn = expiresIn
    }
    func nextToken() -> String {
        state.withLock { state in
            state.tokens += 1
            return "token\(state.tokens)"
        }
    }
    func note(bearer: String, hops: String) {
        state.withLock { state in
            state.bearers.append(bearer)
            state.hops.append(hops)
        }
    }
    var bearers: [String] { state.withLock { $0.bearers } }
    var hops: [String] { state.withLock { $0.hops } }
}

@Suite struct InternalClientTests {
    private func run(
        _ seen: Seen,
        _ body: @escaping @Sendable (isolated LoopActor, InternalClient) async throws -> Void
    ) async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        let server = HTTPServer(loops: group)
        try await group.loops[0].actor.run { actor in
            server.attach(Gateway(seen), on: actor)
            let port = try server.listen(host: "127.0.0.1", port: 0, on: actor)
            let client = InternalClient(
                host: "127.0.0.1",
                port: port,
                service: .ledger,
                secret: "secret",
                loop: actor.loop
            )
            try await body(actor, client)
        }
    }

    private func call(_ client: InternalClient, for user: UserIdentity? = nil) async throws -> Int {
        try await client.call(
            InternalAuth.revocations,
            query: RevocationQuery(after: 1),
            body: NoBody(),
            for: user
        ).after
    }

    @Test func aTokenThatCountsNoMoreIsMadeAnewWithinTheCall() async throws {
        let seen = Seen(good: "token2")
        try await run(seen) { _, client in
            let after = try await self.call(client)
            #expect(after == 7)
            #expect(seen.bearers == ["Bearer token1", "Bearer token2"])
        }
    }

    /// What a token's life is said to be may be any number.
    @Test(arguments: [Int.min, -1, 0, 600, .max])
    func anyLifeOfATokenIsReckonedWith(expiresIn: Int) async throws {
        let seen = Seen(good: "token1", expiresIn: expiresIn)
        try await run(seen) { _, client in
            let after = try await self.call(client)
            #expect(after == 7)
        }
    }

    /// Who asked us is signed in: that we are not must not sign them out.
    @Test func thatWeAreRefusedIsNotTheCallersFault() async throws {
        let seen = Seen(good: "none")
        try await run(seen) { _, client in
            do {
                _ = try await self.call(client)
                Issue.record("answered")
            } catch let error as APIError { #expect(error.code == .unavailable) }
            let user = UserIdentity(
                id: .new(),
                session: .new(),
                roles: [.user],
                generation: 1,
                authenticatedAt: .now(),
                methods: [],
                expiresAt: Instant.now().adding(seconds: 60),
                keyID: "k",
                token: "theirs"
            )
            do {
                _ = try await self.call(client, for: user)
                Issue.record("answered")
            } catch let error as APIError { #expect(error.code == .unauthenticated) }
            #expect(seen.bearers.count == 4)
        }
    }

    @Test func aCallInACircleIsCountedOn() async throws {
        let seen = Seen(good: "token1")
        try await run(seen) { _, client in
            _ = try await self.call(client)
            let context = RequestContext(
                deadline: monotonicNanoseconds() + 60_000_000_000,
                requestID: "r",
                traceparent: nil,
                hops: 3
            )
            _ = try await RequestContext.with(context) { try await self.call(client) }
            // The gateway adds one to what each call brings.
            #expect(seen.hops == ["0", "3"])
        }
    }
}
