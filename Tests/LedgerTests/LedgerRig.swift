import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// A ledger's database of its own, copied from a migrated template.
struct LedgerRig {
    let database: TestDatabase

    init() async throws {
        database = try await PostgresCluster.shared().makeDatabase(
            "ledger",
            template: "ledger"
        ) { template in
            let group = LoopGroup(count: 1)
            group.startAll()
            defer { group.stop() }
            let settings = [
                (name: "ezwallet.service_role", value: template.serviceRole),
                (name: "ezwallet.poster_role", value: template.posterRole),
            ]
            try await group.loops[0].actor.run { actor in
                let database = Database(configuration: template.owner, loop: actor.loop)
                defer { database.close() }
                _ = try await Migrations(files: ledgerService.migrations, settings: settings)
                    .run(on: database)
            }
        }
    }

    /// Runs `body` on a loop with the service's own rights.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (isolated LoopActor, Books) async throws -> Value
    ) async throws -> Value {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        let (service, owner) = (database.service, database.owner)
        return try await group.loops[0].actor.run { actor in
            var configuration = service
            configuration.leasedConnectionsMax = 6
            configuration.sharedAvoidsBitmaps = ledgerService.avoidsBitmaps
            configuration.searchPath = ["ledger", "pg_temp"].compactMap { Identifier($0) }
            let books = Books(
                service: Database(configuration: configuration, loop: actor.loop),
                owner: Database(configuration: owner, loop: actor.loop)
            )
            defer {
                books.service.close()
                books.owner.close()
            }
            return try await body(actor, books)
        }
    }
}

/// The books as a test sees them.
final class Books {
    let service: Database
    let owner: Database

    init(service: Database, owner: Database) {
        self.service = service
        self.owner = owner
    }

    /// A person with «Others».
    func person() async throws -> ID<User> {
        let user = ID<User>.new()
        try await owner.execute(insertPerson, user)
        try await owner.execute(insertOthers, user)
        return user
    }

    /// An account, with money that came from outside.
    func account(
        of user: ID<User>,
        _ kind: AccountKind = .current,
        _ currency: Currency = .eur,
        holding amount: Int64 = 0
    ) async throws -> ID<Account> {
        let account = ID<Account>.new()
        try await open(account, of: user, kind, currency)
        if amount != 0 {
            let outcomes = try await service.post([
                .record(amount, currency, on: account, by: user)
            ])
            #expect(outcomes.map(\.status) == [.posted])
        }
        return account
    }

    /// Opens an account of this id.
    func open(
        _ account: ID<Account>,
        of user: ID<User>,
        _ kind: AccountKind = .wallet,
        _ currency: Currency = .eur
    ) async throws {
        try await owner.execute(
            insertAccount,
            account,
            user,
            kind.rawValue,
            currency.code,
            Int16(currency.exponent),
            account.text
        )
    }

    func balance(_ account: ID<Account>) async throws -> Int64 {
        try await owner.queryOne(balanceOf, account) ?? 0
    }

    /// What stands in the books whatever has happened.
    func check(_ note: String = "") async throws {
        for total in try await owner.query(trialBalance) {
            #expect(total.amount == "0", "\(total.currency) \(note)")
        }
        let wrong = try await owner.query(wrongBalances)
        #expect(wrong.isEmpty, "balances other than their movements' sums: \(wrong) \(note)")
        let outOfBounds = try await owner.query(outOfBounds)
        #expect(outOfBounds.isEmpty, "left beside what is held: \(outOfBounds) \(note)")
        let gaps = try await owner.query(sequenceGaps)
        #expect(gaps.isEmpty, "accounts with gaps in their history: \(gaps) \(note)")
    }

    func count(_ statement: Statement<Int64>) async throws -> Int64 {
        try await owner.queryOne(statement) ?? 0
    }
}

extension Posting {
    static func record(
        _ amount: Int64,
        _ currency: Currency = .eur,
        on account: ID<Account>,
        by user: ID<User>,
        key: String? = nil
    ) -> Posting {
        var posting = Posting(.record, named(key, of: user), by: user, on: account)
        posting.amount = amount
        posting.currency = currency
        posting.transaction = .new()
        posting.day = someDay
        posting.name = "a record"
        return posting
    }

    static func transfer(
        _ amount: Int64,
        _ currency: Currency = .eur,
        from account: ID<Account>,
        to counter: ID<Account>,
        by user: ID<User>,
        key: String? = nil
    ) -> Posting {
        var posting = moving(
            .transfer,
            amount,
            from: account,
            to: counter,
            named(key, of: user),
            user
        )
        posting.currency = currency
        return posting
    }

    private static func moving(
        _ kind: Kind,
        _ amount: Int64,
        from account: ID<Account>,
        to counter: ID<Account>,
        _ operation: Operation,
        _ user: ID<User>
    ) -> Posting {
        var posting = Posting(kind, operation, by: user, on: account)
        posting.counter = counter
        posting.amount = amount
        posting.currency = .eur
        posting.transaction = .new()
        posting.counterTransaction = .new()
        posting.transfer = .new()
        posting.day = someDay
        return posting
    }

    /// A deposit that is opened with money of the account.
    static func deposit(
        _ amount: Int64 = 1,
        from account: ID<Account>,
        named name: String,
        isProposed: Bool = false,
        by user: ID<User>,
        key: String? = nil
    ) -> Posting {
        var posting = moving(
            .deposit,
            amount,
            from: account,
            to: .new(),
            named(key, of: user),
            user
        )
        posting.counterIsOwn = true
        posting.opens = Opening(
            currency: .eur,
            name: name,
            foldedName: name.lowercased(),
            isProposed: isProposed,
            iban: nil
        )
        return posting
    }

    static func reversal(
        of transaction: ID<MoneyTransaction>,
        on account: ID<Account>,
        by user: ID<User>
    ) -> Posting {
        var posting = Posting(.reversal, named(nil, of: user), by: user, on: account)
        posting.transaction = transaction
        return posting
    }
}

extension Querying {
    /// Posts, and waits for what is held.
    func post(
        _ postings: [Posting],
        at moment: Instant = .now()
    ) async throws -> [PostingOutcome] {
        try await post(postings, at: moment, waits: true)
    }
}

let someDay = Day(daysSince1970: 20_000) ?? .utc(.now())

private func named(_ key: String?, of user: ID<User>) -> Posting.Operation {
    guard let key else { return Posting.Operation(of: user) }
    return Posting.Operation(scope: "\(user) test", key: key, requestHash: [1, 2, 3])
}

/// What others' calls find busy, until the transaction ends.
let lockAgainstPosting = Statement<Void>(
    "select from ledger.balance where account_id = $1 for no key update"
)
let closeAccount = Statement<Void>(
    "update ledger.account set state = 'closed', closed_at = now() where id = $1"
)

private let insertPerson = Statement<Void>(
    """
    insert into ledger.person (user_id, currency, time_zone, display_name)
    values ($1, 'EUR', 'UTC', 'Somebody')
    """
)
private let insertOthers = Statement<Void>(
    """
    insert into ledger.category (id, user_id, name, name_folded, color, is_default)
    values (gen_random_uuid(), $1, 'Others', 'others', 8421504, true)
    """
)
private let insertAccount = Statement<Void>(
    """
    insert into ledger.account (id, user_id, kind, currency, exponent, name, name_folded)
    values ($1, $2, $3, $4, $5, $6, $6)
    """
)
private let balanceOf = Statement("select amount from ledger.balance where account_id = $1") {
    row in try row.int64(0)
}
private let trialBalance = Statement(
    "select currency, (users + system)::text from ledger.trial_balance"
) { row in try (currency: row.string(0), amount: row.string(1)) }
private let wrongBalances = Statement(
    """
    select balance.account_id::text from ledger.balance
    where balance.amount <> (
        select coalesce(sum(case when credit_account = account_id then amount else -amount end), 0)
        from ledger.movement where account_id in (credit_account, debit_account)
    )
    """
) { row in try row.string(0) }
private let outOfBounds = Statement(
    """
    select account_id::text from ledger.balance
    where amount::numeric - held < -9223372036854775807
    """
) { row in try row.string(0) }
private let sequenceGaps = Statement(
    """
    select account_id::text from ledger.balance
    where (
        select coalesce(array_agg(seq order by seq), '{}') from (
            select debit_seq as seq from ledger.movement where debit_account = account_id
            union all
            select credit_seq from ledger.movement where credit_account = account_id
            union all
            -- Lines of which nothing moves.
            select t.seq from ledger.money_transaction as t
            join ledger.entry as made on made.id = t.entry_id
            where t.account_id = balance.account_id and made.amount is null
        ) as taken
    ) <> (select coalesce(array_agg(n order by n), '{}') from generate_series(1, sequence) as n)
    """
) { row in try row.string(0) }

extension Books {
    /// Waits until the journal is known to be there for good, up to its end.
    func settle() async throws {
        while true {
            let now = try #require(try await JournalHorizon.read(in: service))
            if now.ended == now.next { return }
            try await Task.sleep(nanoseconds: 5_000_000)
        }
    }

    /// Cuts the service's connections; none of them answers any more once this is over.
    func cutService() async { _ = try? await owner.query(cutConnections) }
}

/// It waits for each: one that is still ending would be taken for one that works.
private let cutConnections = Statement(
    """
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and usename <> current_user
    """
) { row in try row.bool(0) }
