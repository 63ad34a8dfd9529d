import IBANs
import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Sealing and verifying of a test's books.
struct ChainRig {
    let books: Books
    let configuration: LedgerConfiguration

    init(_ books: Books, secrets: String = ServiceRig.secret) throws {
        self.books = books
        configuration = try LedgerConfiguration(
            Settings(LedgerVariables.all, environment: ["EZWALLET_JOURNAL_SECRET": secrets]),
            registry: .shared()
        )
    }

    func sealer(leaseSeconds: Double = ChainSealer.leaseSeconds) -> ChainSealer {
        makeJournalSealer(configuration, database: books.service, leaseSeconds: leaseSeconds)
    }

    /// Until every entry is in a block; whatever other tests hold open in the same cluster holds
    /// the sealer back.
    func seal(_ sealer: ChainSealer? = nil) async throws {
        let sealer = sealer ?? self.sealer(leaseSeconds: -1)
        for _ in 0..<3_000 {
            try await sealer.run()
            if try await books.owner.queryOne(unsealed) == 0 { return }
            try await books.owner.loop.sleep(nanoseconds: 20_000_000)
        }
        Issue.record("entries are sealed by nobody")
    }

    func verify(
        from height: Int64 = 0,
        saved: ChainHead? = nil
    ) async throws -> LedgerVerification {
        try await JournalVerification(
            database: books.service,
            proofKeys: configuration.journalProofKeys
        ).run(from: height, saved: saved)
    }
}

extension Books {
    /// A history with every kind of entry: people, accounts and what they did.
    func history(people count: Int = 2, rounds: Int = 1) async throws -> [ID<User>] {
        var people: [ID<User>] = []
        var accounts: [ID<Account>] = []
        for _ in 0..<count {
            let user = try await person()
            people.append(user)
            accounts.append(try await account(of: user, holding: 100_000))
            _ = try await account(of: user, .wallet, .usd, holding: 500)
        }
        let categories = try await owner.query(othersOf)
        for round in 0..<rounds {
            for (index, user) in people.enumerated() {
                let (own, next) = (accounts[index], accounts[(index + 1) % count])
                var record = Posting.record(-30, on: own, by: user)
                record.tags = ["Food", "ü\(round)"]
                record.foldedTags = ["food", "ü\(round)"]
                record.location = .init(latitude: 45_464_000, longitude: 9_190_000)
                record.placeName = "Milano"
                record.description = "coffee, \(round)"
                var split = Posting.record(-100, on: own, by: user)
                let mine = categories.filter { $0.user == user }.map(\.id)
                split.lines = [.init(category: mine[0], amount: -60)]
                split.lines.append(.init(category: mine[1], amount: -40))
                var sent = Posting.transfer(250, from: own, to: next, by: user)
                sent.reference = "rent"
                sent.name = "To a friend"
                sent.counterName = "From a friend"
                sent.description = "for both"
                let taken = Posting.record(-5, on: own, by: user)
                let edited = Posting.record(-7, on: own, by: user)
                let deposit = Posting.deposit(10, from: own, named: "Deposit \(round)", by: user)
                try await posted([record, split, sent, taken, edited, deposit])
                var revision = Posting(.revision, .init(of: user), by: user, on: own)
                revision.transaction = edited.transaction
                revision.name = "another name"
                let back = Posting.reversal(of: try #require(taken.transaction), on: own, by: user)
                try await posted([revision, back])
                try await hold(90, from: own, to: next, by: user, thenTo: .capture)
                try await hold(80, from: own, to: next, by: user, thenTo: .void)
                try await hold(75, from: own, to: next, by: user, thenTo: .expiry)
                try await hold(70, from: own, to: next, by: user, thenTo: nil)
                try await exchange(60, from: own, by: user)
                let friend = people[(index + 1) % count]
                try await claims(on: own, of: user, paidBackFrom: next, by: friend)
            }
        }
        return people
    }

    /// Paid for others: one whose words change, one that is taken back, and what clears a part.
    private func claims(
        on account: ID<Account>,
        of user: ID<User>,
        paidBackFrom payer: ID<Account>,
        by friend: ID<User>
    ) async throws {
        let owed = try await receivable(of: user)
        let others = try #require(try await owner.queryOne(CategoryStatements.others, user))
        let kept = Posting.claim(40, share: 10, on: account, owed: owed, by: user, in: others)
        let gone = Posting.claim(30, share: 0, on: account, owed: owed, by: user)
        let cleared = Posting.claim(-5, share: 0, on: account, owed: owed, by: user)
        try await posted([kept, gone, cleared])
        var revision = Posting(.revision, .init(of: user), by: user, on: account)
        revision.transaction = kept.transaction
        revision.lines = kept.lines
        revision.version = 1
        try await posted([revision])
        try await posted([gone.reversed(owed: owed, by: user)])
        var paid = Posting.transfer(50, from: payer, to: account, by: friend)
        paid.receivable = owed
        try await posted([paid])
    }

    /// Exchanges twice into dollars, and takes the second back.
    private func exchange(
        _ amount: Int64,
        from account: ID<Account>,
        by user: ID<User>
    ) async throws {
        let dollars = try await self.account(of: user, .wallet, .usd)
        for isTakenBack in [false, true] {
            let quote = ID<Quote>.new()
            try await owner.execute(insertQuote, quote, user, account, dollars, amount)
            var exchange = Posting.transfer(amount, from: account, to: dollars, by: user)
            exchange.quote = quote
            try await posted([exchange])
            guard isTakenBack, let line = exchange.transaction else { continue }
            var back = Posting.reversal(of: line, on: account, by: user)
            back.counter = dollars
            try await posted([back])
        }
    }

    private func hold(
        _ amount: Int64,
        from account: ID<Account>,
        to counter: ID<Account>,
        by user: ID<User>,
        thenTo end: Posting.Kind?
    ) async throws {
        var hold = Posting(.hold, .init(of: user), by: user, on: account)
        hold.counter = counter
        hold.amount = amount
        hold.currency = .eur
        hold.transaction = .new()
        hold.counterTransaction = .new()
        hold.transfer = .new()
        hold.day = someDay
        hold.reference = "held"
        let now = Instant.now()
        hold.expires = now.adding(seconds: 3_600)
        try await posted([hold])
        guard let end else { return }
        // Nobody's: the service itself gives back what was held for too long.
        let actor = end == .expiry ? nil : user
        var ending = Posting(end, .init(of: user), by: actor, on: account)
        ending.counter = counter
        ending.transfer = hold.transfer
        ending.transaction = hold.transaction
        ending.counterTransaction = hold.counterTransaction
        ending.amount = amount
        ending.currency = .eur
        ending.day = someDay
        try await posted([ending], at: now.adding(seconds: end == .expiry ? 7_200 : 0))
    }

    private func posted(_ postings: [Posting], at moment: Instant = .now()) async throws {
        let outcomes = try await service.post(postings, at: moment, waits: false)
        let expected = postings.map { _ in PostingStatus.posted }
        let kinds = postings.map(\.kind)
        #expect(outcomes.map(\.status) == expected, "\(kinds)")
    }
}

/// At one for one.
private let insertQuote = Statement<Void>(
    """
    insert into ledger.quote (id, user_id, from_account, to_account, debit_amount, credit_amount,
        rate_numerator, rate_denominator, rate_day, rate_source, expires_at)
    values ($1, $2, $3, $4, $5, $5, 1, 1, '2024-10-04', 'ECB', now() + interval '1 hour')
    """
)

/// Two categories of everybody.
private let othersOf = Statement(
    """
    with added as (
        insert into ledger.category (id, user_id, name, name_folded, color)
        select gen_random_uuid(), user_id, 'Food', 'food', 255 from ledger.person
        on conflict do nothing
        returning id, user_id
    )
    select id, user_id from added
    union all
    select id, user_id from ledger.category
    """
) { row in
    try (
        id: row.value(0, as: CategoryID.self),
        user: row.value(1, as: ID<User>.self)
    )
}

private let unsealed = Statement(
    """
    select count(*) from ledger.entry
    where place >= coalesce((
        select number_below from ledger.chain_block order by height desc limit 1), 0)
    """
) { row in try row.int64(0) }
