import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Random histories of a child's account, against what passes without approval.
@Suite struct ApprovalHistoryTests {
    @Test(arguments: (0..<6).map { _ in UInt64.random(in: 0...UInt64.max) })
    func noMoreLeavesAtOnceThanMayOrWasApprovedOf(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var buyer = try await Buyer(books, seed: seed)
            for round in 0..<150 {
                let note: Comment = "seed \(seed), round \(round)"
                if round % 15 == 0 { try await buyer.setRule() }
                let (postings, statuses) = try await buyer.call()
                let outcomes = try await books.service.post(postings, at: buyer.moment)
                    .map(\.status)
                #expect(outcomes == statuses, note)
                if outcomes != statuses { return }
            }
            #expect(buyer.refusals > 0 && buyer.largePurchases > 0, "seed \(seed)")
            try await books.check("seed \(seed)")
        }
    }
}

/// A child, told without a database: of each transaction where it is and how much its newest
/// version took, and the amount above which a parent is asked.
private struct Buyer {
    private struct Line {
        var account: ID<Account>
        var amount: Int64
        var version = 1
        var isGone = false
    }
    /// What leaves the account by an element: what the version before took of it is free.
    private struct Purchase {
        var index = 0
        var amount: Int64
        var stood: Int64 = 0
        var isApproved = false
        var isHeld = false
    }
    /// Elements, and what is bought by them.
    private struct Step {
        var postings: [Posting]
        var purchase: Purchase?
        var lines: [ID<MoneyTransaction>: Line] = [:]
        var held: (transfer: ID<Transfer>, amount: Int64)?
        var captured: ID<Transfer>?
    }

    private let books: Books
    private let user: ID<User>
    private let purse: ID<Account>
    private let wallet: ID<Account>
    private let categories: [CategoryID]
    private var chance: SeededGenerator
    private var above: Int64?
    private var lines: [ID<MoneyTransaction>: Line] = [:]
    private var holds: [ID<Transfer>: Int64] = [:]
    private var deposits = 0
    private(set) var moment = Instant(secondsSince1970: 1_700_000_000)
    /// What nobody approved of, and when.
    private var bought: [(at: Instant, amount: Int64)] = []
    private(set) var refusals = 0
    private(set) var largePurchases = 0

    init(_ books: Books, seed: UInt64) async throws {
        self.books = books
        chance = SeededGenerator(seed: seed)
        user = try await books.person()
        purse = try await books.purse(of: user, holding: 10_000_000)
        wallet = try await books.account(of: user, .wallet)
        categories = try await [books.others(of: user), books.category(of: user, "A")]
    }

    mutating func setRule() async throws {
        above = Int.random(in: 0..<5, using: &chance) == 0 ? nil : amount(0...120)
        try await books.limit(purse, [], approvalAbove: above)
    }

    /// Elements and chains, none of what another is of, and what becomes of them.
    mutating func call() async throws -> (postings: [Posting], statuses: [PostingStatus]) {
        var (postings, statuses): ([Posting], [PostingStatus]) = ([], [])
        var free = Set(lines.keys)
        var freeHolds = Set(holds.keys)
        moment = moment.adding(seconds: .random(in: 0...4_000, using: &chance))
        for number in 0..<Int.random(in: 1...4, using: &chance) {
            let count = Int.random(in: 1...2, using: &chance)
            let steps = (0..<count).map { _ in step(&free, &freeHolds) }
            var part = steps.flatMap(\.postings)
            for index in part.indices where part.count > 1 {
                part[index].chain = number
                if index > 0 { part[index].operation = nil }
            }
            postings += part
            statuses += decide(steps)
        }
        return (postings, statuses)
    }

    private mutating func decide(_ steps: [Step]) -> [PostingStatus] {
        var (statuses, refused): ([PostingStatus], Int?) = ([], nil)
        let before = bought
        for step in steps {
            if refused == nil, let purchase = step.purchase, isRefused(purchase) {
                refused = statuses.count + purchase.index
            }
            statuses += step.postings.map { _ in .posted }
        }
        if let refused {
            refusals += 1
            bought = before
            return statuses.indices.map { $0 == refused ? .approvalRequired : .chainFailed }
        }
        for step in steps {
            lines.merge(step.lines) { $1 }
            if let held = step.held { holds[held.transfer] = held.amount }
            if let captured = step.captured { holds[captured] = nil }
        }
        return statuses
    }

    /// Whether a parent is asked; else it is bought.
    private mutating func isRefused(_ purchase: Purchase) -> Bool {
        guard let above, purchase.amount > purchase.stood else { return false }
        if purchase.isApproved {
            if purchase.amount > above { largePurchases += 1 }
            return false
        }
        let (raised, since) = (purchase.amount - purchase.stood, moment.adding(seconds: -3_600))
        let hour = bought.filter { $0.at > since }.reduce(0) { $0 + $1.amount }
        if purchase.amount > above || hour + raised > above { return true }
        if !purchase.isHeld { bought.append((moment, raised)) }
        return false
    }

    // MARK: What they do

    private mutating func step(
        _ free: inout Set<ID<MoneyTransaction>>,
        _ freeHolds: inout Set<ID<Transfer>>
    ) -> Step {
        if Bool.random(using: &chance), let id = free.sorted().randomElement(using: &chance) {
            free.remove(id)
            if let line = lines[id] { return changing(id, line) }
        }
        switch Int.random(in: 0..<8, using: &chance) {
        case 0: return sending(.transfer)
        case 1: return sending(.deposit)
        case 2: return sending(.hold)
        case 3:
            guard let id = freeHolds.sorted().randomElement(using: &chance), let amount = holds[id]
            else { return buying() }
            freeHolds.remove(id)
            var posting = Posting(.capture, .init(of: user), by: user, on: purse)
            posting.counter = wallet
            (posting.transfer, posting.day) = (id, someDay)
            return Step(
                postings: [posting],
                purchase: Purchase(amount: amount),
                captured: id
            )
        default: return buying()
        }
    }

    private mutating func buying() -> Step {
        let account = Int.random(in: 0..<5, using: &chance) == 0 ? wallet : purse
        let line = Line(account: account, amount: amount(-40...100))
        var posting = recording(line, .new())
        posting.version = nil
        var free: Int64 = 0
        if Bool.random(using: &chance) {
            // Sometimes for more than is bought, sometimes for less.
            free = max(1, line.amount + amount(-20...20))
            posting.approved = free
        }
        let purchase = Purchase(amount: line.amount, isApproved: line.amount <= free)
        guard let id = posting.transaction else { return Step(postings: []) }
        return Step(
            postings: [posting],
            purchase: account == purse ? purchase : nil,
            lines: [id: line]
        )
    }

    /// An edit, which may put it on another account; a deletion; or what was deleted is had back.
    private mutating func changing(_ id: ID<MoneyTransaction>, _ old: Line) -> Step {
        var new = old
        new.version += 1
        new.isGone = false
        var postings: [Posting] = []
        if !old.isGone {
            var reversal = Posting.reversal(of: id, on: old.account, by: user)
            reversal.version = old.version
            if Int.random(in: 0..<3, using: &chance) == 0 {
                var line = old
                line.isGone = true
                return Step(postings: [reversal], lines: [id: line])
            }
            postings.append(reversal)
            if Int.random(in: 0..<4, using: &chance) == 0 {
                new.account = old.account == purse ? wallet : purse
            }
            if Bool.random(using: &chance) { new.amount = amount(-40...100) }
        }
        postings.append(recording(new, id))
        let stood = old.account == new.account ? max(old.amount, 0) : 0
        let purchase = Purchase(index: postings.count - 1, amount: new.amount, stood: stood)
        return Step(
            postings: postings,
            purchase: new.account == purse ? purchase : nil,
            lines: [id: new]
        )
    }

    private mutating func sending(_ kind: Posting.Kind) -> Step {
        let amount = amount(1...100)
        var posting = Posting.transfer(amount, from: purse, to: wallet, by: user)
        if kind == .deposit {
            deposits += 1
            posting = .deposit(amount, from: purse, named: "d\(deposits)", by: user)
        } else if kind == .hold {
            posting = Posting(.hold, .init(of: user), by: user, on: purse)
            posting.counter = wallet
            (posting.amount, posting.currency, posting.day) = (amount, .eur, someDay)
            (posting.transaction, posting.counterTransaction) = (.new(), .new())
            posting.transfer = .new()
            posting.expires = moment.adding(seconds: 9_000_000)
        }
        var step = Step(postings: [posting], purchase: Purchase(amount: amount))
        step.purchase?.isHeld = kind == .hold
        if kind == .hold, let transfer = posting.transfer { step.held = (transfer, amount) }
        return step
    }

    private mutating func recording(_ line: Line, _ id: ID<MoneyTransaction>) -> Posting {
        var posting = Posting.record(-line.amount, on: line.account, by: user)
        posting.transaction = id
        posting.version = line.version
        if line.amount > 1, Int.random(in: 0..<3, using: &chance) == 0 {
            posting.lines = [
                .init(category: categories[0], amount: 1 - line.amount),
                .init(category: categories[1], amount: -1),
            ]
        }
        return posting
    }

    /// Never zero: what moves nothing is another matter.
    private mutating func amount(_ range: ClosedRange<Int64>) -> Int64 {
        let drawn = Int64.random(in: range, using: &chance)
        return drawn == 0 ? 1 : drawn
    }
}
