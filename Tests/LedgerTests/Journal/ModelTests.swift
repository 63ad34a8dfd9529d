import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Random calls of every kind against a model: the same answers, the same balances, the same
/// versions, whatever stands beside what in a call.
@Suite struct ModelTests {
    @Test(arguments: (0..<10).map { _ in UInt64.random(in: 0...UInt64.max) })
    func everyAnswerIsThatOfTheModel(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var world = try await World(books, seed: seed)
            for round in 0..<70 {
                let moment = Instant.now()
                var call = world.call(at: moment)
                let note = "seed \(seed), round \(round)"
                // What has to wait for another of the call comes in the next one, as its lane does.
                while !call.isEmpty {
                    let outcomes = try await books.service.post(call, at: moment)
                    let done = zip(call, outcomes).filter { $0.1.status != .busy }
                    #expect(!done.isEmpty, "\(note): it is nobody's turn")
                    if done.isEmpty { break }
                    world.compare(done.map(\.0), done.map(\.1), at: moment, note)
                    call = zip(call, outcomes).filter { $0.1.status == .busy }.map(\.0)
                }
                try await world.check(note)
            }
            try await books.check("seed \(seed)")
        }
    }
}

/// People, accounts, and what has been asked of them.
private struct World {
    let books: Books
    var model = LedgerModel()
    var chance: SeededGenerator
    let people: [ID<User>]
    var asked: [Posting] = []

    init(_ books: Books, seed: UInt64) async throws {
        self.books = books
        chance = SeededGenerator(seed: seed)
        people = try await [books.person(), books.person()]
        for number in 0..<10 {
            let kind: AccountKind = number % 3 == 0 ? .wallet : .current
            let currency: Currency = number % 5 == 4 ? .usd : .eur
            let owner = people[number % 2]
            let funds: Int64 = [3: .max - 200, 6: 200 - .max][number] ?? 400
            let id = try await books.account(of: owner, kind, currency, holding: funds)
            var holding = LedgerModel.Holding(owner: owner, kind: kind, currency: currency)
            (holding.amount, holding.movements) = (funds, 1)
            holding.name = id.text
            model.accounts[id] = holding
        }
        for owner in people {
            for number in 0..<3 {
                let category = CategoryID.new()
                try await books.owner.execute(insertCategory, category, owner, "c\(number)")
                model.categories[category] = owner
            }
        }
    }

    /// What was answered is what the model answers.
    mutating func compare(
        _ call: [Posting],
        _ outcomes: [PostingOutcome],
        at moment: Instant,
        _ note: String
    ) {
        let expected = model.post(call, at: moment)
        #expect(outcomes.count == expected.count, "\(note)")
        for (index, (outcome, wanted)) in zip(outcomes, expected).enumerated() {
            let got = LedgerModel.Expected(
                status: outcome.status,
                isReplay: outcome.isReplay,
                transaction: outcome.transaction,
                transfer: outcome.transfer
            )
            #expect(got == wanted, "\(note), \(index): \(call[index])")
        }
    }

    /// Some elements, each alone or in a chain.
    mutating func call(at moment: Instant) -> [Posting] {
        var call: [Posting] = []
        for number in 0..<Int.random(in: 1...8, using: &chance) {
            guard Int.random(in: 0..<4, using: &chance) == 0 else {
                call.append(again() ?? element(at: moment))
                continue
            }
            var hasChange = false
            for part in 0..<Int.random(in: 1...4, using: &chance) {
                var posting = element(at: moment)
                // What a chain makes it cannot change.
                let isChange = [.reversal, .revision].contains(posting.kind)
                if isChange, hasChange { continue }
                hasChange = hasChange || isChange
                if part > 0 { posting.operation = nil }
                posting.chain = number
                call.append(posting)
            }
        }
        asked.append(contentsOf: call.filter { $0.chain == nil })
        return call
    }

    /// Something that was asked before, as it was or with another body.
    private mutating func again() -> Posting? {
        guard Int.random(in: 0..<10, using: &chance) == 0,
            var posting = asked.randomElement(using: &chance), let operation = posting.operation
        else { return nil }
        if Bool.random(using: &chance) {
            posting.operation = Posting.Operation(
                scope: operation.scope,
                key: operation.key,
                requestHash: [7]
            )
        }
        return posting
    }

    private mutating func account() -> (id: ID<Account>, holding: LedgerModel.Holding) {
        let sorted = model.accounts.sorted { $0.key < $1.key }
        guard let found = sorted.randomElement(using: &chance) else {
            preconditionFailure("there are accounts")
        }
        return (found.key, found.value)
    }

    private mutating func category(of owner: ID<User>) -> CategoryID? {
        let all = model.categories.sorted { $0.key < $1.key }
        let own = all.filter { $0.value == owner }
        let isOwn = Int.random(in: 0..<8, using: &chance) > 0
        return (isOwn ? own : all).randomElement(using: &chance)?.key
    }

    private mutating func element(at moment: Instant) -> Posting {
        let (one, other) = (account(), account())
        let stranger = Int.random(in: 0..<12, using: &chance) == 0
        let actor = stranger ? people.randomElement(using: &chance) : one.holding.owner
        func posting(_ kind: Posting.Kind) -> Posting {
            var posting = Posting(
                kind,
                Posting.Operation(of: people[0]),
                by: actor,
                on: one.id
            )
            posting.day = someDay
            return posting
        }
        let amount = Int64.random(in: 1...250, using: &chance)
        switch Int.random(in: 0..<14, using: &chance) {
        case 0..<4: return record(posting(.record), amount, one.holding)
        case 4..<7:
            var made = moving(posting(.transfer), to: other.id, amount, one.holding.currency)
            made.counterIsOwn = one.holding.owner == other.holding.owner
            return made
        case 7..<9:
            var made = moving(posting(.hold), to: other.id, amount, one.holding.currency)
            made.expires = moment.adding(seconds: Bool.random(using: &chance) ? 60 : 0)
            return made
        case 9..<11: return ending(at: moment) ?? record(posting(.record), amount, one.holding)
        case 11:
            var made = moving(posting(.deposit), to: .new(), amount, one.holding.currency)
            made.counterIsOwn = true
            let name = "deposit \(Int.random(in: 0..<6, using: &chance))"
            made.opens = Posting.Opening(
                currency: one.holding.currency,
                name: name,
                foldedName: name,
                isProposed: Bool.random(using: &chance),
                iban: nil
            )
            return made
        default: return changing() ?? record(posting(.record), amount, one.holding)
        }
    }

    private mutating func record(
        _ base: Posting,
        _ amount: Int64,
        _ holding: LedgerModel.Holding
    ) -> Posting {
        var made = base
        made.amount = Bool.random(using: &chance) ? amount : -amount
        if Int.random(in: 0..<20, using: &chance) == 0 { made.amount = 0 }
        made.currency = Int.random(in: 0..<12, using: &chance) == 0 ? .usd : holding.currency
        made.transaction = .new()
        made.name = "n\(amount)"
        made.tags = ["a", "b\(amount % 3)"]
        made.foldedTags = made.tags
        if Int.random(in: 0..<4, using: &chance) == 0, let total = made.amount {
            let part = Int64.random(in: -20...20, using: &chance)
            let categories = [category(of: holding.owner), category(of: holding.owner)]
            made.lines = zip(categories, [part, total - part]).compactMap { category, amount in
                category.map { Posting.Line(category: $0, amount: amount) }
            }
        } else if Bool.random(using: &chance) {
            made.category = category(of: holding.owner)
        }
        return made
    }

    private func moving(
        _ base: Posting,
        to counter: ID<Account>,
        _ amount: Int64,
        _ currency: Currency
    ) -> Posting {
        var made = base
        made.counter = counter
        made.amount = amount
        made.currency = currency
        made.transaction = .new()
        made.counterTransaction = .new()
        made.transfer = .new()
        return made
    }

    /// What ends a hold, or tries to.
    private mutating func ending(at moment: Instant) -> Posting? {
        let all = model.transfers.sorted { $0.key < $1.key }
        guard let (id, moved) = all.randomElement(using: &chance),
            let owner = model.accounts[moved.from]?.owner,
            let payee = model.accounts[moved.to]?.owner
        else { return nil }
        let kinds: [Posting.Kind] = [.capture, .void, .expiry]
        guard let kind = kinds.randomElement(using: &chance) else { return nil }
        let actor = Bool.random(using: &chance) ? owner : payee
        var made = Posting(
            kind,
            Posting.Operation(of: owner),
            by: kind == .expiry ? nil : actor,
            on: moved.from
        )
        made.counter = moved.to
        made.transfer = id
        made.day = someDay
        return made
    }

    /// What takes something back or words it anew, or tries to.
    private mutating func changing() -> Posting? {
        let all = model.transactions.sorted { $0.key < $1.key }
        guard let (id, told) = all.randomElement(using: &chance),
            let owner = model.accounts[told.account]?.owner
        else { return nil }
        let kind: Posting.Kind = Bool.random(using: &chance) ? .reversal : .revision
        var made = Posting(kind, Posting.Operation(of: owner), by: owner, on: told.account)
        made.transaction = id
        made.version = Int.random(in: 0..<6, using: &chance) == 0 ? told.version + 1 : told.version
        made.name = "again"
        if kind == .reversal, let transfer = told.transfer, let moved = model.transfers[transfer] {
            made.counter = moved.from == told.account ? moved.to : moved.from
        }
        return made
    }

    func check(_ note: String) async throws {
        for row in try await books.owner.query(holdings) {
            let holding = model.accounts[row.id]
            #expect(holding?.amount == row.amount, "amount, \(note)")
            #expect(holding?.held == row.held, "held, \(note)")
            #expect(holding?.movements == row.sequence, "sequence, \(note)")
        }
        let current = model.transactions.filter(\.value.isCurrent)
        let rows = try await books.owner.query(currentTransactions)
        // Those that the accounts were funded with are not the model's.
        let known = rows.filter { model.transactions[$0.id] != nil }
        #expect(known.count == current.count, "\(note)")
        for row in known {
            let told = current[row.id]
            #expect(told?.version == Int(row.version), "version, \(note)")
            #expect(told?.amount == row.amount, "amount of a transaction, \(note)")
        }
        let wrong = try await books.owner.query(wrongDetails)
        #expect(wrong.isEmpty, "\(wrong), \(note)")
    }
}

private let insertCategory = Statement<Void>(
    """
    insert into ledger.category (id, user_id, name, name_folded, color) values ($1, $2, $3, $3, 0)
    """
)
private let holdings = Statement("select account_id, amount, held, sequence from ledger.balance") {
    row in
    try (
        id: row.value(0, as: ID<Account>.self), amount: row.int64(1), held: row.int64(2),
        sequence: row.int64(3)
    )
}
private let currentTransactions = Statement(
    "select id, version, amount from ledger.money_transaction where reversed_by is null"
) { row in
    try (
        id: row.value(0, as: ID<MoneyTransaction>.self), version: row.int32(1),
        amount: row.int64(2)
    )
}
/// Lines that do not sum to their transaction, that stand for what does not count any more, or tags
/// of it; words other than their hash; entries that name other details than they made; balances
/// that hold more or less than the pending transfers.
private let wrongDetails = Statement(
    """
    select 'lines of ' || t.id from ledger.money_transaction as t
    where is_split <> exists (
            select from ledger.transaction_line as l
            where l.transaction_id = t.id and l.version = t.version)
        or (is_split and (
            amount <> (select sum(amount) from ledger.transaction_line as l
                where l.transaction_id = t.id and l.version = t.version)
            or (reversed_by is null) <> all (
                select is_current from ledger.transaction_line as l
                where l.transaction_id = t.id and l.version = t.version)))
    union all
    select 'tags of ' || t.id from ledger.money_transaction as t
    where reversed_by is null and tags <> coalesce((
        select array_agg(tag order by tag) from ledger.transaction_tag where transaction_id = t.id
        ), '{}')
    union all
    select 'a tag of ' || transaction_id from ledger.transaction_tag
    where not exists (
        select from ledger.money_transaction as t
        where t.id = transaction_id and reversed_by is null)
    union all
    select 'words of ' || id from ledger.money_transaction
    where words_hash <> ledger.words_hash(
        salt, name, description, tags, latitude, longitude, place)
    union all
    select 'details of ' || entry.id from ledger.entry
    where (select coalesce(array_agg(t.id order by t.id), '{}')
        from ledger.money_transaction as t where t.entry_id = entry.id)
        <> (select coalesce(array_agg(named order by named), '{}')
            from unnest(transactions) as named)
        or exists (
            select from unnest(transactions, versions) as named (id, version)
            where not exists (
                select from ledger.money_transaction as t
                where t.id = named.id and t.version = named.version and t.entry_id = entry.id))
    union all
    select 'held in ' || account_id from ledger.balance
    where held <> (
        select coalesce(sum(debit_amount), 0) from ledger.transfer_terms
        where from_account = account_id and state = 'pending')
    """
) { row in try row.string(0) }
