import ServiceKit
import WalletProtocol

@testable import LedgerService

/// The rules of `post_batch_v1` once more, one element after another and in memory.
struct LedgerModel {
    struct Holding {
        let owner: ID<User>
        let kind: AccountKind
        let currency: Currency
        var amount: Int64 = 0
        var held: Int64 = 0
        var movements: Int64 = 0
        var isClosed = false
        var name = ""
    }
    struct Told: Equatable {
        var account: ID<Account>
        var amount: Int64
        var version: Int
        var isCurrent: Bool
        var transfer: ID<Transfer>?
        var name: String?
    }
    struct Moved {
        let from: ID<Account>
        let to: ID<Account>
        let amount: Int64
        let sides: (ID<MoneyTransaction>, ID<MoneyTransaction>)
        let isTwoPhase: Bool
        var isPending: Bool
        let expires: Instant?
    }
    struct Known {
        let hash: [UInt8]
        let status: PostingStatus
        let members: [Posting]
    }
    struct Expected: Equatable {
        var status: PostingStatus
        var isReplay = false
        var transaction: ID<MoneyTransaction>?
        var transfer: ID<Transfer>?
    }

    var accounts: [ID<Account>: Holding] = [:]
    var transactions: [ID<MoneyTransaction>: Told] = [:]
    var transfers: [ID<Transfer>: Moved] = [:]
    var keys: [String: Known] = [:]
    var categories: [CategoryID: ID<User>] = [:]

    /// What no key stands for once the call is over.
    static let neverKept: Set<PostingStatus> = [
        .forbidden, .invalidElement, .transactionExists, .folderNotFound, .proposedNameTaken,
    ]

    /// What a call answers, and what it leaves.
    mutating func post(_ postings: [Posting], at moment: Instant) -> [Expected] {
        var answers: [Expected] = []
        var index = 0
        while index < postings.count {
            var end = index + 1
            if let chain = postings[index].chain {
                while end < postings.count, postings[end].chain == chain { end += 1 }
            }
            answers += post(chain: Array(postings[index..<end]), at: moment)
            index = end
        }
        keys = keys.filter { !Self.neverKept.contains($0.value.status) }
        return answers
    }

    private mutating func post(chain: [Posting], at moment: Instant) -> [Expected] {
        guard let operation = chain[0].operation else {
            return chain.map { _ in Expected(status: .invalidElement) }
        }
        let key = operation.scope + "\n" + operation.key
        if let known = keys[key] {
            guard known.hash == operation.requestHash else {
                return chain.indices.map {
                    Expected(status: $0 == 0 ? .keyReused : .chainFailed)
                }
            }
            return zip(chain, known.members + chain.dropFirst(known.members.count)).map {
                let isPosted = known.status == .posted
                return Expected(
                    status: known.status,
                    isReplay: true,
                    transaction: isPosted && ($0.transfer == nil || chain.count == 1)
                        ? $1.transaction : nil,
                    transfer: isPosted ? $1.transfer : nil
                )
            }
        }
        let before = self
        var answers: [Expected] = []
        var failure: PostingStatus?
        for posting in chain {
            if failure != nil {
                answers.append(Expected(status: .chainFailed))
                continue
            }
            let status = apply(posting, at: moment)
            if status == .posted {
                answers.append(
                    Expected(
                        status: .posted,
                        transaction: posting.transaction,
                        transfer: posting.transfer
                    )
                )
            } else {
                failure = status
                answers = answers.map { _ in Expected(status: .chainFailed) }
                answers.append(Expected(status: status))
            }
        }
        if failure != nil { self = before }
        keys[key] = Known(
            hash: operation.requestHash,
            status: failure ?? .posted,
            members: failure == nil ? chain : []
        )
        return answers
    }

    // MARK: One element, in the order of checks

    private mutating func apply(_ posting: Posting, at moment: Instant) -> PostingStatus {
        if !posting.lines.isEmpty {
            let sum = posting.lines.reduce(0) { $0 + $1.amount }
            if posting.category != nil || (posting.kind == .record && sum != posting.amount)
                || posting.lines.contains(where: { $0.amount == 0 })
                || Set(posting.lines.map(\.category)).count != posting.lines.count
            {
                return .invalidElement
            }
        }
        guard let one = accounts[posting.account] else { return .accountNotFound }
        var other: Holding?
        if let opens = posting.opens {
            other = Holding(
                owner: posting.actor ?? one.owner,
                kind: .deposit,
                currency: opens.currency
            )
            if posting.counterIsOwn, other?.owner != one.owner { return .counterNotFound }
        } else if let counter = posting.counter {
            guard let found = accounts[counter] else { return .counterNotFound }
            if counter == posting.account { return .sameAccount }
            if posting.counterIsOwn, found.owner != one.owner { return .counterNotFound }
            other = found
        }
        var taken: Told?
        if posting.kind == .reversal || posting.kind == .revision {
            guard let transaction = posting.transaction, let told = transactions[transaction],
                told.isCurrent, posting.version.map({ $0 == told.version }) ?? true,
                reaches(posting, told)
            else { return .transactionNotFound }
            if !posting.lines.isEmpty,
                posting.lines.reduce(0, { $0 + $1.amount }) != told.amount
            {
                return .invalidElement
            }
            taken = told
        } else if posting.kind == .record, let version = posting.version,
            let transaction = posting.transaction
        {
            let latest = transactions[transaction]
            if (latest?.version ?? 0) + 1 != version || latest?.isCurrent == true {
                return .transactionExists
            }
        }
        var held: Moved?
        if [.capture, .void, .expiry].contains(posting.kind) {
            guard let transfer = posting.transfer, let moved = transfers[transfer],
                moved.isTwoPhase, moved.from == posting.account, moved.to == posting.counter
            else { return .transferNotFound }
            let isOver = moved.expires.map { $0 <= moment } ?? false
            if !moved.isPending || (posting.kind == .capture && isOver)
                || (posting.kind == .expiry && !isOver)
            {
                return .holdEnded
            }
            held = moved
        }
        if let status = refusal(of: posting, one, other) { return status }
        return move(posting, one, other, taken, held)
    }

    /// Whether the accounts named are those that the money moved between.
    private func reaches(_ posting: Posting, _ told: Told) -> Bool {
        let named = [posting.account, posting.counter].compactMap(\.self)
        guard named.contains(told.account) else { return false }
        guard posting.kind == .reversal, let transfer = told.transfer,
            let moved = transfers[transfer]
        else { return true }
        return named.contains(moved.from) && named.contains(moved.to)
    }

    /// Rights, categories, currency, state.
    private func refusal(
        of posting: Posting,
        _ one: Holding,
        _ other: Holding?
    ) -> PostingStatus? {
        if let actor = posting.actor {
            let mayVoid = posting.kind == .void && (actor == one.owner || actor == other?.owner)
            if !mayVoid, actor != one.owner { return .forbidden }
            if posting.kind == .reversal, let other, other.owner != actor { return .forbidden }
        }
        let named = posting.lines.map(\.category) + [posting.category].compactMap(\.self)
        if named.contains(where: { categories[$0] != one.owner }),
            ![.opening, .reversal, .hold, .void, .expiry].contains(posting.kind)
        {
            return .categoryNotFound
        }
        switch posting.kind {
        case .record, .opening:
            if posting.amount == .min { return .invalidAmount }
            if posting.currency != one.currency { return .currencyMismatch }
        case .transfer, .hold, .deposit:
            if posting.kind == .hold, one.currency != other?.currency { return .currencyMismatch }
            if posting.amount ?? 0 <= 0 { return .invalidAmount }
            if posting.currency != one.currency || posting.currency != other?.currency {
                return .currencyMismatch
            }
        default: break
        }
        if ![.revision, .void, .expiry].contains(posting.kind) {
            if one.isClosed || other?.isClosed == true { return .accountClosed }
        }
        let isOwn = one.owner == other?.owner
        if [.transfer, .hold].contains(posting.kind), !isOwn, posting.actor != nil,
            ![.current, .deposit].contains(one.kind)
        {
            return .accountKind
        }
        if let opens = posting.opens,
            accounts.values.contains(where: {
                $0.owner == one.owner && !$0.isClosed && $0.name == opens.foldedName
            })
        {
            return opens.isProposed ? .proposedNameTaken : .accountNameTaken
        }
        return nil
    }

    private mutating func move(
        _ posting: Posting,
        _ one: Holding,
        _ other: Holding?,
        _ taken: Told?,
        _ held: Moved?
    ) -> PostingStatus {
        let before = self
        var status = settle(posting, other, taken, held)
        // Funds come last, once all of it has moved.
        if status == .posted {
            for (id, holding) in accounts where holding.kind != .wallet {
                let old = before.accounts[id]?.amount ?? 0
                if holding.amount < old, holding.amount < holding.held {
                    status = .insufficientFunds
                }
            }
        }
        if status != .posted { self = before }
        return status
    }

    private mutating func settle(
        _ posting: Posting,
        _ other: Holding?,
        _ taken: Told?,
        _ held: Moved?
    ) -> PostingStatus {
        let amount = posting.amount ?? 0
        switch posting.kind {
        case .record:
            if let status = add(amount, to: posting.account) { return status }
            guard let transaction = posting.transaction else { return .invalidElement }
            // A line of which nothing moves has a place of its own in the account's history.
            if amount == 0 { accounts[posting.account]?.movements += 1 }
            transactions[transaction] = Told(
                account: posting.account,
                amount: amount,
                version: posting.version ?? 1,
                isCurrent: true,
                name: posting.name
            )
        case .transfer, .deposit:
            if let opens = posting.opens, let counter = posting.counter, var opened = other {
                opened.name = opens.foldedName
                accounts[counter] = opened
            }
            return transfer(posting, amount)
        case .hold:
            guard var holding = accounts[posting.account], let id = posting.transfer,
                let counter = posting.counter, let side = posting.transaction,
                let counterSide = posting.counterTransaction
            else { return .invalidElement }
            if holding.held > .max - amount { return .overflow }
            if Self.isOutOfBounds(holding.amount, holding.held + amount) { return .overflow }
            if holding.kind != .wallet, holding.amount - holding.held < amount {
                return .insufficientFunds
            }
            holding.held += amount
            accounts[posting.account] = holding
            transfers[id] = Moved(
                from: posting.account,
                to: counter,
                amount: amount,
                sides: (side, counterSide),
                isTwoPhase: true,
                isPending: true,
                expires: posting.expires
            )
        case .capture, .void, .expiry:
            guard let held, let id = posting.transfer else { return .invalidElement }
            accounts[posting.account]?.held -= held.amount
            transfers[id]?.isPending = false
            guard posting.kind == .capture else { return .posted }
            if let status = add(-held.amount, to: held.from) { return status }
            if let status = add(held.amount, to: held.to) { return status }
            tell(id, held)
        case .reversal:
            guard let taken, let transaction = posting.transaction else { return .invalidElement }
            if let id = taken.transfer, let moved = transfers[id] {
                if let status = add(-moved.amount, to: moved.to) { return status }
                if let status = add(moved.amount, to: moved.from) { return status }
                transactions[moved.sides.0]?.isCurrent = false
                transactions[moved.sides.1]?.isCurrent = false
            } else {
                if let status = add(-taken.amount, to: taken.account) { return status }
                transactions[transaction]?.isCurrent = false
            }
        case .revision:
            guard let transaction = posting.transaction else { return .invalidElement }
            transactions[transaction]?.version += 1
            transactions[transaction]?.name = posting.name
            if let account = transactions[transaction]?.account {
                accounts[account]?.movements += 1
            }
        case .opening: return .invalidElement
        }
        return .posted
    }

    private mutating func transfer(_ posting: Posting, _ amount: Int64) -> PostingStatus {
        guard let id = posting.transfer, let counter = posting.counter,
            let side = posting.transaction, let counterSide = posting.counterTransaction
        else { return .invalidElement }
        if let status = add(-amount, to: posting.account) { return status }
        if let status = add(amount, to: counter) { return status }
        let moved = Moved(
            from: posting.account,
            to: counter,
            amount: amount,
            sides: (side, counterSide),
            isTwoPhase: false,
            isPending: false,
            expires: nil
        )
        transfers[id] = moved
        tell(id, moved)
        return .posted
    }

    private mutating func tell(_ id: ID<Transfer>, _ moved: Moved) {
        let sides = [
            (moved.sides.0, moved.from, -moved.amount), (moved.sides.1, moved.to, moved.amount),
        ]
        for (side, account, amount) in sides {
            transactions[side] = Told(
                account: account,
                amount: amount,
                version: 1,
                isCurrent: true,
                transfer: id
            )
        }
    }

    private static func isOutOfBounds(_ amount: Int64, _ held: Int64) -> Bool {
        let (left, isTooLow) = amount.subtractingReportingOverflow(held)
        return isTooLow || left == .min
    }

    private mutating func add(_ amount: Int64, to id: ID<Account>) -> PostingStatus? {
        guard var holding = accounts[id] else { return .accountNotFound }
        let (sum, isTooLarge) = holding.amount.addingReportingOverflow(amount)
        if isTooLarge || (amount < 0 && Self.isOutOfBounds(sum, holding.held)) {
            return .overflow
        }
        holding.amount = sum
        if amount != 0 { holding.movements += 1 }
        accounts[id] = holding
        return nil
    }
}
