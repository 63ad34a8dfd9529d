import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import ServiceKit

/// What a key promises, against a real server.
@Suite struct KeyedEffectsTests {
    private typealias Note = Echo.Note
    private static let scope = IdempotencyScope(key: "k", scope: "s", requestHash: [1])
    private static let insert = Statement<Void>("insert into effect (n) values (1)")
    private static let count = Statement("select count(*) from effect") { row in
        try row.int64(0)
    }

    private struct Rig {
        let database: Database
        let effects: KeyedEffects

        func count() async throws -> Int64? {
            try await database.queryOne(KeyedEffectsTests.count)
        }

        /// What a call is refused with.
        func refusal(
            of call: () async throws -> Response<Echo.Note>
        ) async throws -> APIError? {
            do {
                _ = try await call()
                return nil
            } catch let error as APIError { return error }
        }

        /// One more row, answered as the first call is.
        func make(
            _ text: String,
            under scope: IdempotencyScope? = KeyedEffectsTests.scope,
            refusing refusal: APIError? = nil
        ) async throws -> Response<Echo.Note> {
            try await effects.answer(scope, refusing: ["one_row": .categoryNameTaken]) {
                transaction in
                try await transaction.execute(KeyedEffectsTests.insert)
                if let refusal { throw refusal }
                return .created(Echo.Note(text: text), at: "/v1/notes/\(text)").tagged("7")
            }
        }
    }

    private func withRig(
        isOneRowEnough: Bool = false,
        _ body: @escaping @Sendable (isolated LoopActor, Rig) async throws -> Void
    ) async throws {
        let made = try await PostgresCluster.shared().makeDatabase("kit")
        let files = [
            EmbeddedFile(
                name: "0001_keys.sql",
                bytes: Array(
                    """
                    create table idempotency_key (
                        scope text not null, key text not null, request_hash bytea not null,
                        answer text not null, created_at timestamptz not null default now(),
                        people text[], primary key (scope, key));
                    create index idempotency_key_people_idx on idempotency_key using gin (people)
                        with (fastupdate = off) where people is not null;
                    create table effect (n bigint not null);
                    \(isOneRowEnough ? "alter table effect add constraint one_row unique (n);" : "")
                    """.utf8
                )
            )
        ]
        try await onLoop { actor in
            var configuration = made.owner
            configuration.leasedConnectionsMax = 8
            let database = Database(configuration: configuration, loop: actor.loop)
            defer { database.close() }
            _ = try await Migrations(files: files, settings: []).run(on: database)
            let effects = KeyedEffects(database: database, relayBell: RelayBell())
            try await body(actor, Rig(database: database, effects: effects))
        }
    }

    /// What goes over the wire.
    private static func told(_ response: Response<Echo.Note>) -> (body: String, isRepeated: Bool) {
        let fields = String(decoding: response.headers.bytes, as: UTF8.self)
        let isRepeated = fields.contains("dempotency-") && fields.contains("true")
        switch response.content {
        case .view(let view): return ("\(response.status) \(JSON.text(view))", isRepeated)
        case .written(let bytes):
            return ("\(response.status) \(String(decoding: bytes, as: UTF8.self))", isRepeated)
        case .none, .bytes, .stream: return ("\(response.status)", isRepeated)
        }
    }

    @Test func oneKeyHasOneEffectHoweverManyAskAtOnce() async throws {
        try await withRig { actor, rig in
            let bound = LoopBound(rig, to: actor)
            var tasks: [Task<Void, Never>] = []
            for number in 0..<20 {
                tasks.append(
                    actor.spawn { actor in
                        do { _ = try await bound.on(actor).make("n\(number)") } catch {
                            Issue.record("\(error)")
                        }
                    }
                )
            }
            for task in tasks { await task.value }
            #expect(try await rig.count() == 1)
            var other = Self.scope
            other = IdempotencyScope(key: other.key, scope: other.scope, requestHash: [2])
            let told = try await rig.refusal { try await rig.make("other", under: other) }
            #expect(told == APIError(.idempotencyKeyReused))
        }
    }

    @Test func severalInOneTransactionAreEachAnsweredUnderTheirOwnKey() async throws {
        try await withRig { _, rig in
            func scope(_ key: String, _ hash: UInt8 = 1) -> IdempotencyScope {
                IdempotencyScope(key: key, scope: "s", requestHash: [hash])
            }
            _ = try await rig.make("old", under: scope("old"))
            let refusal = APIError(.notFound)
            let scopes = [scope("a"), scope("old"), nil, scope("b"), scope("old", 2), scope("c")]
            let answers = try await rig.effects.answer(
                together: scopes,
                lockMilliseconds: 1_000
            ) { new, transaction in
                #expect(new == [0, 2, 3, 5])
                var answers: [Result<Response<Echo.Note>, any Error>] = []
                for place in new {
                    if place == 3 {
                        answers.append(.failure(refusal))
                        continue
                    }
                    try await transaction.execute(Self.insert)
                    answers.append(
                        .success(.created(Echo.Note(text: "n\(place)"), at: "/v1/notes/\(place)"))
                    )
                }
                return answers
            }
            let told = answers.map { answer in
                do { return Self.told(try answer.get()).body } catch let error as APIError {
                    return "\(error.code.status)"
                } catch { return "\(error)" }
            }
            let made = { (text: String) in "201 \(JSON.text(Echo.Note(text: text)))" }
            #expect(
                told == [
                    made("n0"), made("old"), made("n2"), "404",
                    "\(ErrorCode.idempotencyKeyReused.status)", made("n5"),
                ]
            )
            #expect(try await rig.count() == 4)
            // What was answered is kept; who was refused has their key again.
            let again = try await rig.make("again", under: scope("a"))
            #expect(Self.told(again) == (made("n0"), true))
            #expect(Self.told(try await rig.make("b", under: scope("b"))) == (made("b"), false))
            // What is thrown takes everything back.
            await #expect(throws: APIError.self) {
                _ =
                    try await rig.effects.answer(
                        together: [scope("d")],
                        lockMilliseconds: 1_000
                    ) { _, transaction in
                        try await transaction.execute(Self.insert)
                        throw refusal
                    } as [Result<Response<Echo.Note>, any Error>]
            }
            #expect(try await rig.count() == 5)
            #expect(!Self.told(try await rig.make("d", under: scope("d"))).isRepeated)
        }
    }

    /// Though who answers has not taken the key's lock, as a replica of another version may not.
    @Test func whatIsAnsweredWhileItIsClaimedIsDoneOnce() async throws {
        try await withRig { actor, rig in
            let bound = LoopBound(rig, to: actor)
            let kept = try StoredResponse(
                Response.created(Echo.Note(text: "first"), at: "/"),
                under: Self.scope
            ).text
            let answer = Statement<Void>(
                """
                insert into idempotency_key (scope, key, request_hash, answer)
                values ('s', 'k', '\\x01', $1)
                """
            )
            await #expect(throws: DatabaseError.self) {
                _ = try await rig.effects.answer(
                    together: [Self.scope],
                    lockMilliseconds: 1_000
                ) { new, transaction in
                    #expect(new == [0])
                    try await transaction.execute(Self.insert)
                    let other = actor.spawn { actor in
                        do { try await bound.on(actor).database.execute(answer, kept) } catch {
                            Issue.record("\(error)")
                        }
                    }
                    await other.value
                    return [.success(.created(Echo.Note(text: "second"), at: "/"))]
                }
            }
            #expect(try await rig.count() == 0)
            let told = Self.told(try await rig.make("third"))
            #expect(told == ("201 \(JSON.text(Echo.Note(text: "first")))", true))
        }
    }

    @Test func aRepetitionIsAnsweredAsTheFirstCallWas() async throws {
        try await withRig { _, rig in
            let first = try await rig.make("first")
            let again = try await rig.make("second")
            #expect(Self.told(first).body == Self.told(again).body)
            #expect(!Self.told(first).isRepeated && Self.told(again).isRepeated)
            #expect(again.location == "/v1/notes/first" && again.version == "7")
            let fields = String(decoding: again.headers.bytes, as: UTF8.self).lowercased()
            #expect(fields.contains("location: /v1/notes/first"))
            #expect(fields.contains("etag: \"7\""))
            #expect(try await rig.count() == 1)
            // Without a key each is a new one.
            _ = try await rig.make("third", under: nil)
            #expect(try await rig.count() == 2)
        }
    }

    @Test func aRefusalStaysThoughItsCauseIsGone() async throws {
        try await withRig { _, rig in
            let refusal = APIError(
                .invalidBody,
                "not now",
                errors: [FieldError(pointer: "/a", code: .conflict, detail: "is there")],
                members: [JSONMember("resendsLeft", .integer(3))]
            )
            for isCauseThere in [true, false, false] {
                let told = try await rig.refusal {
                    try await rig.make("x", refusing: isCauseThere ? refusal : nil)
                }
                #expect(told == refusal)
            }
            // Nothing of what was refused has happened.
            #expect(try await rig.count() == 0)
        }
    }

    @Test func aRuleOfTheDatabaseRefusesAsWell() async throws {
        try await withRig(isOneRowEnough: true) { _, rig in
            _ = try await rig.make("first", under: nil)
            let told = try await rig.refusal { try await rig.make("second") }
            #expect(told == APIError(.categoryNameTaken))
            try await rig.database.execute(Statement("delete from effect"))
            do {
                _ = try await rig.make("second")
                Issue.record("served after all")
            } catch let error as APIError { #expect(error.code == .categoryNameTaken) }
        }
    }

    @Test(arguments: [
        APIError(.unauthenticated), APIError(.forbidden), APIError(.requestTimeout),
        APIError(.preconditionFailed), APIError(.tooManyRequests), APIError(.unavailable),
    ])
    func whatSaysNothingOfTheThingIsNotKept(refusal: APIError) async throws {
        try await withRig { _, rig in
            let told = try await rig.refusal { try await rig.make("x", refusing: refusal) }
            #expect(told == refusal)
            #expect(try await rig.make("x").status == 201)
        }
    }

    @Test func whoeverWasServedMeanwhileHasTheLastWord() async throws {
        try await withRig { _, rig in
            let response: Response<Echo.Note> = try await rig.effects.run(Self.scope) { _ in
                _ = try await rig.make("quick")
                throw APIError(.categoryNameTaken)
            }
            #expect(Self.told(response).body.contains("quick"))
            #expect(Self.told(response).isRepeated)
        }
    }

    @Test func whatComesBeforeTheEffectIsLeftOutOfARepetition() async throws {
        try await withRig { _, rig in
            var (asked, isGone) = (0, false)
            for _ in 0..<2 {
                let response: Response<Echo.Note> = try await rig.effects.run(Self.scope) { keyed in
                    asked += 1
                    if isGone { throw APIError.notFound }
                    return try await keyed.answer { _ in .ok(Echo.Note(text: "here")) }
                }
                #expect(response.status == 200)
                isGone = true
            }
            #expect(asked == 1)
        }
    }
}
