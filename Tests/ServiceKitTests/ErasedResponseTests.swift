import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import ServiceKit

/// What an erasure leaves of responses that others were given, against a real server.
@Suite struct ErasedResponseTests {
    /// A view that shows a person by identifier, and says something of them.
    private struct Card: JSONObject {
        let holder: ID<User>?
        let text: String
        static let json = Object(
            Card.init,
            Field("userId", \.holder),
            Field("text", \.text)
        )
    }

    private struct Rig {
        let database: Database
        let effects: KeyedEffects

        /// Stores a response, or replays it.
        func make(
            _ card: Card,
            under key: String,
            by caller: ID<User>,
            naming users: [ID<User>] = [],
            email: String? = nil
        ) async throws -> Response<Card> {
            try await effects.answer(scope(key, caller)) { _ in
                .created(card, at: "/v1/cards/\(key)").tagged("7").naming(users, email: email)
            }
        }

        /// The same, written together with others'.
        func makeTogether(_ cards: [Card], by caller: ID<User>) async throws {
            let scopes = cards.indices.map { scope("together \($0)", caller) }
            _ = try await effects.answer(together: scopes, lockMilliseconds: 1_000) { new, _ in
                new.map { .success(.created(cards[$0], at: "/v1/cards/\($0)").tagged("7")) }
            }
        }

        func erase(_ user: ID<User>, reachedAt addresses: [String] = []) async throws {
            try await database.transaction { transaction in
                try await ErasedUsers.forgetKeys(
                    of: user,
                    reachedAt: addresses,
                    in: transaction
                )
            }
        }

        func texts() async throws -> String {
            try await database.query(wholeTable).joined(separator: "\n")
        }

        private func scope(_ key: String, _ caller: ID<User>) -> IdempotencyScope {
            IdempotencyScope(key: key, scope: "\(caller.text) POST /v1/cards", requestHash: [1])
        }
    }

    private func withRig(
        _ body: @escaping @Sendable (isolated LoopActor, Rig) async throws -> Void
    ) async throws {
        let made = try await PostgresCluster.shared().makeDatabase("erased")
        let table = EmbeddedFile(name: "0001_keys.sql", bytes: Array(keysTable.utf8))
        try await onLoop { actor in
            let database = Database(configuration: made.owner, loop: actor.loop)
            defer { database.close() }
            _ = try await Migrations(files: [table], settings: []).run(on: database)
            let effects = KeyedEffects(database: database, relayBell: RelayBell())
            try await body(actor, Rig(database: database, effects: effects))
        }
    }

    private func expectBare(_ response: Response<Card>, _ key: String) {
        #expect(response.status == 201)
        #expect(response.location == "/v1/cards/\(key)" && response.version == "7")
        guard case .none = response.content else {
            Issue.record("\(key) has a body")
            return
        }
    }

    private func expectWhole(_ response: Response<Card>, _ key: String) {
        #expect(response.status == 201 && response.location == "/v1/cards/\(key)")
        guard case .written = response.content else {
            Issue.record("\(key) has no body")
            return
        }
    }

    @Test func erasureEmptiesResponsesThatMentionThePerson() async throws {
        try await withRig { _, rig in
            let (person, other) = (ID<User>.new(), ID<User>.new())
            let card = Card(holder: person, text: "Zoe")
            let unnamed = Card(holder: nil, text: "Zoe")
            _ = try await rig.make(card, under: "id", by: other)
            _ = try await rig.make(unnamed, under: "named", by: other, naming: [person])
            _ = try await rig.make(unnamed, under: "email", by: other, email: "Zoe@x.org")
            try await rig.makeTogether([card], by: other)
            try await rig.erase(person, reachedAt: ["zoe@X.org"])
            let left = try await rig.texts()
            #expect(!left.contains("Zoe") && !left.contains("zoe@"), "\(left)")
            #expect(!left.contains(person.text), "\(left)")
            let later = Card(holder: nil, text: "later")
            for key in ["id", "named", "email"] {
                expectBare(try await rig.make(later, under: key, by: other), key)
            }
        }
    }

    /// Names that are words of the protocol, or of somebody's text, mention nobody.
    @Test func namesThatAreOrdinaryWordsChangeNothing() async throws {
        try await withRig { _, rig in
            let (person, other) = (ID<User>.new(), ID<User>.new())
            let words = ["currency", "id", "userId", "EUR", "pizza", "Anna"]
            for word in words {
                let card = Card(holder: other, text: word)
                _ = try await rig.make(card, under: word, by: other)
            }
            try await rig.erase(person, reachedAt: words)
            for word in words {
                let card = Card(holder: nil, text: "later")
                expectWhole(try await rig.make(card, under: word, by: other), word)
            }
        }
    }

    @Test func erasureDeletesThePersonsOwnKeys() async throws {
        try await withRig { _, rig in
            let person = ID<User>.new()
            let card = Card(holder: person, text: "own")
            expectFirst(try await rig.make(card, under: "own", by: person))
            // Nothing but the key says whose it is.
            #expect(try await rig.database.query(mentions) == [])
            try await rig.erase(person)
            #expect(try await rig.texts() == "")
        }
    }

    private func expectFirst(_ response: Response<Card>) {
        guard case .view = response.content else {
            Issue.record("it was answered before")
            return
        }
    }

    /// Of 300,000 responses an erasure reads those that it changes, by indexes.
    @Test func erasureReadsWhatMentionsThePersonOnly() async throws {
        try await withRig { _, rig in
            let (person, other) = (ID<User>.new(), ID<User>.new())
            try await rig.database.lease { try await $0.executeScript(others) }
            let card = Card(holder: person, text: "Zoe")
            for number in 0..<20 {
                _ = try await rig.make(card, under: "\(number)", by: other)
            }
            let plans = try await rig.database.lease { lease in
                try await lease.executeScript(explain)
                var plans: [String] = []
                for (sql, people) in [
                    (ErasedUserStatements.emptyAnswers.sql, "{\(person.text)}"),
                    (ErasedUserStatements.deleteKeys.sql, other.text),
                ] {
                    plans.append(
                        try await lease.query(explained, sql, people).joined(separator: "\n")
                    )
                }
                return plans
            }
            #expect(plans[0].contains("idempotency_key_people_idx"), "\(plans[0])")
            #expect(plans[0].contains("actual rows=20"), "\(plans[0])")
            #expect(plans[1].contains("idempotency_key_pkey"), "\(plans[1])")
            for plan in plans { #expect(!plan.contains("Seq Scan"), "\(plan)") }
        }
    }
}

private let keysTable = """
    create table idempotency_key (
        scope text not null, key text not null, request_hash bytea not null,
        answer text not null, created_at timestamptz not null default now(),
        people text[], primary key (scope, key));
    create index idempotency_key_people_idx on idempotency_key using gin (people)
        with (fastupdate = off) where people is not null;
    """

private let wholeTable = Statement("select k::text from idempotency_key as k order by key") {
    row in try row.string(0)
}

private let mentions = Statement(
    "select key from idempotency_key where people is not null"
) { row in try row.string(0) }

/// As others' keys are: one in a thousand mentions somebody.
private let others: SQLScript = """
    insert into idempotency_key (scope, key, request_hash, answer, people)
    select gen_random_uuid() || ' POST /v1/groups/x/expenses', n::text, '\\x00',
        '{"status":201,"body":"{\\"name\\":\\"Zoe\\"}"}',
        case when n % 1000 = 0 then array[gen_random_uuid()::text] end
    from generate_series(1, 300000) as n;
    """

/// What a statement does to rows, with everything taken back.
private let explain: SQLScript = """
    create function pg_temp.explained(wanted text, people text) returns setof text
    language plpgsql as $$
    begin
        execute 'prepare asked as ' || wanted;
        begin
            return query execute format(
                'explain (analyze, costs off, timing off) execute asked (%L)', people);
            raise exception 'taken back';
        exception when raise_exception then null;
        end;
        deallocate asked;
    end
    $$;
    """

private let explained = Statement("select pg_temp.explained($1, $2) limit 100") { row in
    try row.string(0)
}
