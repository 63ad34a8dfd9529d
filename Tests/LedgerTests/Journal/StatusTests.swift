import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Each refusal has its status, alone and among a hundred that are posted beside it.
@Suite struct StatusTests {
    @Test func everyStatusIsGivenAloneAndHarmsNoneOfAHundred() async throws {
        try await LedgerRig().run { _, books in
            let cast = try await Cast(books)
            var seen: Set<PostingStatus> = [.posted]
            for (status, make) in cast.cases() {
                seen.insert(status)
                let alone = try await books.service.post(make(), waits: false)
                #expect(alone.contains { $0.status == status }, "\(status): \(alone)")
                #expect(!alone.contains { $0.status == .posted }, "\(status)")
                let odd = try await make()
                var batch = (0..<100).map { _ in
                    Posting.transfer(1, from: cast.rich, to: cast.spare, by: cast.ada)
                }
                batch.insert(contentsOf: odd, at: 50)
                let mixed = try await books.service.post(batch, waits: false)
                let its = mixed[50..<(50 + odd.count)]
                #expect(its.contains { $0.status == status }, "\(status): \(its)")
                let others = mixed[..<50] + mixed[(50 + odd.count)...]
                #expect(others.allSatisfy { $0.status == .posted }, "\(status)")
            }
            seen.insert(try await cast.busy())
            // None is left out, whatever is added.
            #expect(Set(PostingStatus.allCases) == seen)
            try await books.check()
        }
    }
}

/// People and accounts of which something can be refused.
private struct Cast {
    let books: Books
    let ada: ID<User>
    let rich: ID<Account>
    let spare: ID<Account>
    private let poor: ID<Account>
    private let full: ID<Account>
    private let dollars: ID<Account>
    private let wallet: ID<Account>
    private let closed: ID<Account>
    private let frozen: ID<Account>
    private let theirs: ID<Account>
    private let limited: ID<Account>
    private let ruled: ID<Account>
    private let rate: StoredRate

    init(_ books: Books) async throws {
        self.books = books
        ada = try await books.person()
        let ben = try await books.person()
        rich = try await books.account(of: ada, holding: 1_000_000)
        spare = try await books.account(of: ada)
        poor = try await books.account(of: ada, holding: 100)
        full = try await books.account(of: ada, .wallet, holding: .max - 10)
        dollars = try await books.account(of: ada, .current, .usd, holding: 100)
        wallet = try await books.account(of: ada, .wallet, holding: 5)
        closed = try await books.account(of: ada)
        frozen = try await books.account(of: ada)
        theirs = try await books.account(of: ben, holding: 100)
        limited = try await books.purse(of: ada, holding: 100)
        try await books.limit(limited, [(nil, 10)])
        ruled = try await books.purse(of: ada, holding: 100)
        try await books.limit(ruled, [], approvalAbove: 10)
        try await books.owner.execute(closeAccount, closed)
        try await books.owner.execute(freezeAccount, frozen)
        let history = try RateStore.shared.history()
        rate = StoredRate(try history.required(from: .eur, to: .usd, on: .utc(.now())))
    }

    private func record(_ amount: Int64, on account: ID<Account>) -> Posting {
        .record(amount, on: account, by: ada)
    }

    private func transfer(_ amount: Int64, _ from: ID<Account>, _ to: ID<Account>) -> Posting {
        .transfer(amount, from: from, to: to, by: ada)
    }

    /// A quote of Ada's from her rich account.
    private func quote(
        to account: ID<Account>,
        _ debit: Int64,
        _ credit: Int64,
        at rate: StoredRate? = nil,
        seconds: Int64 = 60
    ) async throws -> ID<Quote> {
        let id = ID<Quote>.new()
        try await books.owner.execute(
            TransferStatements.insertQuote,
            id,
            ada,
            rich,
            account,
            nil as String?,
            debit,
            credit,
            rate?.numerator,
            rate?.denominator,
            rate?.day,
            rate?.publisher,
            Instant.now().adding(seconds: seconds)
        )
        return id
    }

    private func quoted(_ quote: ID<Quote>, to account: ID<Account>) -> Posting {
        var posting = transfer(1, rich, account)
        (posting.amount, posting.currency, posting.quote) = (nil, nil, quote)
        return posting
    }

    private func hold() -> Posting {
        var posting = Posting.transfer(7, from: rich, to: spare, by: ada)
        posting = Posting(.hold, posting.operation, by: ada, on: rich)
        posting.counter = spare
        (posting.amount, posting.currency) = (7, .eur)
        (posting.transaction, posting.counterTransaction) = (.new(), .new())
        posting.transfer = .new()
        posting.day = someDay
        posting.expires = Instant.now().adding(seconds: 60)
        return posting
    }

    private func capture(_ transfer: ID<Transfer>?) -> Posting {
        var posting = Posting(.capture, Posting.Operation(of: ada), by: ada, on: rich)
        posting.counter = spare
        posting.transfer = transfer
        posting.day = someDay
        return posting
    }

    /// A deposit with the name of an account that there is.
    private func deposit(isProposed: Bool) -> Posting {
        .deposit(from: rich, named: poor.text, isProposed: isProposed, by: ada)
    }

    func cases() -> [(PostingStatus, () async throws -> [Posting])] {
        plain().map { status, make in (status, { [make()] }) } + ofQuotes() + ofOthers()
    }

    /// What needs nothing but the element.
    private func plain() -> [(PostingStatus, () -> Posting)] {
        [
            (.insufficientFunds, { transfer(101, poor, rich) }),
            (.insufficientFunds, { record(-101, on: poor) }),
            (.limitExceeded, { record(-11, on: limited) }),
            (.approvalRequired, { record(-11, on: ruled) }),
            (.overflow, { record(11, on: full) }),
            (.overflow, { transfer(11, rich, full) }),
            (.invalidAmount, { transfer(0, rich, poor) }),
            (.invalidAmount, { transfer(-5, rich, poor) }),
            (.invalidAmount, { record(.min, on: wallet) }),
            (.currencyMismatch, { transfer(5, rich, dollars) }),
            (.currencyMismatch, { .record(5, .usd, on: rich, by: ada) }),
            (.forbidden, { transfer(5, theirs, rich) }),
            (.forbidden, { record(5, on: theirs) }),
            (.sameAccount, { transfer(5, rich, rich) }),
            (.counterNotFound, { transfer(5, rich, .new()) }),
            (.accountNotFound, { record(5, on: .new()) }),
            (.accountClosed, { record(5, on: closed) }),
            (.accountClosed, { transfer(5, rich, closed) }),
            (.accountFrozen, { record(5, on: frozen) }),
            (.accountKind, { transfer(5, wallet, theirs) }),
            (.transactionNotFound, { .reversal(of: .new(), on: rich, by: ada) }),
            (.transferNotFound, { capture(.new()) }),
            (.quoteNotFound, { quoted(.new(), to: spare) }),
            (
                .categoryNotFound,
                {
                    var posting = record(5, on: rich)
                    posting.category = .new()
                    return posting
                }
            ),
            (
                .folderNotFound,
                {
                    var posting = record(5, on: rich)
                    posting.folder = .new()
                    return posting
                }
            ),
            (
                .invalidElement,
                {
                    var posting = record(5, on: rich)
                    posting.lines = [Posting.Line(category: .new(), amount: 4)]
                    return posting
                }
            ),
        ]
    }

    private func ofQuotes() -> [(PostingStatus, () async throws -> [Posting])] {
        [
            (.quoteMismatch, { [quoted(try await quote(to: poor, 5, 5), to: spare)] }),
            (
                .quoteExpired,
                { [quoted(try await quote(to: spare, 5, 5, seconds: -1), to: spare)] }
            ),
            (
                .quoteUsed,
                {
                    let quote = try await quote(to: spare, 5, 5)
                    let first = try await books.service.post([quoted(quote, to: spare)])
                    #expect(first.map(\.status) == [.posted])
                    return [quoted(quote, to: spare)]
                }
            ),
            (
                .amountTooSmall,
                {
                    let id = ID<Quote>.new()
                    try await books.owner.execute(
                        TransferStatements.insertQuote,
                        id,
                        ada,
                        rich,
                        dollars,
                        nil as String?,
                        nil as Int64?,
                        nil as Int64?,
                        rate.numerator,
                        rate.denominator,
                        rate.day,
                        rate.publisher,
                        Instant.now().adding(seconds: 60)
                    )
                    var posting = quoted(id, to: dollars)
                    (posting.amount, posting.counterAmount) = (1, 0)
                    return [posting]
                }
            ),
        ]
    }

    private func ofOthers() -> [(PostingStatus, () async throws -> [Posting])] {
        [
            (
                .holdEnded,
                {
                    let held = hold()
                    let ended = try await books.service.post([held, capture(held.transfer)])
                    #expect(ended.map(\.status) == [.posted, .transferNotFound])
                    let done = try await books.service.post([capture(held.transfer)])
                    #expect(done.map(\.status) == [.posted])
                    return [capture(held.transfer)]
                }
            ),
            (
                .keyReused,
                {
                    let key = ID<Event>.new().text
                    let first = Posting.transfer(1, from: rich, to: spare, by: ada, key: key)
                    _ = try await books.service.post([first])
                    var second = first
                    second.operation = first.operation.map {
                        Posting.Operation(scope: $0.scope, key: $0.key, requestHash: [9])
                    }
                    return [second]
                }
            ),
            (
                .chainFailed,
                {
                    var one = transfer(1, rich, spare)
                    var other = transfer(101, poor, rich)
                    (one.chain, other.chain) = (7, 7)
                    other.operation = nil
                    return [one, other]
                }
            ),
            (
                .transactionExists,
                {
                    let posting = record(5, on: rich)
                    _ = try await books.service.post([posting])
                    var again = record(5, on: rich)
                    (again.transaction, again.version) = (posting.transaction, 2)
                    return [again]
                }
            ),
            (
                .accountNotEmpty,
                {
                    var posting = Posting(
                        .opening,
                        Posting.Operation(of: ada),
                        by: ada,
                        on: wallet
                    )
                    (posting.amount, posting.currency, posting.day) = (5, .eur, someDay)
                    return [posting]
                }
            ),
            (.alreadySettled, { [try await settled()] }),
            (.accountNameTaken, { [deposit(isProposed: false)] }),
            (.proposedNameTaken, { [deposit(isProposed: true)] }),
        ]
    }

    /// What takes back a claim of which nothing is open any more.
    private func settled() async throws -> Posting {
        let owed = try await books.receivable(of: ada)
        let posting = Posting.claim(4, share: 0, on: rich, owed: owed, by: ada)
        let clearing = Posting.claim(-4, share: 0, on: rich, owed: owed, by: ada)
        let both = try await books.service.post([posting, clearing])
        #expect(both.map(\.status) == [.posted, .posted])
        return posting.reversed(owed: owed, by: ada)
    }

    /// The status of what is held by another, alone and among a hundred.
    func busy() async throws -> PostingStatus {
        try await books.owner.transaction { transaction in
            try await transaction.execute(lockAgainstPosting, poor)
            let alone = try await books.service.post([record(1, on: poor)], waits: false)
            #expect(alone.map(\.status) == [.busy])
            var batch = (0..<100).map { _ in transfer(1, rich, spare) }
            batch.insert(record(1, on: poor), at: 50)
            let mixed = try await books.service.post(batch, waits: false)
            let posted = mixed.filter { $0.status == .posted }
            #expect(posted.count == 100)
            return mixed[50].status
        }
    }
}

private let freezeAccount = Statement<Void>(
    "update ledger.account set state = 'frozen' where id = $1"
)
