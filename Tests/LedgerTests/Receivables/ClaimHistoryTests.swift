import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Random histories of what somebody paid for others, against balances that are added up beside
/// the books.
@Suite struct ClaimHistoryTests {
    @Test(arguments: (0..<6).map { _ in UInt64.random(in: 0...UInt64.max) })
    func theReceivableIsWhatWasClaimedAndNotPaidBack(seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var payer = try await Payer(books, seed: seed)
            for round in 0..<150 {
                let note: Comment = "seed \(seed), round \(round)"
                let (postings, statuses) = payer.call()
                let outcomes = try await books.service.post(postings).map(\.status)
                #expect(outcomes == statuses, note)
                if outcomes != statuses { return }
                try await payer.check(note)
            }
            #expect(payer.posted > 20, "seed \(seed)")
            try await books.check("seed \(seed)")
        }
    }
}

/// Ada, who pays for others from two accounts and a wallet, and Ben, who pays her back.
private struct Payer {
    private struct Line {
        var posting: Posting
        var isGone = false
    }
    /// Elements, what each account has more by them, and what is refused of them and why.
    private struct Step {
        var postings: [Posting]
        var moves: [(account: ID<Account>, amount: Int64)]
        var owed: Int64
        var line: Line?
        var settles = false
    }

    private let books: Books
    private let ada: ID<User>
    private let ben: ID<User>
    private let accounts: [ID<Account>]
    private let theirs: ID<Account>
    private let receivable: ID<Account>
    private let others: CategoryID
    private var chance: SeededGenerator
    private var balances: [ID<Account>: Int64] = [:]
    private var owed: Int64 = 0
    private var lines: [ID<MoneyTransaction>: Line] = [:]
    private(set) var posted = 0

    init(_ books: Books, seed: UInt64) async throws {
        self.books = books
        chance = SeededGenerator(seed: seed)
        ada = try await books.person()
        ben = try await books.person()
        accounts = try await [
            books.account(of: ada, holding: 1_000), books.account(of: ada, holding: 1_000),
            books.account(of: ada, .wallet, holding: 1_000),
        ]
        theirs = try await books.account(of: ben, holding: 5_000)
        receivable = try await books.receivable(of: ada)
        others = try await books.others(of: ada)
        for account in accounts { balances[account] = 1_000 }
        balances[theirs] = 5_000
    }

    func check(_ note: Comment) async throws {
        for (account, amount) in balances {
            #expect(try await books.balance(account) == amount, note)
        }
        #expect(try await books.balance(receivable) == owed, note)
        for (id, line) in lines where !line.isGone {
            let found = try await books.service.queryOne(TransactionStatements.find(id, for: ada))
            let row = try #require(found?.row)
            #expect(row.claim == -(line.posting.claim ?? 0), note)
            #expect(row.share == line.posting.amount, note)
        }
    }

    /// One of hers, among transfers that have nothing to do with it.
    mutating func call() -> (postings: [Posting], statuses: [PostingStatus]) {
        let own = Int.random(in: 0..<4, using: &chance)
        var (postings, statuses): ([Posting], [PostingStatus]) = ([], [])
        for number in 0..<4 {
            let step = number == own ? claiming() : sending()
            postings += step.postings
            statuses += decide(step)
        }
        return (postings, statuses)
    }

    /// In the order of checks: what is settled, then what the accounts hold when all has moved.
    private mutating func decide(_ step: Step) -> [PostingStatus] {
        let count = step.postings.count
        func refused(_ status: PostingStatus, at place: Int) -> [PostingStatus] {
            (0..<count).map { $0 == place ? status : .chainFailed }
        }
        if step.postings.first?.kind == .reversal, let id = step.postings.first?.transaction,
            let claim = lines[id]?.posting.claim, claim > 0, owed >= 0, owed < claim
        {
            return refused(.alreadySettled, at: 0)
        }
        var after = balances
        for move in step.moves { after[move.account, default: 0] += move.amount }
        let bound = accounts.prefix(2) + [theirs]
        if step.moves.contains(where: { bound.contains($0.account) && after[$0.account] ?? 0 < 0 })
        {
            return refused(.insufficientFunds, at: count - 1)
        }
        balances = after
        owed += step.owed
        if let line = step.line, let id = line.posting.transaction { lines[id] = line }
        posted += 1
        return (0..<count).map { _ in .posted }
    }

    // MARK: What they do

    private mutating func account() -> ID<Account> {
        accounts[Int.random(in: 0..<accounts.count, using: &chance)]
    }

    private mutating func sending() -> Step {
        let amount = Int64.random(in: 1...40, using: &chance)
        let posting = Posting.transfer(amount, from: accounts[0], to: accounts[1], by: ada)
        return Step(
            postings: [posting],
            moves: [(accounts[0], -amount), (accounts[1], amount)],
            owed: 0
        )
    }

    private mutating func claiming() -> Step {
        let old = lines.keys.sorted().randomElement(using: &chance).flatMap { lines[$0] }
        switch (Int.random(in: 0..<8, using: &chance), old) {
        case (0, let old?), (1, let old?), (2, let old?): return changing(old)
        case (3, _): return paidBack()
        case (4, _): return transferred()
        default: return booked(paying(), nil)
        }
    }

    private mutating func paying() -> Posting {
        let share = Int64.random(in: 0...120, using: &chance)
        let isAlone = Int.random(in: 0..<4, using: &chance) == 0
        var claim = isAlone ? 0 : Int64.random(in: 1...300, using: &chance)
        if claim == 0, share == 0 { claim = 1 }
        return .claim(
            claim,
            share: share,
            on: account(),
            owed: receivable,
            by: ada,
            in: others
        )
    }

    private func booked(_ posting: Posting, _ before: Posting?) -> Step {
        Step(
            postings: [before, posting].compactMap(\.self),
            moves: [(posting.account, (posting.amount ?? 0) - (posting.claim ?? 0))],
            owed: posting.claim ?? 0,
            line: Line(posting: posting)
        )
    }

    private mutating func paidBack() -> Step {
        let amount = Int64.random(in: 1...200, using: &chance)
        let posting = Posting.claim(-amount, share: 0, on: account(), owed: receivable, by: ada)
        return booked(posting, nil)
    }

    /// Ben pays: what is open of it is cleared.
    private mutating func transferred() -> Step {
        let amount = Int64.random(in: 1...200, using: &chance)
        let payee = accounts[0]
        var posting = Posting.transfer(amount, from: theirs, to: payee, by: ben)
        posting.receivable = receivable
        return Step(
            postings: [posting],
            moves: [(theirs, -amount), (payee, amount)],
            owed: -min(amount, max(owed, 0))
        )
    }

    /// Taken back, had back, or posted anew on another account with other amounts.
    private mutating func changing(_ old: Line) -> Step {
        let taken = -(old.posting.amount ?? 0) + (old.posting.claim ?? 0)
        var new = old.posting
        new.version = (old.posting.version ?? 1) + 1
        new.operation = Posting.Operation(of: ada)
        if old.isGone { return booked(renewed(new), nil) }
        var reversal = old.posting.reversed(owed: receivable, by: ada)
        if Bool.random(using: &chance) {
            var line = old
            line.isGone = true
            return Step(
                postings: [reversal],
                moves: [(old.posting.account, taken)],
                owed: -(old.posting.claim ?? 0),
                line: line
            )
        }
        var edited = paying()
        (edited.transaction, edited.version) = (old.posting.transaction, new.version)
        (reversal.chain, edited.chain, edited.operation) = (1, 1, nil)
        var step = booked(edited, reversal)
        step.moves.append((old.posting.account, taken))
        step.owed -= old.posting.claim ?? 0
        return step
    }

    /// The same in an entry of its own.
    private func renewed(_ old: Posting) -> Posting {
        var posting = Posting(.record, old.operation, by: ada, on: old.account)
        posting.transaction = old.transaction
        posting.version = old.version
        (posting.amount, posting.currency, posting.day) = (old.amount, old.currency, old.day)
        (posting.claim, posting.counter, posting.lines) = (old.claim, old.counter, old.lines)
        return posting
    }
}
