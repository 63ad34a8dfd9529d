import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// A call of plain elements is judged and written by one statement, and any other by the loop: a
/// rare element beside them sends the same calls through the loop.
@Suite struct PlainPostingTests {
    @Test(arguments: (0..<4).map { _ in UInt64.random(in: 0...UInt64.max) })
    func plainCallsAreAnsweredAndWrittenAsBesideARareElement(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var chance = SeededGenerator(seed: seed)
            let (plain, beside) = try await (Twin(books), Twin(books))
            let rare = try await books.person()
            let purse = try await books.account(of: rare)
            for round in 0..<40 {
                let note: Comment = "seed \(seed), round \(round)"
                let call = Element.call(using: &chance)
                let moment = Instant.now()
                let alone = try await books.service.post(plain.postings(call), at: moment)
                var odd = Posting.record(1, on: purse, by: rare)
                odd.tags = ["rare"]
                let both = try await books.service.post(
                    beside.postings(call) + [odd],
                    at: moment
                )
                #expect(both.last?.status == .posted, note)
                #expect(alone.map(\.status) == both.dropLast().map(\.status), note)
                let (one, other) = try await (plain.written(), beside.written())
                let difference = zip(one, other).first { $0 != $1 }
                #expect(one == other, "\(note): \(difference as Any)")
            }
            // What the chain covers of each was written with it, by either way.
            let entries = try await books.owner.query(
                JournalStatements.entries(
                    from: 1,
                    through: 1 << 40,
                    limit: 100_000,
                    isVerified: true
                )
            )
            #expect(!entries.isEmpty)
            #expect(entries.allSatisfy { $0.fault == nil }, "seed \(seed)")
            try await books.check("seed \(seed)")
        }
    }

    @Test func whatIsNotLockedIsPostedBesideWhatIs() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let accounts = try await [
                books.account(of: ada, holding: 100), books.account(of: ada),
                books.account(of: ada, holding: 100),
            ]
            func call() -> [Posting] {
                [
                    .record(5, on: accounts[0], by: ada),
                    .transfer(1, from: accounts[2], to: accounts[0], by: ada),
                    .transfer(1, from: accounts[0], to: accounts[1], by: ada),
                    .record(5, on: accounts[2], by: ada),
                ]
            }
            try await books.owner.transaction { transaction in
                try await transaction.execute(lockAgainstPosting, accounts[2])
                let outcomes = try await books.service.post(call(), waits: false)
                #expect(outcomes.map(\.status) == [.posted, .busy, .posted, .busy])
                var lost = call()
                lost[1] = .transfer(1, from: .new(), to: accounts[0], by: ada)
                let mixed = try await books.service.post(lost, waits: false)
                #expect(mixed.map(\.status) == [.posted, .accountNotFound, .posted, .busy])
                var chained = call()
                for index in 0...1 { chained[index].chain = 1 }
                chained[1].operation = nil
                let parts = try await books.service.post(chained, waits: false)
                #expect(parts.map(\.status) == [.busy, .busy, .posted, .busy])
            }
            try await books.check()
        }
    }
}

/// What is asked, of accounts by their number.
private struct Element {
    var from = 0
    var to: Int?
    var amount: Int64 = 0
    var isDollars = false
    var isNamedOwn = false
    var isStrange = false
    var category: Int?
    var words: String?
    var chain: Int?

    static func call(using chance: inout SeededGenerator) -> [Element] {
        var chain = 0
        // Most calls are those of which nothing is refused.
        let isSound = Int.random(in: 0..<4, using: &chance) > 0
        return (0..<Int.random(in: 1...12, using: &chance)).map { _ in
            var element = Element()
            func now(_ one: Int, in many: Int) -> Bool {
                Int.random(in: 0..<many, using: &chance) < one
            }
            element.from = Int.random(in: 0..<(isSound ? 4 : 6), using: &chance)
            element.amount = Int64.random(in: 1...(isSound ? 9 : 400), using: &chance)
            if now(2, in: 3) {
                element.to = Int.random(in: 0..<(isSound ? 4 : 6), using: &chance)
                if isSound, element.to == element.from { element.to = (element.from + 1) % 4 }
                let isOwn = (element.from + (element.to ?? 0)) % 2 == 0
                element.isNamedOwn = isSound ? isOwn : now(1, in: 2)
            } else if now(1, in: 2) {
                element.amount = -element.amount
            }
            if !isSound {
                element.isDollars = now(1, in: 12)
                element.isStrange = now(1, in: 12)
                if now(1, in: 20) { element.amount = 0 }
                if now(1, in: 40) { element.amount = .min }
            }
            if now(1, in: 4) { element.category = element.from % 2 }
            if now(1, in: 3) { element.words = "words \(element.amount)" }
            if now(1, in: 3) { element.chain = chain } else { chain += 1 }
            return element
        }
    }
}

/// Two people and their accounts: four that are sound, one in dollars and one that is closed.
private struct Twin {
    let books: Books
    private let people: [ID<User>]
    private let accounts: [ID<Account>]
    private let categories: [CategoryID]

    init(_ books: Books) async throws {
        self.books = books
        people = try await [books.person(), books.person()]
        var accounts: [ID<Account>] = []
        for number in 0..<6 {
            let account = try await books.account(
                of: people[number % 2],
                number < 2 ? .current : number == 2 ? .wallet : .deposit,
                number == 4 ? .usd : .eur,
                holding: 300
            )
            accounts.append(account)
        }
        try await books.owner.execute(closeAccount, accounts[5])
        self.accounts = accounts
        var categories: [CategoryID] = []
        for person in people {
            categories.append(try await books.category(of: person, "own"))
        }
        self.categories = categories
    }

    func postings(_ call: [Element]) -> [Posting] {
        var chain: Int?
        return call.map { element in
            let actor = people[(element.from + (element.isStrange ? 1 : 0)) % 2]
            let currency: Currency = element.isDollars ? .usd : .eur
            var posting: Posting
            if let to = element.to {
                posting = .transfer(
                    element.amount,
                    currency,
                    from: accounts[element.from],
                    to: accounts[to],
                    by: actor
                )
                posting.counterIsOwn = element.isNamedOwn
                posting.reference = element.words
            } else {
                posting = .record(element.amount, currency, on: accounts[element.from], by: actor)
            }
            posting.description = element.words
            posting.category = element.category.map { categories[$0] }
            posting.chain = element.chain
            if let own = element.chain, own == chain { posting.operation = nil }
            chain = element.chain
            return posting
        }
    }

    /// All that the accounts show behind what they were opened with, without what is random in it.
    func written() async throws -> [String] {
        var lines: [String] = []
        for account in accounts {
            lines += try await books.owner.query(linesOfAccount, account)
        }
        return lines
    }
}

private let linesOfAccount = Statement(
    """
    select row(t.amount, t.seq, t.day, t.version, t.name is null, t.description, t.own_transfer,
        t.is_split, t.tags, t.transfer_id is null, t.money_entry_id = t.entry_id, t.import_id,
        t.coicop, c.name, t.recorded_at, e.kind, e.day, e.recorded_at, e.currency, e.amount,
        e.debit_seq, e.credit_seq, e.versions, cardinality(e.transactions),
        cardinality(e.members), array_position(e.transactions, t.id), e.op is null,
        e.request_hash is null, r.reference, r.state, r.debit_amount, r.credit_amount,
        b.amount, b.held, b.sequence)::text
    from ledger.money_transaction as t
    join ledger.entry as e on e.id = t.entry_id
    join ledger.category as c on c.id = t.category_id
    join ledger.balance as b on b.account_id = t.account_id
    left join ledger.transfer_terms as r on r.id = t.transfer_id
    where t.account_id = $1 and t.seq > 1
    order by t.seq
    """
) { row in try row.string(0) }
