import HTTP
import Loops
import Names
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

private let password = "correct-horse-battery-7"

@Suite struct RegistrationTests {
    private func problem(_ answer: ServiceRig.Answer) throws -> Problem {
        try JSON.read(Problem.self, from: answer.body)
    }

    @Test func everyWrongFieldIsNamedAtOnce() async throws {
        try await Harness.run { _, harness in
            let body = NewUser(
                email: "anna@xn--a.example",
                password: "abcdefghij",
                confirmPassword: "other",
                username: "x",
                firstName: "a\u{200B}b",
                dateOfBirth: Day("2999-01-01"),
                area: "XX",
                language: "?",
                timeZone: "Nowhere",
                phone: "+390612345678"
            )
            let told = try self.problem(try await harness.post("/v1/users", body))
            #expect(told.status == 422)
            #expect(
                Set(told.errors.map(\.pointer)) == [
                    "/email", "/password", "/confirmPassword", "/username", "/firstName",
                    "/dateOfBirth", "/area", "/language", "/timeZone", "/phoneToken",
                ]
            )
            let weak = told.errors.first { $0.pointer == "/password" }
            #expect(weak?.code == .weakPassword && weak?.detail == "is-sequence")
        }
    }

    @Test(arguments: [nil, 5, "no address"] as [JSONTree?])
    func anAddressThatIsNoneHidesNoOtherFault(address: JSONTree?) async throws {
        try await Harness.run { _, harness in
            var body: JSONTree = ["password": "password", "area": "XX"]
            if let address { body = body.setting("email", address) }
            let told = try self.problem(try await harness.post("/v1/users", body))
            #expect(told.status == 422)
            #expect(told.errors.map(\.pointer).sorted() == ["/area", "/email", "/password"])
        }
    }

    @Test(arguments: [
        ("passw0rd", "is-common"), ("abcdefghij", "is-sequence"),
        ("aaaaaaaaaaaaaaaa", "too-few-different-characters"), ("GraceHopper!42", "contains-name"),
    ])
    func aWeakPasswordIsToldWhy(password: String, reason: String) async throws {
        try await Harness.run { _, harness in
            let body = NewUser(
                email: "p@example.org",
                password: password,
                firstName: "Grace",
                lastName: "Hopper"
            )
            let told = try self.problem(try await harness.post("/v1/users", body))
            #expect(told.errors.map(\.code) == [.weakPassword])
            #expect(told.errors.first?.detail == reason)
        }
    }

    @Test func aLongPasswordOfAnyLettersIsTaken() async throws {
        try await Harness.run { _, harness in
            let long = String(repeating: "пароль-Лошадь-蓄電池-", count: 11)
            let body = NewUser(
                email: "p@example.org",
                password: long,
                dateOfBirth: Day("2020-05-05")
            )
            let made = try await harness.post("/v1/users", body)
            #expect(made.status == 201, "\(made.text)")
            let in1 = try await harness.logIn("p@example.org", long)
            #expect(in1.status == 201)
        }
    }

    @Test func allThatIsTakenIsToldAtOnceAndLooksCount() async throws {
        try await Harness.run { _, harness in
            _ = try await harness.register(email: "Mail@Bücher.example", username: "paypal")
            let both = try self.problem(
                try await harness.post(
                    "/v1/users",
                    NewUser(
                        email: "mail@XN--BCHER-KVA.example",
                        password: password,
                        username: "PAYPAL"
                    )
                )
            )
            #expect(both.code == "email-taken" && both.status == 409)
            #expect(both.errors.map(\.pointer) == ["/email", "/username"])
            for name in ["paypa1", "PayPaI", "ｐａｙｐａｌ", "páypal"] {
                let answer = try await harness.post(
                    "/v1/users",
                    NewUser(email: "q@example.org", password: password, username: name)
                )
                let isOther = name == "páypal"
                #expect(isOther ? answer.status == 201 : answer.code == "username-taken", "\(name)")
            }
            let here = try await harness.logIn("mail@bücher.EXAMPLE")
            #expect(here.status == 201, "either spelling is the same address")
        }
    }

    @Test func namesAlikeInSmallLettersAreOne() async throws {
        try await Harness.run { _, harness in
            for (first, second) in [("LIMA-9", "lıma-9"), ("Ĳssel", "ijssel"), ("finn-9", "ﬁnn-9")]
            {
                _ = try await harness.register(username: first)
                let body = NewUser(
                    email: "q\(ID<User>.new().text.suffix(8))@example.org",
                    password: Harness.password,
                    username: second
                )
                let answer = try await harness.post("/v1/users", body)
                #expect(answer.code == "username-taken", "\(second): \(answer.text)")
            }
            // Names from before have no skeletons; the second of two that are alike keeps its name.
            let people = [
                try await harness.register(username: "Old-1"),
                try await harness.register(username: "Old-2"),
            ]
            let forget = Statement<Void>(
                """
                update auth.user_account
                set username = 'Same', username_skeleton = null, username_folded_skeleton = null
                where id = any($1)
                """
            )
            try await harness.database.execute(forget, people.map(\.id))
            try await harness.parts.profiles.addSkeletons()
            let kept = Statement(
                """
                select username_folded_skeleton from auth.user_account
                where id = any($1) order by username_folded_skeleton
                """
            ) { row in try row.string(0) }
            let skeletons = try await harness.database.query(kept, people.map(\.id))
            #expect(skeletons.count == 2 && skeletons.contains { !$0.hasPrefix("=") })
            #expect(skeletons.contains { $0.hasPrefix("=") })
        }
    }

    @Test(arguments: [
        "раypal", "pay\u{200B}pal", "pay\u{202E}lap", "a\u{0300}\u{0300}bc", "١2three", "...",
        " ab ",
        "a@b.co", "ab", "line\nfeed", "nul\u{7}", String(repeating: "a", count: 33),
    ])
    func aNameThatDeceivesIsNone(name: String) {
        let isOne = Username(name) != nil
        #expect(!isOne)
    }

    @Test(arguments: ["grace", "Grace Hopper", "günther_1", "анна", "山田太郎", "さくら2", "a.b-c"])
    func aNameOfOneScriptIsOne(name: String) {
        let isOne = Username(name) != nil
        #expect(isOne)
    }

    @Test func aNameMadeFromAnAddressIsAlwaysOne() {
        for local in ["a", "раypal", "1١", "...x", "ünï", "x_y", "`{|}", "山a", "'"] {
            guard let email = EmailAddress(canonical: local + "@example.org") else { continue }
            for suffix in [nil, UInt32(1_234_567)] {
                let name = Username.made(from: email, suffix: suffix)
                let isOne = Username(name) != nil
                #expect(isOne, "\(local) → \(name)")
            }
        }
    }

    @Test func registeringAtOnceGivesANameToOne() async throws {
        try await Harness.run { actor, harness in
            let bound = LoopBound(harness, to: actor)
            let looks = ["scope", "sc0pe", "SCOPE", "scoPE", "SC0PE", "Scope", "sCope", "scOpe"]
            let codes = try await atOnce(8, on: actor) { actor, index in
                let body = NewUser(
                    email: "n\(index)@example.org",
                    password: password,
                    username: looks[index]
                )
                return try await bound.on(actor).post("/v1/users", body).status
            }
            #expect(codes.filter { $0 == 201 }.count == 1)
            #expect(codes.filter { $0 == 409 }.count == 7)
        }
    }

    @Test func aDomainThatTakesNoMailIsRefusedAndASilentOnePasses() async throws {
        let server = try NameServer()
        defer { server.stop() }
        server.setMail("good.test", ["mx.good.test"])
        server.setMail("null.test", ["."])
        var resolver = ResolverConfiguration()
        resolver.serversFile = try NameServer.serversFile([server.address])
        resolver.serverPort = server.port
        let configuration = resolver
        try await Harness.run { _, harness in
            let names = NameResolver(on: harness.rig.service.loop, configuration: configuration)
            defer { names.close() }
            let check = MailDomainCheck(
                names: names,
                validator: nil,
                logger: harness.rig.service.logger
            )
            func reason(_ text: String) async throws -> String? {
                var checks = FieldChecks()
                await check.check(try #require(EmailAddress(canonical: text)), &checks)
                return checks.errors.first?.detail
            }
            var said: [String?] = []
            for domain in ["good", "null", "none"] {
                said.append(try await reason("a@\(domain).test"))
            }
            #expect(said == [nil, "domain-takes-no-mail", "domain-not-found"])
            server.set(.fails)
            let failing = try await reason("a@none.test")
            server.set(.isSilent)
            let started = monotonicNanoseconds()
            let (first, second) = try await (reason("a@none.test"), reason("a@none.test"))
            #expect(failing == nil && first == nil && second == nil)
            #expect(monotonicNanoseconds() - started < 5_000_000_000, "a second each at most")
        }
    }

    @Test func anOutsideValidatorIsAskedAndMayBeAway() async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        let server = HTTPServer(loops: LoopGroup(sharing: [group.loops[0]]))
        let port = try await group.loops[0].actor.run { actor in
            server.attach(Validator(), on: actor)
            return try server.listen(host: "127.0.0.1", port: 0, on: actor)
        }
        let settings = [
            "EZWALLET_EMAIL_VALIDATOR_URL": "http://127.0.0.1:\(port)/validations",
            "EZWALLET_EMAIL_VALIDATOR_TOKEN": "token-of-the-validator",
        ]
        try await Harness.run(settings) { _, harness in
            var statuses: [Int] = []
            for local in ["good", "bad", "broken"] {
                let body = NewUser(email: local + "@example.org", password: password)
                let answer = try await harness.post("/v1/users", body)
                statuses.append(answer.status)
            }
            #expect(statuses == [201, 422, 201])
        }
    }
}

/// Refuses «bad», and is broken for «broken».
private final class Validator: HTTPHandler {
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let body = String(decoding: (try? await request.body(max: 4_096)) ?? [], as: UTF8.self)
        guard request.head.text(.authorization) == "Bearer token-of-the-validator",
            body.hasPrefix("{\"email\":\""), !body.contains("broken")
        else { return HTTPResponse(status: 500) }
        let answer = body.contains("bad") ? #"{"valid":false,"reason":"x"}"# : #"{"valid":true}"#
        return HTTPResponse(status: 200, body: .bytes(Array(answer.utf8)))
    }
    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        HTTPResponse(status: error.status)
    }
}
