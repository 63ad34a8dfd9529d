import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// A ledger that posts and takes back as the protocol has it, and loses calls and answers.
final class LinkingLedger {
    enum Cut: CaseIterable { case beforeItActs, beforeItAnswers }
    struct Entry {
        var version: Int
        var part: LedgerLink.Part?
        var account: ID<Account>
    }
    /// What stands, by link; without a part it is taken back for good.
    private(set) var entries: [ID<LedgerLink>: Entry] = [:]
    /// What its owner has deleted there.
    private var deleted: [ID<LedgerLink>: LedgerLink.Part] = [:]
    /// Each time that anything was posted, or taken back.
    private(set) var moves = 0
    var cut: Cut?
    /// What refuses to post, and to take back.
    var refusal: APIError?
    var keeps: APIError?
    /// Those of which it was asked to take back what was never owed.
    private(set) var neverOwed: Set<ID<LedgerLink>> = []

    var standing: [LedgerLink.Part] { entries.values.compactMap(\.part) }

    var calling: LinkLedger {
        LinkLedger { [self] asked, id, _ in
            try act {
                let old = entries[id]
                if let old, old.part == nil, deleted[id] == nil {
                    throw APIError(.postingWithdrawn)
                }
                let entry = Entry(asked)
                if let old, old.version > entry.version { throw APIError(.postingOutdated) }
                if old?.version == entry.version { return }
                if let refusal { throw refusal }
                if old?.part != nil, let keeps { throw keeps }
                entries[id] = entry
                deleted[id] = nil
                moves += 1
            }
            return id.retagged(MoneyTransaction.self)
        } isPosted: { [self] id, _ in
            entries[id]?.part != nil
        } withdraw: { [self] link in
            try act {
                let old = entries[link.id]
                if !link.wasWritten { neverOwed.insert(link.id) }
                let isHeld = keeps != APIError(.alreadySettled) || link.wasWritten
                if old?.part != nil, let keeps, isHeld { throw keeps }
                if old?.part != nil { moves += 1 }
                deleted[link.id] = nil
                entries[link.id] = Entry(version: .max, part: nil, account: link.account)
            }
        }
    }

    /// What a link's owner does there by themselves, as groups hears of it.
    func delete(_ id: ID<LedgerLink>, of user: ID<User>) -> ReceivablePostingChanged? {
        guard let entry = entries[id], let part = entry.part else { return nil }
        deleted[id] = part
        entries[id]?.part = nil
        return ReceivablePostingChanged(
            postingID: id.retagged(SharedPosting.self),
            userID: user,
            version: entry.version,
            isPosted: false
        )
    }

    func haveBack(_ id: ID<LedgerLink>, of user: ID<User>) -> ReceivablePostingChanged? {
        guard let part = deleted.removeValue(forKey: id), let entry = entries[id],
            entry.part == nil
        else { return nil }
        entries[id]?.part = part
        return ReceivablePostingChanged(
            postingID: id.retagged(SharedPosting.self),
            userID: user,
            version: entry.version,
            isPosted: true
        )
    }

    private func act(_ body: () throws -> Void) throws {
        if cut == .beforeItActs { throw APIError(.unavailable) }
        try body()
        if cut == .beforeItAnswers { throw APIError(.unavailable) }
    }
}

extension LinkingLedger.Entry {
    fileprivate init(_ asked: LedgerLink.Asked) {
        switch asked {
        case .posting(let posting):
            self.init(
                version: posting.version,
                part: LedgerLink.Part(posting),
                account: posting.accountID
            )
        case .clearing(let clearing):
            let none = Money(minorUnits: 0, clearing.amount.currency)
            let part = LedgerLink.Part(paid: clearing.amount, share: none, day: clearing.date)
            self.init(version: 1, part: part, account: clearing.accountID)
        }
    }
}

/// Four people with a group, of whom the first two have accounts.
struct LinkScene {
    let harness: Harness
    let group: TestGroup
    let ledger = LinkingLedger()
    let account = ID<Account>.new()
    let today: Day

    init(_ harness: Harness) async throws {
        self.harness = harness
        group = try await harness.makeGroup(of: 4)
        today = try #require(Day("2026-03-01"))
    }

    var links: LedgerLinkWork {
        LedgerLinkWork(
            database: harness.database,
            effects: harness.parts.effects,
            ledger: ledger.calling
        )
    }

    var cleared: ClearedSettlements {
        ClearedSettlements(settlements: harness.parts.settlements, links: links)
    }

    func person(_ index: Int) -> Person {
        Person(
            id: group.users[index],
            username: "p\(index)",
            email: "p\(index)@example.org",
            isEmailVerified: true,
            displayName: "P\(index)",
            timeZone: "UTC",
            currency: .eur,
            language: "en"
        )
    }

    /// One that somebody paid, equally among all.
    private func body(_ units: Int64, paidBy payer: Int?) -> NewExpense {
        let amount = Money(minorUnits: units, .eur)
        return NewExpense(
            name: "Rent",
            amount: amount,
            date: today,
            paidBy: payer.map { [MemberAmount(memberID: group.members[$0], amount: amount)] },
            split: Split(
                kind: .equal,
                parts: group.members.map { SplitPart(memberID: $0) }
            ),
            accountID: account
        )
    }

    /// Adds one from the account; the answer's expense.
    func add(
        _ units: Int64,
        by index: Int = 0,
        paidBy payer: Int? = nil,
        under key: String = ID<Expense>.new().text
    ) async throws -> ExpenseView {
        let linked = LinkedExpenses(expenses: harness.parts.expenses, links: links)
        let response = try await linked.add(
            body(units, paidBy: payer),
            from: account,
            to: group.id,
            by: person(index),
            under: IdempotencyScope(key: key, scope: "test", requestHash: [UInt8(index)])
        )
        switch response.content {
        case .view(let view): return view
        case .written(let bytes):
            return try JSON.read(ExpenseView.self, from: bytes, ignoringUnknownFields: true)
        default: throw APIError(.internalError)
        }
    }

    func change(_ id: ID<Expense>, to units: Int64, by index: Int) async throws -> ExpenseView {
        let change = ExpenseChange(amount: .set(Money(minorUnits: units, .eur)))
        let made = try await harness.parts.effects.run { transaction in
            try await harness.parts.expenses.change(
                id,
                of: group.id,
                change,
                by: group.users[index],
                today: today,
                ifMatch: nil,
                in: transaction
            )
        }
        return try await links.shown(on: made, to: group.users[index])
    }

    func remove(_ id: ID<Expense>, by index: Int) async throws {
        try await harness.parts.effects.run { transaction in
            try await harness.parts.expenses.remove(
                id,
                from: group.id,
                by: group.users[index],
                ifMatch: nil,
                in: transaction
            )
        }
        try await links.follow(id, of: group.id, by: group.users[index])
    }

    func restore(_ id: ID<Expense>, by index: Int) async throws -> ExpenseView {
        try await links.follow(id, of: group.id, by: group.users[index])
        let made = try await harness.parts.effects.run { transaction in
            try await harness.parts.expenses.restore(
                id,
                of: group.id,
                by: group.users[index],
                today: today,
                in: transaction
            )
        }
        return try await links.shown(on: made, to: group.users[index])
    }

    func set(_ id: ID<Expense>, by index: Int = 0) async throws -> LedgerLinkView {
        let body = NewLedgerLink(accountID: account)
        return try await links.set(id, of: group.id, body, by: group.users[index])
    }

    func link(of id: ID<Expense>, for index: Int = 0) async throws -> LedgerLinkView? {
        let store = harness.parts.expenses
        return try await store.find(id, in: group.id, for: group.users[index]).link
    }

    /// What stands of an expense, as the store has it.
    func stored(_ id: ID<Expense>) async throws -> LedgerLink? {
        let membership = try await harness.parts.groups.membership(
            of: group.users[0],
            in: group.id
        )
        return try await LedgerLinkStore.own(id, of: membership, harness.database)
    }

    /// Groups hears of what was done in the ledger.
    func hear(_ change: ReceivablePostingChanged?) async throws {
        let change = try #require(change)
        try await harness.database.transaction { transaction in
            try await LedgerLinkStore.follow(change, in: transaction)
        }
    }

    func count() async throws -> Int {
        let page = try await harness.parts.expenseList.page(
            ExpenseQuery(limit: 200),
            of: group.id,
            for: group.users[1]
        )
        return page.items.count
    }

    /// Nobody waits for what is under way any more, and the ledger answers.
    func finish() async throws {
        ledger.cut = nil
        let hasten = Statement<Void>(
            """
            update groups.ledger_link set look_at = now() - interval '1 hour'
            where look_at is not null
            """
        )
        for _ in 0..<3 {
            try await harness.database.execute(hasten)
            try await links.finishSome()
        }
    }

    func rows() async throws -> Int64 {
        let count = Statement("select count(*) from groups.ledger_link") { try $0.int64(0) }
        return try await harness.database.queryOne(count) ?? 0
    }
}
