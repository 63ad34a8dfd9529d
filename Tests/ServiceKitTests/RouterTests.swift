import Crypto
import HTTP
import Loops
import TestKit
import Testing
import WalletProtocol

@testable import ServiceKit

/// The stack around every endpoint, over a socket and with a real database.
@Suite struct RouterTests {
    private func run(
        _ body: @escaping @Sendable (isolated LoopActor, ServiceRig) async throws -> Void
    ) async throws {
        try await ServiceRig.run(Echo.service, template: "echo") { actor, rig in
            try await body(actor, rig)
        }
    }

    private func body(_ text: String) -> [UInt8] { JSON.write(Echo.Note(text: text)) }

    @Test func rightsAreHeld() async throws {
        try await run { _, rig in
            let user = rig.token(of: .new())
            let coo = rig.token(of: .new(), roles: [.coo])
            let admin = rig.token(of: .new(), roles: [.admin])
            let service = rig.token(of: .ledger)
            let expected: [(String, String?, Int)] = [
                ("/v1/open/a", nil, 200), ("/v1/open/a", user, 200),
                ("/v1/open/a", "nonsense", 200),
                ("/v1/mine", nil, 401), ("/v1/mine", user, 200), ("/v1/mine", coo, 403),
                ("/v1/mine", admin, 200), ("/v1/mine", service, 401), ("/v1/mine", "x.y.z", 401),
                ("/v1/figures", user, 403), ("/v1/figures", admin, 403), ("/v1/figures", coo, 200),
                ("/internal/inner", user, 401), ("/internal/inner", nil, 401),
                ("/internal/inner", service, 200),
            ]
            for (path, token, status) in expected {
                let answer = try await rig.call(.get, path, token: token)
                #expect(answer.status == status, "\(path) \(token ?? "nobody"): \(answer.text)")
            }
        }
    }

    @Test func aServiceActsForAUserOnlyWithBothTokens() async throws {
        try await run { _, rig in
            let user = rig.token(of: .new())
            let acting: [(String?, Int)] = [(rig.token(of: .ledger), 200), (nil, 401), (user, 401)]
            for (token, status) in acting {
                let answer = try await rig.call(
                    .get,
                    "/v1/mine",
                    headers: [("x-ezwallet-user", user)],
                    token: token
                )
                #expect(answer.status == status)
            }
        }
    }

    @Test func aCookieCountsOnlyWithOurOriginWhereItChanges() async throws {
        try await run { _, rig in
            let cookie = "a=b; __Host-access=" + rig.token(of: .new())
            let read = try await rig.call(.get, "/v1/mine", headers: [("cookie", cookie)])
            #expect(read.status == 200)
            let origins = [nil, "https://evil.example", "null", ServiceRig.publicURL + ".evil"]
            for origin in origins + [ServiceRig.publicURL] {
                var headers: [(StaticString, String)] = [
                    ("cookie", cookie), ("idempotency-key", "k"),
                ]
                if let origin { headers.append(("origin", origin)) }
                let answer = try await rig.call(
                    .post,
                    "/v1/mine",
                    headers: headers,
                    body: self.body("a")
                )
                #expect(answer.status == (origin == ServiceRig.publicURL ? 201 : 401))
            }
        }
    }

    @Test func aRevokedOrUnknownSessionIsRefused() async throws {
        try await run { _, rig in
            let session = ID<Session>.new()
            let token = rig.token(of: .new(), session: session)
            let before = try await rig.call(.get, "/v1/mine", token: token)
            #expect(before.status == 200)
            rig.service.revocations.add([
                Revocation(
                    kind: .session,
                    sessionID: session,
                    expiresAt: Instant.now().adding(seconds: 60)
                )
            ])
            // Remembered as verified, and refused all the same.
            let after = try await rig.call(.get, "/v1/mine", token: token)
            #expect(after.status == 401 && after.code == "unauthenticated")
        }
    }

    @Test func unknownPathsAndMethodsAreToldApart() async throws {
        try await run { _, rig in
            for path in ["/v1/nothing", "/", "/v1/mine/", "/v1//mine", "/v1/open/", "/v1/open/a/b"]
            {
                let answer = try await rig.call(.get, path)
                #expect(answer.status == 404 && answer.code == "not-found", "\(path)")
                #expect(answer.headers["x-request-id"]?.isEmpty == false)
            }
            let answer = try await rig.call(.delete, "/v1/mine")
            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == "GET, POST, HEAD, OPTIONS")
            let options = try await rig.call(.options, "/v1/mine")
            #expect(options.status == 204)
            let head = try await rig.call(.head, "/v1/open/a")
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test(arguments: ["/v1/open/%00", "/v1/open/%ff", "/v1/open/a%00", "/v1/open/%zz"])
    func aPathThatIsNoTextNamesNothing(path: String) async throws {
        try await run { _, rig in
            for method in [HTTPMethod.get, .head, .delete, .options] {
                let answer = try await rig.call(method, path)
                #expect(answer.status == 404, "\(method) \(path)")
            }
        }
    }

    @Test func whatIsCodedOrSaidTwiceIsRefused() async throws {
        try await run { _, rig in
            let token = rig.token(of: .new())
            let key: (StaticString, String) = ("idempotency-key", "k")
            let json: (StaticString, String) = ("content-type", "application/json")
            let expected: [([(StaticString, String)], Int, String)] = [
                ([key, json, ("content-encoding", "gzip")], 415, "unsupported-media-type"),
                ([key, json, ("content-encoding", "identity, br")], 415, "unsupported-media-type"),
                ([key, json, json], 400, "invalid-header"),
                ([key, key, json], 400, "invalid-header"),
            ]
            for (headers, status, code) in expected {
                let answer = try await rig.call(
                    .post,
                    "/v1/mine",
                    headers: headers,
                    body: self.body("a"),
                    token: token
                )
                #expect(answer.status == status && answer.code == code, "\(answer.text)")
            }
            let plain = try await rig.call(
                .post,
                "/v1/mine",
                headers: [key, json, ("content-encoding", "identity")],
                body: self.body("a"),
                token: token
            )
            #expect(plain.status == 201)
        }
    }

    @Test func queriesAreCheckedWhole() async throws {
        try await run { _, rig in
            let good = try await rig.call(.get, "/v1/open/a%20b?limit=7")
            #expect(good.text == #"{"text":"a b 7 false"}"#)
            let bad = [
                "limit=0", "limit=201", "limit=x", "limit=1&limit=2", "limit=", "other=1",
                "limit=%zz", "limit=9999999999999999999999",
            ]
            for query in bad {
                let answer = try await rig.call(.get, "/v1/open/a?\(query)")
                #expect(answer.status == 400, "\(query): \(answer.text)")
            }
        }
    }

    @Test func bodiesAreBoundedAndTyped() async throws {
        try await run { _, rig in
            let token = rig.token(of: .new())
            let long = #"{"text":"a"}"# + String(repeating: " ", count: 200)
            let expected: [(String, String, Int)] = [
                (#"{"text":"a"}"#, "application/json", 201),
                (#"{"text":"a"}"#, "application/merge-patch+json; charset=utf-8", 201),
                (#"{"text":"a"}"#, "text/plain", 415), (long, "application/json", 413),
                (#"{"text":"a","text":"b"}"#, "application/json", 400),
                (#"{"text":"#, "application/json", 400), ("", "application/json", 400),
                (#"{"text":"a","more":1}"#, "application/json", 422),
                (#"{"text":1}"#, "application/json", 422), ("[]", "application/json", 422),
                (#"{"text":"a\u0000"}"#, "application/json", 422),
            ]
            for (index, (text, type, status)) in expected.enumerated() {
                let answer = try await rig.call(
                    .post,
                    "/v1/mine",
                    headers: [("idempotency-key", "key-\(index)"), ("content-type", type)],
                    body: Array(text.utf8),
                    token: token
                )
                #expect(answer.status == status, "\(text): \(answer.text)")
            }
            let none = try await rig.call(.get, "/v1/mine", body: [0x7b, 0x7d], token: token)
            #expect(none.status == 422)
        }
    }

    @Test func aKeyBelongsToItsCallerAndBody() async throws {
        try await run { _, rig in
            let (one, other) = (rig.token(of: .new()), rig.token(of: .new()))
            func post(
                _ text: String,
                key: String?,
                as token: String
            ) async throws -> ServiceRig.Answer {
                try await rig.call(
                    .post,
                    "/v1/mine",
                    headers: key.map { [("idempotency-key" as StaticString, $0)] } ?? [],
                    body: self.body(text),
                    token: token
                )
            }
            let missing = try await post("a", key: nil, as: one)
            #expect(missing.status == 400 && missing.code == "idempotency-key-required")
            let first = try await post("a", key: "k", as: one)
            #expect(first.status == 201 && first.headers["idempotency-replayed"] == nil)
            // Quoted as a structured field, it is the same key.
            for key in ["k", "\"k\""] {
                let again = try await post("a", key: key, as: one)
                #expect(again.status == 201 && again.text == first.text)
                #expect(again.headers["idempotency-replayed"] == "true")
                #expect(again.headers["location"] == first.headers["location"])
            }
            let changed = try await post("b", key: "k", as: one)
            #expect(changed.status == 422 && changed.code == "idempotency-key-reused")
            // Somebody else's equal key neither replays nor collides.
            let theirs = try await post("b", key: "k", as: other)
            #expect(theirs.status == 201 && theirs.headers["idempotency-replayed"] == nil)
            for bad in ["ü", String(repeating: "k", count: 256)] {
                let answer = try await post("a", key: bad, as: one)
                #expect(answer.status == 400, "\(bad)")
            }
        }
    }

    @Test func whatFailsInsideTellsNothing() async throws {
        try await run { _, rig in
            let answer = try await rig.call(.get, "/v1/broken")
            #expect(answer.status == 500 && answer.code == "internal-error")
            #expect(!answer.text.contains("Secret") && !answer.text.contains("hunter2"))
        }
    }

    @Test func aRequestsNameIsEchoedWhereItIsPlain() async throws {
        try await run { _, rig in
            let named = try await rig.call(
                .get,
                "/v1/open/a",
                headers: [("x-request-id", "aZ-1_.")]
            )
            #expect(named.headers["x-request-id"] == "aZ-1_.")
            let long = String(repeating: "a", count: 129)
            for bad in [long, "a b", "ü", "a\"b", "a{b", "a/b", "~"] {
                let answer = try await rig.call(
                    .get,
                    "/v1/open/a",
                    headers: [("x-request-id", bad)]
                )
                #expect(answer.headers["x-request-id"] != bad)
                #expect(answer.headers["x-request-id"]?.utf8.count == 36)
            }
        }
    }

    @Test func aDeadlineTooLargeIsNone() async throws {
        try await run { _, rig in
            for text in ["18446744073709", "18446744073709551615", "-1", "x", "4294967295"] {
                let answer = try await rig.call(
                    .get,
                    "/v1/open/a",
                    headers: [("x-request-deadline", text)]
                )
                #expect(answer.status == 200, "\(text)")
            }
        }
    }

    @Test func aHeadOfAStreamHoldsNothingOpen() async throws {
        try await run { _, rig in
            for _ in 0..<3 {
                let answer = try await rig.call(.head, "/v1/stream")
                #expect(answer.status == 200)
                #expect(answer.headers["content-type"] == "text/event-stream")
            }
            // The connection serves others: no stream runs behind the answer.
            let next = try await rig.call(.get, "/v1/open/a")
            #expect(next.status == 200)
        }
    }
}

/// What is known before the list of revocations has come, and of pages of it.
@Suite struct RevocationLoadingTests {
    @Test func nobodyIsLetInBeforeTheListHasBeenLoaded() async throws {
        let key = try ES256Key.generate()
        let revocations = Revocations()
        let page = [
            Revocation(
                kind: .session,
                sessionID: .new(),
                expiresAt: Instant.now().adding(seconds: 60)
            )
        ]
        revocations.add(page, isWhole: false)
        var isLoaded = revocations.isLoaded
        #expect(!isLoaded, "a page is not the list")
        revocations.add([], isWhole: true)
        isLoaded = revocations.isLoaded
        #expect(isLoaded && key.isPrivate)
    }

    @Test func endedOnesOfEveryKindAreForgotten() {
        let revocations = Revocations()
        let past = Instant.now().adding(seconds: -1)
        for _ in 0..<3 {
            revocations.add(
                (0..<8_000).map { _ in
                    Revocation(kind: .generation, userID: .new(), generation: 2, expiresAt: past)
                }
            )
        }
        let count = revocations.count
        #expect(count <= 10_000)
    }
}
