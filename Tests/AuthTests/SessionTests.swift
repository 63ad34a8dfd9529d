import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Tokens under concurrency, and what ends them.
@Suite struct SessionTests {
    private func tokens(_ answer: ServiceRig.Answer) throws -> SessionTokens {
        try JSON.read(SessionTokens.self, from: answer.body)
    }

    @Test func refreshesAtOnceGiveOneSuccessor() async throws {
        try await Harness.run { actor, harness in
            let old = try await harness.register().session.refreshToken
            let bound = LoopBound(harness, to: actor)
            let answers = try await atOnce(30, on: actor) { actor, _ in
                try await bound.on(actor).refresh(old)
            }
            #expect(answers.allSatisfy { $0.status == 201 })
            let next = Set(try answers.map { try self.tokens($0).refreshToken })
            #expect(next.count == 1 && next.first != old)
            let again = try await harness.refresh(next.first ?? nil)
            #expect(again.status == 201)
        }
    }

    @Test func anOldTokenEndsTheFamilyAndItsAccessTokens() async throws {
        try await Harness.run { actor, harness in
            let first = try await harness.register().session
            let second = try self.tokens(try await harness.refresh(first.refreshToken))
            let third = try self.tokens(try await harness.refresh(second.refreshToken))
            // Two behind is replayed however soon it comes.
            let bound = LoopBound(harness, to: actor)
            let replays = try await atOnce(10, on: actor) { actor, _ in
                try await bound.on(actor).refresh(first.refreshToken).code
            }
            #expect(replays.contains("refresh-token-reused"))
            #expect(
                replays.allSatisfy {
                    $0 == "refresh-token-reused" || $0 == "invalid-refresh-token"
                }
            )
            let newest = try await harness.refresh(third.refreshToken)
            #expect(newest.status == 401)
            let told = try await harness.parts.revocations.list(after: nil)
            #expect(told.items.count == 1, "told once, however many replayed it")
            harness.rig.service.revocations.add(told.items)
            let access = try await harness.rig.call(
                .get,
                "/v1/users/me",
                token: third.accessToken
            )
            #expect(access.status == 401)
        }
    }

    @Test func theGraceEnds() async throws {
        try await Harness.run { _, harness in
            let old = try await harness.register().session.refreshToken
            _ = try await harness.refresh(old)
            let back = Statement<Void>(
                "update auth.session set rotated_at = rotated_at - interval '11 seconds'"
            )
            try await harness.database.execute(back)
            let answer = try await harness.refresh(old)
            #expect(answer.code == "refresh-token-reused")
        }
    }

    @Test func aSessionThatIsNotUsedEnds() async throws {
        try await Harness.run { _, harness in
            let session = try await harness.register().session
            let life = Int64(harness.parts.configuration.refreshTokenSeconds)
            let left = Instant.now().microseconds(to: session.sessionExpiresAt) / 1_000_000
            #expect((life - 60...life).contains(left))
            let back = Statement<Void>(
                "update auth.session set expires_at = now() - interval '1 second'"
            )
            try await harness.database.execute(back)
            let answer = try await harness.refresh(session.refreshToken)
            #expect(answer.code == "invalid-refresh-token")
        }
    }

    @Test func aForgedOrFutureRefreshTokenEndsNothing() async throws {
        try await Harness.run { _, harness in
            let session = try await harness.register().session
            let good = try #require(session.refreshToken)
            let parsed = try #require(
                RefreshToken(good, keys: harness.parts.configuration.refreshKeys)
            )
            let ahead = RefreshToken(family: parsed.family, number: 7)
                .text(key: harness.parts.configuration.refreshKeys[0])
            let foreign = RefreshToken(family: parsed.family, number: 1).text(key: [1, 2, 3])
            for token in [ahead, foreign, "", "x", good + "A", String(good.dropLast())] {
                let answer = try await harness.refresh(token)
                #expect(answer.status == 401 || answer.status == 422, "\(token)")
            }
            let answer = try await harness.refresh(good)
            #expect(answer.status == 201)
        }
    }

    @Test func cookiesRefreshFromOurPagesAlone() async throws {
        try await Harness.run { _, harness in
            let good = try #require(try await harness.register().session.refreshToken)
            let origins: [(String?, Int)] = [
                (nil, 401), ("https://evil.example", 401), (ServiceRig.publicURL, 201),
            ]
            for (origin, status) in origins {
                var headers: [(StaticString, String)] = [("cookie", "__Host-refresh=" + good)]
                if let origin { headers.append(("origin", origin)) }
                let answer = try await harness.rig.call(
                    .post,
                    "/v1/sessions/refresh",
                    headers: headers,
                    body: Array("{}".utf8)
                )
                #expect(answer.status == status, "\(answer.text)")
                // Our own page gets no token that a script could read.
                let isInBody = answer.text.contains("accessToken")
                #expect(!isInBody)
            }
        }
    }

    /// Also while a transaction lasts: what came after it began is behind the snapshot's xmin.
    @Test(arguments: [false, true])
    func everyRevocationIsToldPageByPage(besideALongTransaction: Bool) async throws {
        try await Harness.run { actor, harness in
            let held = Wait<Void>(on: actor.loop)
            let release = Wait<Void>(on: actor.loop)
            let bound = LoopBound(harness.database, to: actor)
            let holder = actor.spawn { actor in
                guard besideALongTransaction else {
                    held.resume(returning: ())
                    return
                }
                do {
                    try await bound.on(actor).transaction { transaction in
                        _ = try await transaction.query(drawTransactionID)
                        held.resume(returning: ())
                        try await release.value()
                    }
                } catch { held.resume(throwing: error) }
            }
            try await held.value()
            let user = try await harness.register()
            for _ in 0..<25 {
                let session = try self.tokens(try await harness.logIn(user.email))
                let ended = try await harness.rig.call(
                    .delete,
                    "/v1/sessions/current",
                    token: session.accessToken
                )
                #expect(ended.status == 204, "\(ended.text)")
            }
            // Thirty in one transaction: more than a page, and told together.
            for _ in 0..<30 {
                let answer = try await harness.logIn(user.email)
                #expect(answer.status == 201, "\(answer.text)")
            }
            let all = try await harness.rig.call(
                .delete,
                "/v1/sessions",
                token: user.session.accessToken
            )
            #expect(all.status == 204)
            var after: Int?
            var told: Set<Revocation> = []
            while true {
                let page = try await harness.parts.revocations.list(after: after, pageMax: 10)
                told.formUnion(page.items)
                after = page.after
                if !page.hasMore { break }
            }
            release.resume(returning: ())
            await holder.value
            #expect(told.count == 55)
        }
    }

    /// As figures: 999 comes before 1000, and a page that ends at the latter has told the former.
    @Test func revocationsAreToldInTheOrderOfTheirTransactions() async throws {
        try await Harness.run { _, harness in
            try await harness.database.execute(keysWithdrawnLongAgo)
            var told: [String] = []
            var after: Int?
            while true {
                let page = try await harness.parts.revocations.list(after: after, pageMax: 1)
                told.append(contentsOf: page.items.compactMap(\.keyID))
                after = page.after
                if !page.hasMore { break }
            }
            #expect(told == ["9", "99", "100"])
        }
    }

    /// One row a person, however often they change.
    @Test func changedPeopleAreToldWithTheirVersion() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let before = try await harness.parts.revocations.list(after: nil)
            #expect(!before.people.contains { $0.userID == person.id })
            for zone in ["Asia/Tokyo", "America/Ciudad_Juarez", "US/Pacific"] {
                let changed = try await harness.call(
                    .patch,
                    "/v1/users/me",
                    Array(#"{"timeZone":"\#(zone)"}"#.utf8),
                    as: person.session.accessToken
                )
                #expect(changed.status == 200, "\(changed.text)")
            }
            let told = try await harness.parts.revocations.list(after: before.after)
            let changes = told.people.filter { $0.userID == person.id }
            let profile = try await harness.parts.users.profile(person.id)
            #expect(changes.map(\.version) == [Int(profile?.version ?? 0)])
        }
    }

    @Test func aLanguageWithoutTextsIsRefused() async throws {
        try await Harness.run { _, harness in
            let list = try await harness.rig.call(.get, "/v1/languages")
            #expect(list.status == 200 && list.text.contains(#"{"tag":"it","name":"italiano"}"#))
            let token = try await harness.register().session.accessToken
            for (language, status) in [("de-AT", 200), ("zh-TW", 200), ("xx", 422), ("e", 422)] {
                let answer = try await harness.call(
                    .patch,
                    "/v1/users/me",
                    Array(#"{"language":"\#(language)"}"#.utf8),
                    as: token
                )
                #expect(answer.status == status, "\(language): \(answer.text)")
            }
        }
    }

    @Test func aMailedLinkIsUsedOnceAndRepeatedByItsKey() async throws {
        try await Harness.run { _, harness in
            let email = try await harness.register().email
            let message = try #require(try await harness.messages(to: email).first)
            #expect(Set(message.1.keys) == ["link"])
            let link = try #require(message.1["link"])
            let token = try #require(link.split(separator: "=").last)
            func follow(_ token: Substring, key: String) async throws -> ServiceRig.Answer {
                try await harness.rig.call(
                    .post,
                    "/v1/email-verifications/\(token)",
                    headers: [("idempotency-key", key)]
                )
            }
            let first = try await follow(token, key: "a")
            #expect(first.status == 204)
            let lost = try await follow(token, key: "a")
            #expect(lost.status == 204 && lost.headers["idempotency-replayed"] == "true")
            let other = try await follow(token, key: "b")
            #expect(other.status == 409 && other.code == "link-expired")
            for bad in ["x", String(token.dropLast()), String(repeating: "A", count: 43)] {
                let answer = try await follow(bad[...], key: "c")
                #expect(answer.status == 404, "\(bad)")
            }
        }
    }

    @Test func noSecretIsLoggedOrTold() async throws {
        try await Harness.run { _, harness in
            let user = try await harness.register()
            _ = try await harness.logIn(user.email, "wrong-horse-battery-7")
            _ = try await harness.logIn(user.email, method: .otp)
            let code = try await harness.code(for: user.email)
            // Nobody takes the messages: that is logged.
            _ = try await harness.parts.messages.handOver()
            let outbox = Statement(
                "select coalesce(string_agg(payload::text, ' '), '') from auth.outbox"
            ) { row in try row.string(0) }
            let told = try await harness.database.queryOne(outbox) ?? ""
            #expect(told.contains(user.id.text))
            let log = harness.rig.logText()
            #expect(log.contains("message not handed over"))
            let secrets = [
                Harness.password, "wrong-horse-battery-7", "argon2", code,
                user.session.accessToken ?? "", user.session.refreshToken ?? "",
            ]
            for secret in secrets {
                #expect(!told.contains(secret), "\(secret)")
                #expect(!log.contains(secret), "\(secret)")
            }
            #expect(!log.contains(user.email))
        }
    }
}

/// Notifications as auth knows it: hands out a service token and takes messages.
private final class Taker: HTTPHandler {
    let taken: Taken
    init(_ taken: Taken) { self.taken = taken }
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let body = (try? await request.body(max: 1 << 20)) ?? []
        if String(decoding: request.head.path, as: UTF8.self).hasSuffix("tokens") {
            let token = ServiceToken(accessToken: "t", expiresIn: 600)
            return HTTPResponse(status: 200, body: .bytes(JSON.write(token)))
        }
        guard let message = try? JSON.read(NewMessage.self, from: body) else {
            return HTTPResponse(status: 422)
        }
        taken.ids.append(message.id)
        let receipt = MessageReceipt(id: message.id, isNew: true)
        return HTTPResponse(status: 202, body: .bytes(JSON.write(receipt)))
    }
    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        HTTPResponse(status: error.status)
    }
}

/// What has been taken; read once the loop stands still.
private final class Taken: @unchecked Sendable { var ids: [ID<OutgoingMessage>] = [] }

@Suite struct MessageJobsTests {
    @Test func oneThatCannotBeHandedOverHoldsUpNoOther() async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        let taken = Taken()
        let server = HTTPServer(loops: group)
        let port = try await group.loops[0].actor.run { actor in
            server.attach(Taker(taken), on: actor)
            return try server.listen(host: "127.0.0.1", port: 0, on: actor)
        }
        try await Harness.run(gatewayPort: port) { _, harness in
            let bad = Statement<Void>(
                """
                insert into auth.message_job (id, sealed, expires_at, next_attempt_at)
                values ($1, $2, now() + interval '1 hour', now() - interval '1 hour')
                """
            )
            try await harness.database.execute(
                bad,
                ID<OutgoingMessage>.new(),
                [UInt8](repeating: 7, count: 64)
            )
            for _ in 0..<3 { _ = try await harness.register() }
            let looked = try await harness.parts.messages.handOver()
            #expect(looked == 4)
            #expect(taken.ids.count == 3)
            let left = Statement("select count(*) from auth.message_job") { row in
                try row.int64(0)
            }
            let count = try await harness.database.queryOne(left)
            #expect(count == 1)
        }
    }
}

@Suite struct RegistrationRulesTests {
    @Test func tagsOfLanguagesAndRegionsHaveTheirShape() {
        for good in ["en", "it-CH", "zh-Hant-TW", "de-1996", "sl-rozaj-biske"] {
            let isOne = FieldChecks.isLanguage(good)
            #expect(isOne, "\(good)")
        }
        for bad in ["e", "en-", "-en", "en_GB", "english-language-", "en--GB", "日本", "1a", "e n"] {
            let isOne = FieldChecks.isLanguage(bad)
            #expect(!isOne, "\(bad)")
        }
        for good in ["CH", "CH-ZH", "GB-ENG", "FR-75"] {
            let isOne = FieldChecks.isArea(good)
            #expect(isOne, "\(good)")
        }
        for bad in ["ch", "C", "CHE", "CH-", "CH-zh", "CH-ZH-1", "CH-ABCD", "--"] {
            let isOne = FieldChecks.isArea(bad)
            #expect(!isOne, "\(bad)")
        }
    }
}

private let drawTransactionID = Statement("select pg_current_xact_id()::text") { row in
    try row.string(0)
}
private let keysWithdrawnLongAgo = Statement<Void>(
    """
    insert into auth.revocation (kind, subject, xid, expires_at)
    select 'key', xid, xid::xid8, now() + interval '1 hour'
    from unnest(array['100', '9', '99']) as xid
    """
)
