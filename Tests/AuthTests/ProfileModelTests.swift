import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Random patches of one's profile against a model of a few lines.
///
/// Source: RFC 7396 (JSON merge patch), RFC 9110, 13.1.1 (`If-Match`).
@Suite struct ProfileModelTests {
    /// What a member of a patch does.
    fileprivate enum Effect {
        case sets(String)
        case clears
        /// 422 by its shape alone, before anything is looked at.
        case misshapen
        /// 422 by what it says.
        case wrong
    }

    private struct Member {
        let name: String
        let json: String
        let effect: Effect
    }

    /// A profile as texts by name, in the order of the fields; absent: cleared.
    private struct Model {
        var fields: [String: String] = [:]
        /// What was mailed, oldest first.
        var notices: [String] = []

        mutating func apply(_ members: [Member]) {
            let old = fields
            for member in members {
                switch member.effect {
                case .sets(let text): fields[member.name] = text
                case .clears: fields[member.name] = nil
                case .misshapen, .wrong: break
                }
            }
            if old["username"] != fields["username"] { notices.append("username") }
            if old["firstName"] != fields["firstName"] || old["lastName"] != fields["lastName"] {
                notices.append("names")
            }
        }
    }

    @Test func everyPatchDoesWhatTheModelDoes() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { actor, harness in
            var random = SeededGenerator(seed: seed)
            let bound = LoopBound(harness, to: actor)
            for round in 0..<12 {
                let person = try await harness.register(username: "Ada \(round)")
                try await harness.prove(person.id)
                let token = try #require(person.session.accessToken)
                var (view, tag) = try await harness.me(token)
                var model = Model(fields: Self.fields(of: view))
                for step in 0..<40 {
                    let place = "seed \(seed), round \(round), step \(step)"
                    if Int.random(in: 0..<25, using: &random) == 0 {
                        try await expectOneOfMany(bound, on: actor, token, tag, &model, place)
                        (view, tag) = try await harness.me(token)
                        #expect(Self.fields(of: view) == model.fields, "\(place)")
                        continue
                    }
                    let members = Self.members(&random)
                    let body = Self.body(members, &random)
                    let match = Self.matches.randomElement(using: &random) ?? .none
                    let answer = try await Self.send(harness, body, match.header(tag), token)
                    let told: Comment = "\(place): \(body) \(match): \(answer.text)"
                    let misshapen = members.filter { $0.effect.isMisshapen }.map { "/" + $0.name }
                    let wrong = members.filter { $0.effect.isWrong }.map { "/" + $0.name }
                    if !misshapen.isEmpty || !wrong.isEmpty {
                        #expect(answer.status == 422, told)
                        let problem = try? JSON.read(Problem.self, from: answer.body)
                        let expected = misshapen.isEmpty ? wrong : misshapen
                        #expect(problem?.errors.map(\.pointer).sorted() == expected.sorted(), told)
                    } else if match.isStale {
                        #expect(answer.status == 412, told)
                    } else {
                        #expect(answer.status == 200, told)
                        let before = model.fields
                        model.apply(members)
                        let isSame = before == model.fields
                        #expect((answer.headers["etag"] == tag) == isSame, told)
                        if let shown = try? JSON.read(UserView.self, from: answer.body) {
                            #expect(Self.fields(of: shown) == model.fields, told)
                        }
                    }
                    let oldTag = tag
                    (view, tag) = try await harness.me(token)
                    #expect(Self.fields(of: view) == model.fields, told)
                    if answer.status == 200 {
                        #expect(answer.headers["etag"] == tag, told)
                    } else {
                        #expect(oldTag == tag, told)
                    }
                }
                // The names are free for the next one.
                let end = "Gone \(round)"
                let ended = try await Self.send(harness, #"{"username":"\#(end)"}"#, nil, token)
                #expect(ended.status == 200, "seed \(seed), round \(round)")
                model.apply([Member(name: "username", json: "", effect: .sets(end))])
                let notices = try await harness.notices(to: person.email)
                // So many an hour are mailed: of names, which is all there is here.
                let mailed = Array(model.notices.prefix(Int(SecurityNotices.most)))
                #expect(notices == mailed, "seed \(seed), round \(round)")
            }
        }
    }

    /// Of those who saw the same version and change it at once, one is first.
    private func expectOneOfMany(
        _ bound: LoopBound<Harness>,
        on actor: isolated LoopActor,
        _ token: String,
        _ tag: String,
        _ model: inout Model,
        _ place: String
    ) async throws {
        let current = model.fields["lastName"]
        let names: [String] = (0..<6).map { "Last\($0)" }.filter { $0 != current }
        let bodies = names.map { "{\"lastName\":\"\($0)\"}" }
        let answers = try await atOnce(names.count, on: actor) { actor, index in
            let answer = try await Self.send(bound.on(actor), bodies[index], tag, token)
            return (name: names[index], status: answer.status)
        }
        let winners = answers.filter { $0.status == 200 }.map(\.name)
        #expect(winners.count == 1, "\(place): \(answers)")
        #expect(answers.allSatisfy { $0.status == 200 || $0.status == 412 }, "\(place)")
        guard let name = winners.first else { return }
        model.apply([Member(name: "lastName", json: "", effect: .sets(name))])
    }

    private static func send(
        _ harness: Harness,
        _ body: String,
        _ ifMatch: String?,
        _ token: String?
    ) async throws -> ServiceRig.Answer {
        var headers: [(StaticString, String)] = []
        if let ifMatch { headers.append(("if-match", ifMatch)) }
        return try await harness.rig.call(
            .patch,
            "/v1/users/me",
            headers: headers,
            body: Array(body.utf8),
            token: token
        )
    }

    @Test func aBodyOfAnotherShapeIsRefusedAndChangesNothing() async throws {
        try await Harness.run { _, harness in
            let token = try await harness.register().session.accessToken
            let tag = try await harness.me(token).tag
            for (body, status) in [
                ("[]", 422), ("null", 422), (#""theme""#, 422), ("5", 422),
                (#"[{"theme":"dark"}]"#, 422), (#"{"theme":"dark","theme":"light"}"#, 400),
                (#"{"theme":"dark""#, 400), (#"{"theme":"dark"} {}"#, 400), ("", 400),
                (#"{"theme":"dark",}"#, 400), (#"{theme:"dark"}"#, 400),
                (#"{"firstName":"\#u{0000}"}"#, 400), (#"{"firstName":"a\u0000b"}"#, 422),
                (#"{"__proto__":{"theme":"dark"}}"#, 422), (#"{"id":"x","theme":"dark"}"#, 422),
                (#"{"roles":["admin"]}"#, 422), (#"{"enabled":true,"theme":"dark"}"#, 422),
                (#"{"emailVerified":true}"#, 422), (#"{"pendingEmail":null}"#, 422),
            ] {
                let answer = try await Self.send(harness, body, nil, token)
                #expect(answer.status == status, "\(body): \(answer.text)")
                let after = try await harness.me(token)
                #expect(after.tag == tag && after.view.theme == .system, "\(body)")
            }
        }
    }

    // MARK: What is drawn

    private enum Match: CaseIterable {
        case none, anything, current, weak, stale, nonsense

        var isStale: Bool { self == .weak || self == .stale || self == .nonsense }

        func header(_ tag: String) -> String? {
            switch self {
            case .none: nil
            case .anything: "*"
            case .current: tag
            // RFC 9110, 13.1.1: compared strongly.
            case .weak: "W/" + tag
            case .stale: "\"0\""
            case .nonsense: "\"x\""
            }
        }
    }

    /// The first three more often.
    private static let matches: [Match] = Match.allCases + [.none, .none, .current, .current]

    private static func members(_ random: inout SeededGenerator) -> [Member] {
        // One in three patches holds something wrong.
        let allowsWrong = Int.random(in: 0..<3, using: &random) == 0
        let count = Int.random(in: 0...4, using: &random)
        return pool.keys.sorted().shuffled(using: &random).prefix(count).compactMap { name in
            let choices = (pool[name] ?? []).filter { allowsWrong || !$0.effect.isRefused }
            return choices.randomElement(using: &random)
        }
    }

    private static func body(_ members: [Member], _ random: inout SeededGenerator) -> String {
        let space = ["", " ", "\n\t"].randomElement(using: &random) ?? ""
        return "{"
            + members.map { "\(space)\"\($0.name)\":\(space)\($0.json)" }
            .joined(separator: ",") + "}"
    }

    private static func fields(of view: UserView) -> [String: String] {
        var fields: [String: String] = [
            "username": view.username, "theme": view.theme.rawValue, "language": view.language,
            "currency": view.currency.code, "timeZone": view.timeZone,
            "monthStart": "\(view.monthStart)",
        ]
        fields["firstName"] = view.firstName
        fields["lastName"] = view.lastName
        fields["dateOfBirth"] = view.dateOfBirth?.description
        fields["area"] = view.area
        fields["dateFormat"] = view.dateFormat?.rawValue
        fields["phone"] = view.phone
        return fields
    }

    /// Every value that is tried, by the field's name.
    private static let pool: [String: [Member]] = {
        func member(_ name: String, texts: [String], clears: Bool) -> [Member] {
            texts.map { Member(name: name, json: "\"\($0)\"", effect: .sets($0)) }
                + [Member(name: name, json: "null", effect: clears ? .clears : .misshapen)]
        }
        func refused(_ name: String, _ effect: Effect, _ jsons: [String]) -> [Member] {
            jsons.map { Member(name: name, json: $0, effect: effect) }
        }
        let long = "\"" + String(repeating: "x", count: 300) + "\""
        let shapes = ["5", "true", "[]", "{}", "1.5", long]
        var pool: [String: [Member]] = [:]
        for (name, texts, clears, wrong) in [
            (
                "username", ["Grace Hopper", "Émilie", "Ада", "a.b_c-9"], false,
                ["раypal", "ab", ""]
            ),
            ("firstName", ["Zoë", "Zoe\u{308}", "李", "O'Neill"], true, ["a\u{2060}b"]),
            ("lastName", ["Li", "de la Cruz", "آزاده"], true, ["a\u{200B}x"]),
            ("area", ["CH", "CH-ZH", "IT-BZ"], true, ["ZZ", "CH-", "CH-ZURICH", ""]),
            ("language", ["de-CH", "it", "en-GB"], false, ["d", "en_GB", "en--GB", ""]),
            ("timeZone", ["Europe/Zurich", "Asia/Tokyo", "UTC"], false, ["Mars/Olympus", ""]),
            ("dateOfBirth", ["1990-02-28", "2015-12-31"], true, ["2999-01-01", "1879-12-31"]),
        ] as [(String, [String], Bool, [String])] {
            pool[name] =
                member(name, texts: texts, clears: clears) + refused(name, .misshapen, shapes)
                + refused(name, .wrong, wrong.map { "\"\($0)\"" })
        }
        pool["dateOfBirth"]? += refused("dateOfBirth", .misshapen, ["\"1990-02-30\"", "\"\""])
        for (name, texts, clears) in [
            ("theme", ["light", "dark", "system"], false),
            ("currency", ["EUR", "CHF", "JPY", "KWD"], false),
            ("dateFormat", DateFormat.allCases.map(\.rawValue), true),
        ] as [(String, [String], Bool)] {
            pool[name] =
                member(name, texts: texts, clears: clears)
                + refused(name, .misshapen, shapes + ["\"pink\"", "\"\""])
        }
        pool["monthStart"] =
            (1...28).map { Member(name: "monthStart", json: "\($0)", effect: .sets("\($0)")) }
            + refused("monthStart", .misshapen, ["0", "29", "-1", "1.5", "\"3\"", "null", "1e99"])
        pool["nickname"] = refused("nickname", .misshapen, ["\"x\"", "null"])
        // Nobody here has a phone to lose, nor a proof of one.
        pool["phone"] =
            [Member(name: "phone", json: "null", effect: .clears)]
            + refused("phone", .misshapen, shapes) + refused("phone", .wrong, ["\"12\""])
        pool["email"] =
            refused("email", .misshapen, ["null", "5"]) + refused("email", .wrong, ["\"no\""])
        return pool
    }()
}

extension ProfileModelTests.Effect {
    fileprivate var isMisshapen: Bool { if case .misshapen = self { true } else { false } }
    fileprivate var isWrong: Bool { if case .wrong = self { true } else { false } }
    fileprivate var isRefused: Bool { isMisshapen || isWrong }
}
