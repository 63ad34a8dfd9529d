import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Random histories against a model: what was answered as posted is what the books say.
@Suite struct HistoryTests {
    @Test(arguments: [UInt64.random(in: 0...UInt64.max), 42])
    func balancesAreTheSumsOfWhatWasPosted(seed: UInt64) async throws {
        try await LedgerRig().run { actor, books in
            let people = try await [books.person(), books.person(), books.person()]
            var accounts: [Model.Known] = []
            for number in 0..<12 {
                let kind: AccountKind = number % 3 == 0 ? .wallet : .current
                let currency: Currency = number % 4 == 0 ? .usd : .eur
                let owner = people[number % 3]
                let id = try await books.account(of: owner, kind, currency, holding: 300)
                accounts.append(.init(id: id, owner: owner, kind: kind, currency: currency))
            }
            let model = Model(accounts)
            let rig = BatcherRig(books, on: actor)
            await atOnce(24, on: actor) { actor, worker in
                var chance = SeededGenerator(seed: seed &+ UInt64(worker))
                for _ in 0..<40 {
                    let step = model.step(&chance)
                    do {
                        let outcome = try await rig.on(actor).batcher.post(step)
                        model.posted(step, outcome)
                    } catch let error as APIError {
                        let expected = error.code != .internalError && error.code != .unavailable
                        #expect(expected, "\(error) of \(step), seed \(seed)")
                    } catch { Issue.record("\(error), seed \(seed)") }
                }
            }
            await rig.on(actor).end()
            for account in model.accounts {
                let balance = try await books.balance(account.id)
                #expect(balance == model.balances[account.id], "seed \(seed)")
                #expect(balance >= 0 || account.kind == .wallet, "seed \(seed)")
            }
            try await books.check("seed \(seed)")
        }
    }
}

/// What the answers say; one loop's own.
private final class Model: @unchecked Sendable {
    struct Known {
        let id: ID<Account>
        let owner: ID<User>
        let kind: AccountKind
        let currency: Currency
    }
    let accounts: [Known]
    var balances: [ID<Account>: Int64] = [:]
    private var sent: [Posting] = []
    private var records: [Posting] = []
    private var seen: Set<ID<JournalEntry>> = []

    init(_ accounts: [Known]) {
        self.accounts = accounts
        for account in accounts { balances[account.id] = 300 }
    }

    func step(_ chance: inout SeededGenerator) -> Posting {
        let one = accounts.randomElement(using: &chance) ?? accounts[0]
        let other = accounts.randomElement(using: &chance) ?? accounts[1]
        let made: Posting
        switch Int.random(in: 0..<10, using: &chance) {
        case 0..<3:
            made = .record(
                Int64.random(in: -200...200, using: &chance),
                one.currency,
                on: one.id,
                by: one.owner,
                key: "\(chance.next())"
            )
        case 3..<7:
            made = .transfer(
                Int64.random(in: 1...150, using: &chance),
                one.currency,
                from: one.id,
                to: other.id,
                by: one.owner,
                key: "\(chance.next())"
            )
        case 7:
            // The very same request once more.
            made = sent.randomElement(using: &chance) ?? step(&chance)
        default:
            guard let record = records.randomElement(using: &chance),
                let transaction = record.transaction, let actor = record.actor
            else { return step(&chance) }
            made = .reversal(of: transaction, on: record.account, by: actor)
        }
        sent.append(made)
        return made
    }

    func posted(_ posting: Posting, _ outcome: PostingOutcome) {
        guard let entry = outcome.entry, seen.insert(entry).inserted else { return }
        let amount = posting.amount ?? 0
        switch posting.kind {
        case .record:
            balances[posting.account, default: 0] += amount
            records.append(posting)
        case .transfer:
            balances[posting.account, default: 0] -= amount
            if let counter = posting.counter { balances[counter, default: 0] += amount }
        default:
            let record = records.first { $0.transaction == posting.transaction }
            balances[posting.account, default: 0] -= record?.amount ?? 0
        }
    }
}
