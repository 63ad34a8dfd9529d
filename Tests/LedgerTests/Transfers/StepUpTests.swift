import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import ServiceKit

/// What goes to others within a day without a fresh proof is no more than the amount, however it is
/// cut into transfers.
@Suite(.serialized) struct StepUpTests {
    /// Somebody with two accounts of their own, and somebody else with one.
    private struct Scene {
        let ada: ID<User>
        let bob: ID<User>
        let adas: ID<Account>
        let other: ID<Account>
        let bobs: ID<Account>

        init(_ books: Books) async throws {
            ada = try await books.person()
            bob = try await books.person()
            adas = try await books.account(of: ada, holding: 1_000_000)
            other = try await books.account(of: ada, holding: 1_000_000)
            bobs = try await books.account(of: bob)
        }
    }

    private func rule(_ books: Books, on pool: BlockingPool, euros: Int = 1_000) -> StepUpRule {
        StepUpRule(euros: euros, rates: .shared, blocking: pool, database: books.service)
    }

    private func identity(_ user: ID<User>, provedSecondsAgo seconds: Int64) -> UserIdentity {
        UserIdentity(
            id: user,
            session: .new(),
            roles: [.user],
            generation: 1,
            authenticatedAt: Instant.now().adding(seconds: -seconds),
            methods: ["pwd"],
            expiresAt: Instant.now().adding(seconds: 600),
            keyID: "a key",
            token: "a token"
        )
    }

    private func scope(_ user: ID<User>, _ key: String) -> IdempotencyScope {
        IdempotencyScope(key: key, scope: "\(user) test", requestHash: [1, 2, 3])
    }

    /// What is found out about one transfer, and posted where it may be.
    private func send(
        _ cents: Int64,
        _ currency: Currency = .eur,
        by sender: ID<User>,
        from: ID<Account>,
        to: ID<Account>,
        key: String = ID<Event>.new().text,
        stale: Bool = true,
        posts: Bool = true,
        _ rule: StepUpRule,
        _ books: Books
    ) async throws -> Bool {
        do {
            try await rule.check(
                [Money(minorUnits: cents, currency)],
                as: Posting.Operation(scope(sender, key)).id,
                by: identity(sender, provedSecondsAgo: stale ? 3_600 : 1)
            )
        } catch let error as APIError {
            #expect(error.code == .stepUpRequired)
            return false
        }
        guard posts else { return true }
        let posting = sending(cents, currency, from: from, to: to, by: sender, key: key)
        while true {
            do {
                let outcomes = try await books.service.post([posting])
                #expect(outcomes.map(\.status) == [.posted])
                return true
            } catch let error as DatabaseError where error.isRetryable {
                // Held for too long, on a machine with much to do.
            }
        }
    }

    private func sending(
        _ cents: Int64,
        _ currency: Currency,
        from: ID<Account>,
        to: ID<Account>,
        by sender: ID<User>,
        key: String
    ) -> Posting {
        var posting = Posting.transfer(cents, currency, from: from, to: to, by: sender, key: key)
        posting.day = .utc(.now())
        return posting
    }

    @Test func manySmallOnesCountAsOne() async throws {
        try await LedgerRig().run { _, books in
            let scene = try await Scene(books)
            let pool = BlockingPool(threads: 1, queueMax: 8)
            defer { pool.stop() }
            let rule = rule(books, on: pool)
            for _ in 0..<4 {
                for account in [scene.adas, scene.other] {
                    let isSent = try await send(
                        12_000,
                        by: scene.ada,
                        from: account,
                        to: scene.bobs,
                        rule,
                        books
                    )
                    #expect(isSent)
                }
            }
            func next(_ cents: Int64, stale: Bool = true) async throws -> Bool {
                try await send(
                    cents,
                    by: scene.ada,
                    from: scene.adas,
                    to: scene.bobs,
                    stale: stale,
                    rule,
                    books
                )
            }
            let above = try await next(4_001)
            #expect(!above)
            let upTo = try await next(4_000)
            #expect(upTo)
            let more = try await next(1)
            #expect(!more)
            let proved = try await next(500_000, stale: false)
            #expect(proved)
            // Bob has sent nothing, though he has got much.
            let back = try await send(
                100_000,
                by: scene.bob,
                from: scene.bobs,
                to: scene.adas,
                rule,
                books
            )
            #expect(back)
        }
    }

    @Test func ownTransfersRecordsAndWhatIsOldDoNotCount() async throws {
        try await LedgerRig().run { _, books in
            let scene = try await Scene(books)
            let pool = BlockingPool(threads: 1, queueMax: 8)
            defer { pool.stop() }
            let rule = rule(books, on: pool)
            var postings: [Posting] = []
            for _ in 0..<3 {
                postings.append(
                    sending(
                        90_000,
                        .eur,
                        from: scene.adas,
                        to: scene.other,
                        by: scene.ada,
                        key: ID<Event>.new().text
                    )
                )
                var record = Posting.record(-90_000, on: scene.other, by: scene.ada)
                record.day = .utc(.now())
                postings.append(record)
            }
            let old = Instant.now().adding(seconds: -StepUpRule.seconds - 60)
            var yesterday = sending(
                90_000,
                .eur,
                from: scene.adas,
                to: scene.bobs,
                by: scene.ada,
                key: "yesterday"
            )
            yesterday.transaction = .at(old, random: 7)
            yesterday.day = .utc(old)
            postings.append(yesterday)
            let outcomes = try await books.service.post(postings)
            #expect(outcomes.allSatisfy { $0.status == .posted })
            let isSent = try await send(
                100_000,
                by: scene.ada,
                from: scene.adas,
                to: scene.bobs,
                rule,
                books
            )
            #expect(isSent)
        }
    }

    /// What is held for somebody counts at once, until it is given up.
    @Test func holdsCountAsWhatIsSent() async throws {
        try await LedgerRig().run { _, books in
            let scene = try await Scene(books)
            let pool = BlockingPool(threads: 1, queueMax: 8)
            defer { pool.stop() }
            let rule = rule(books, on: pool)
            func hold(_ cents: Int64, for payee: ID<Account>) async throws -> Posting? {
                let key = ID<Event>.new().text
                if payee == scene.bobs {
                    guard
                        try await send(
                            cents,
                            by: scene.ada,
                            from: scene.adas,
                            to: payee,
                            key: key,
                            posts: false,
                            rule,
                            books
                        )
                    else { return nil }
                }
                let transfer = sending(
                    cents,
                    .eur,
                    from: scene.adas,
                    to: payee,
                    by: scene.ada,
                    key: key
                )
                var posting = Posting(
                    .hold,
                    transfer.operation,
                    by: scene.ada,
                    on: scene.adas
                )
                (posting.counter, posting.day) = (payee, transfer.day)
                (posting.amount, posting.currency) = (cents, .eur)
                (posting.transaction, posting.counterTransaction) = (.new(), .new())
                posting.transfer = .new()
                posting.expires = Instant.now().adding(seconds: 600)
                let outcomes = try await books.service.post([posting])
                #expect(outcomes.map(\.status) == [.posted])
                return posting
            }
            func end(_ kind: Posting.Kind, _ held: Posting) async throws {
                var posting = Posting(
                    kind,
                    Posting.Operation(of: scene.ada),
                    by: scene.ada,
                    on: held.account
                )
                (posting.counter, posting.transfer) = (held.counter, held.transfer)
                posting.day = held.day
                let outcomes = try await books.service.post([posting])
                #expect(outcomes.map(\.status) == [.posted])
            }
            // One's own accounts are nobody else.
            let own = try await hold(90_000, for: scene.other)
            #expect(own != nil)
            let first = try #require(try await hold(90_000, for: scene.bobs))
            let second = try await hold(90_000, for: scene.bobs)
            #expect(second == nil)
            try await end(.capture, first)
            let afterwards = try await hold(10_100, for: scene.bobs)
            #expect(afterwards == nil)
            let small = try #require(try await hold(10_000, for: scene.bobs))
            let beside = try await hold(1, for: scene.bobs)
            #expect(beside == nil)
            try await end(.void, small)
            let last = try await hold(10_000, for: scene.bobs)
            #expect(last != nil)
        }
    }

    @Test func currenciesAreSummedInEuros() async throws {
        try await LedgerRig().run { _, books in
            let scene = try await Scene(books)
            let pool = BlockingPool(threads: 1, queueMax: 8)
            defer { pool.stop() }
            let rule = rule(books, on: pool)
            let dollars = try await books.account(of: scene.ada, .current, .usd, holding: 1_000_000)
            let bobs = try await books.account(of: scene.bob, .current, .usd)
            let rate = try RateStore.shared.history()
                .required(from: .eur, to: .usd, on: .utc(.now()))
            // What 600 EUR are, and then 600 EUR.
            let amount = try rate.credit(for: 60_000)
            let first = try await send(
                amount,
                .usd,
                by: scene.ada,
                from: dollars,
                to: bobs,
                rule,
                books
            )
            let second = try await send(
                60_000,
                by: scene.ada,
                from: scene.adas,
                to: scene.bobs,
                rule,
                books
            )
            let third = try await send(
                39_000,
                by: scene.ada,
                from: scene.adas,
                to: scene.bobs,
                rule,
                books
            )
            #expect(first && !second && third)
        }
    }

    /// A key that was let pass is not held against itself; what was refused holds up nothing.
    @Test func theSameTransferCountsOnce() async throws {
        try await LedgerRig().run { _, books in
            let scene = try await Scene(books)
            let pool = BlockingPool(threads: 1, queueMax: 8)
            defer { pool.stop() }
            let rule = rule(books, on: pool)
            func pass(_ key: String, _ cents: Int64, posts: Bool) async throws -> Bool {
                try await send(
                    cents,
                    by: scene.ada,
                    from: scene.adas,
                    to: scene.bobs,
                    key: key,
                    posts: posts,
                    rule,
                    books
                )
            }
            for _ in 0..<3 {
                let again = try await pass("one", 60_000, posts: false)
                #expect(again)
            }
            let beside = try await pass("two", 60_000, posts: false)
            #expect(!beside)
            let refused = try await books.service.post([
                sending(
                    9_000_000,
                    .eur,
                    from: scene.adas,
                    to: scene.bobs,
                    by: scene.ada,
                    key: "one"
                )
            ])
            #expect(refused.map(\.status) == [.insufficientFunds])
            let freed = try await pass("two", 60_000, posts: true)
            #expect(freed)
            let left = try await books.owner.query(announced)
            let kept = Posting.record(1, on: scene.adas, by: scene.ada, key: "two").operation?.id
            #expect(left == [kept])
        }
    }

    /// Whatever comes at once, from however many loops: no more than the amount passes.
    @Test(arguments: 1...4)
    func noneSlipsPastTheOthers(round: Int) async throws {
        try await LedgerRig().run { actor, books in
            let scene = try await Scene(books)
            let pool = BlockingPool(threads: 1, queueMax: 8)
            defer { pool.stop() }
            let (bound, tally) = (LoopBound(books, to: actor), Tally())
            await atOnce(24, on: actor) { actor, index in
                do {
                    let books = bound.on(actor)
                    let isSent = try await send(
                        11_000,
                        by: scene.ada,
                        from: index.isMultiple(of: 2) ? scene.adas : scene.other,
                        to: scene.bobs,
                        rule(books, on: pool),
                        books
                    )
                    if isSent { tally.count += 1 }
                } catch { Issue.record("\(error)") }
            }
            #expect(tally.count == 9, "round \(round)")
            let got = try await books.balance(scene.bobs)
            #expect(got == 99_000)
        }
    }

    /// A person of many transactions is looked up by four short ranges of one index.
    @Test func theSumIsReadByTheIndex() async throws {
        try await LedgerRig().run { _, books in
            let scene = try await Scene(books)
            try await books.owner.execute(fill, scene.ada, scene.adas)
            try await books.owner.lease { try await $0.executeScript(explainFunction) }
            let since = ID<MoneyTransaction>.at(
                Instant.now().adding(seconds: -StepUpRule.seconds),
                random: 0
            )
            let plan = try await books.owner.query(
                explain,
                StepUpStatements.sent.sql,
                "'\(scene.ada)', '\(since)', '\(Day.utc(.now()))', gen_random_uuid(), 20000, null"
            ).joined(separator: "\n")
            #expect(plan.contains("money_transaction_user_idx"), "\(plan)")
            #expect(plan.contains("transfer_pending_from_idx"), "\(plan)")
            #expect(plan.contains("id >= "), "\(plan)")
            #expect(!plan.contains("Seq Scan on money_transaction"), "\(plan)")
            #expect(!plan.contains("Rows Removed by Filter"), "\(plan)")
        }
    }
}

private let explain = Statement("select explain_text($1, $2)") { row in try row.string(0) }

/// Runs a statement as it is planned for good, and tells how; the small tables beside it are full
/// enough one day.
private let explainFunction: SQLScript = """
    create function public.explain_text(statement text, parameters text) returns setof text
    language plpgsql
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    as $$
    begin
        execute 'prepare explained as ' || statement;
        return query execute 'explain (analyze, costs off, timing off, summary off) '
            'execute explained(' || parameters || ')';
        execute 'deallocate explained';
    end
    $$;
    analyze;
    """

private let announced = Statement("select op from ledger.sending order by op") { row in
    try row.value(0, as: ID<Posting.Operation>.self)
}

/// 20,000 transactions of today and of the year before, made some days ago.
private let fill = Statement<Void>(
    """
    insert into ledger.money_transaction (id, version, entry_id, money_entry_id, account_id,
        user_id, amount, seq, day, category_id, recorded_at, words_hash)
    select ('01000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, gen_random_uuid(),
        gen_random_uuid(), $2, $1, -1, n - 1000000, current_date - n % 400, gen_random_uuid(),
        now(), ''
    from generate_series(1, 20000) as n
    """
)
