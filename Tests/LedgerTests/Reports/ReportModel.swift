import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What somebody and another have booked, kept beside the books as plain rows.
struct ReportModel {
    struct Line: Hashable {
        let category: CategoryID
        let amount: Int64
    }
    struct Item {
        let account: ID<Account>
        let currency: Currency
        var day: Day
        /// All of it, as the account sees it.
        let amount: Int64
        /// What counts of it: nothing of what moves between own accounts, or of what is paid back.
        var lines: [Line]
        var name: String?
        /// In millionths of a degree.
        let place: Posting.Location?
        let label: String?
        let isMine: Bool
        /// What can be taken back by itself.
        var isWhole = true
    }
    struct Wallet {
        let id: ID<Account>
        let currency: Currency
        let isOwn: Bool
        let isShared: Bool
    }

    let books: Books
    let ada: ID<User>
    let eve: ID<User>
    let wallets: [Wallet]
    let categories: [CategoryID]
    let receivable: ID<Account>
    let person: Person
    let rates: RateHistory
    private(set) var items: [ID<MoneyTransaction>: Item] = [:]
    var chance: SeededGenerator

    static let names = ["Shop", "SHOP", "shop", "Straße", "STRASSE", "Bar", "Rent"]
    static let days = 300

    /// Two wallets in euros, of which Eve may record on one; others in dollars, yen and dinars, of
    /// which the bank has no rate; and one of Eve's, on which Ada may record.
    init(_ books: Books, seed: UInt64) async throws {
        self.books = books
        chance = SeededGenerator(seed: seed)
        (ada, eve) = try await (books.person(), books.person())
        var wallets: [Wallet] = []
        for (currency, isShared) in [
            (Currency.eur, false), (.eur, true), (.usd, false), (.jpy, false),
            (try #require(Currency("KWD")), false),
        ] {
            let id = try await books.account(of: ada, .wallet, currency)
            if isShared { try await books.share(id, with: eve, .editor) }
            wallets.append(Wallet(id: id, currency: currency, isOwn: true, isShared: isShared))
        }
        let hers = try await books.account(of: eve, .wallet)
        try await books.share(hers, with: ada, .editor)
        wallets.append(Wallet(id: hers, currency: .eur, isOwn: false, isShared: true))
        self.wallets = wallets
        var categories = [try await books.others(of: ada)]
        for name in ["Food", "Fun"] { categories.append(try await books.category(of: ada, name)) }
        self.categories = categories
        receivable = try await books.receivable(of: ada)
        person = try #require(try await books.service.queryOne(PeopleStatements.find, ada))
        rates = try RateStore.shared.history()
    }

    /// As reports know her.
    func subject(today: Day, isOfChild: Bool = false) -> ReportSubject {
        ReportSubject(user: ada, person: person, today: today, isOfChild: isOfChild)
    }

    mutating func someDay() throws -> Day {
        let first = try #require(Day("2025-01-01"))
        return try #require(first.adding(days: Int.random(in: 0..<Self.days, using: &chance)))
    }

    /// Something is recorded, changed or taken back.
    mutating func step(_ note: Comment) async throws {
        switch Int.random(in: 0..<12, using: &chance) {
        case 0...5: try await record(note)
        case 6: try await move(note)
        case 7, 8: try await claim(note)
        case 9: try await takeBack(note)
        case 10: try await goTo(note)
        default: try await rename(note)
        }
    }

    private mutating func record(_ note: Comment) async throws {
        let wallet = try #require(wallets.randomElement(using: &chance))
        let isMine = !wallet.isShared || Int.random(in: 0..<2, using: &chance) == 0
        let amount = Int64.random(in: -9_000...5_000, using: &chance)
        var posting = Posting.record(
            amount,
            wallet.currency,
            on: wallet.id,
            by: isMine ? ada : eve
        )
        posting.day = try someDay()
        posting.name = Self.names.randomElement(using: &chance)
        if Int.random(in: 0..<3, using: &chance) > 0 {
            posting.location = Posting.Location(
                latitude: 45_464_203 + Int32.random(in: -2_000...2_000, using: &chance),
                longitude: -9_189_982 + Int32.random(in: -2_000...2_000, using: &chance)
            )
            posting.placeName = ["Here", "There", nil].randomElement(using: &chance) ?? nil
        }
        var lines: [Line] = []
        if isMine, amount < -2, Int.random(in: 0..<3, using: &chance) == 0 {
            let two = categories.shuffled(using: &chance).prefix(2)
            let part = Int64.random(in: (amount + 1)...(-1), using: &chance)
            lines = zip(two, [part, amount - part]).map { Line(category: $0, amount: $1) }
            posting.lines = lines.map { Posting.Line(category: $0.category, amount: $0.amount) }
        } else if isMine {
            let category = try #require(categories.randomElement(using: &chance))
            posting.category = category
            lines = [Line(category: category, amount: amount)]
        }
        let outcomes = try await books.service.post([posting])
        #expect(outcomes.map(\.status) == [.posted], note)
        items[try #require(posting.transaction)] = Item(
            account: wallet.id,
            currency: wallet.currency,
            day: try #require(posting.day),
            amount: amount,
            lines: lines,
            name: posting.name,
            place: posting.location,
            label: posting.placeName,
            isMine: isMine
        )
    }

    /// Between own accounts.
    private mutating func move(_ note: Comment) async throws {
        let amount = Int64.random(in: 1...3_000, using: &chance)
        var posting = Posting.transfer(amount, from: wallets[0].id, to: wallets[1].id, by: ada)
        posting.day = try someDay()
        let outcomes = try await books.service.post([posting])
        #expect(outcomes.map(\.status) == [.posted], note)
        let sides = [
            (posting.transaction, wallets[0], -amount),
            (posting.counterTransaction, wallets[1], amount),
        ]
        for (id, wallet, amount) in sides {
            items[try #require(id)] = Item(
                account: wallet.id,
                currency: .eur,
                day: try #require(posting.day),
                amount: amount,
                lines: [],
                name: nil,
                place: nil,
                label: nil,
                isMine: true,
                isWhole: false
            )
        }
    }

    /// Ada pays for others, or is paid back.
    private mutating func claim(_ note: Comment) async throws {
        let isBack = Int.random(in: 0..<3, using: &chance) == 0
        let share = isBack ? 0 : Int64.random(in: 1...2_000, using: &chance)
        let claim = Int64.random(in: 1...2_000, using: &chance) * (isBack ? -1 : 1)
        let category = try #require(categories.randomElement(using: &chance))
        var posting = Posting.claim(
            claim,
            share: share,
            on: wallets[0].id,
            owed: receivable,
            by: ada,
            in: category
        )
        posting.day = try someDay()
        posting.name = "Shared"
        let outcomes = try await books.service.post([posting])
        #expect(outcomes.map(\.status) == [.posted], note)
        items[try #require(posting.transaction)] = Item(
            account: wallets[0].id,
            currency: .eur,
            day: try #require(posting.day),
            amount: -share - claim,
            lines: isBack ? [] : [Line(category: category, amount: -share)],
            name: posting.name,
            place: nil,
            label: nil,
            isMine: true
        )
    }

    /// One that stands, and its row.
    private mutating func some() async throws -> (id: ID<MoneyTransaction>, row: TransactionRow)? {
        let whole = items.filter(\.value.isWhole).map(\.key).sorted()
        guard let id = whole.randomElement(using: &chance) else { return nil }
        let found = try await books.service.queryOne(TransactionStatements.find(id, for: ada))
        return (id, try #require(found?.row))
    }

    private mutating func takeBack(_ note: Comment) async throws {
        guard let (id, row) = try await some() else { return }
        let back = Posting(reversing: row, .init(of: ada), by: ada)
        let outcomes = try await books.service.post([back])
        // What was paid back holds what was claimed.
        #expect([[.posted], [.alreadySettled]].contains(outcomes.map(\.status)), note)
        if outcomes.map(\.status) == [.posted] { items[id] = nil }
    }

    /// To another day, as an edit does: taken back and recorded anew.
    private mutating func goTo(_ note: Comment) async throws {
        guard let (id, row) = try await some(), row.claim == 0 else { return }
        var back = Posting(reversing: row, .init(of: ada), by: ada)
        var anew = Posting(recordingAnew: row, nil, by: ada)
        anew.day = try someDay()
        (back.chain, anew.chain) = (1, 1)
        let outcomes = try await books.service.post([back, anew])
        #expect(outcomes.map(\.status) == [.posted, .posted], note)
        items[id]?.day = try #require(anew.day)
    }

    /// Only words.
    private mutating func rename(_ note: Comment) async throws {
        guard let (id, found) = try await some() else { return }
        var row = found
        row.name = Self.names.randomElement(using: &chance)
        let outcomes = try await books.service.post([
            Posting(revising: row, .init(of: ada), by: ada)
        ])
        #expect(outcomes.map(\.status) == [.posted], note)
        items[id]?.name = row.name
    }

    // MARK: What reports tell, by their definitions

    /// In another currency at a day's rate; nil without one.
    func shown(_ amount: Int128, _ source: Currency, in target: Currency, on day: Day) -> Int128? {
        if source == target { return amount }
        return rates.rate(from: source, to: target, on: day).flatMap { try? $0.shown(amount) }
    }

    /// What counts, each with its amount in the report's currency; nil without a rate.
    func counted(
        _ query: FlowReportQuery,
        _ period: ReportPeriod,
        ownAlone: Bool
    ) -> [(id: ID<MoneyTransaction>, item: Item, line: Line, shown: Int128?)] {
        let currency = query.currency ?? person.currency
        let seen = wallets.filter { $0.isOwn || !ownAlone }.map(\.id)
        let accounts = query.accountIDs.isEmpty ? seen : query.accountIDs
        var all: [(id: ID<MoneyTransaction>, item: Item, line: Line, shown: Int128?)] = []
        for (id, item) in items
        where item.isMine && accounts.contains(item.account) && item.day >= period.from
            && item.day <= period.to
        {
            for line in item.lines {
                guard query.categoryIDs.isEmpty || query.categoryIDs.contains(line.category),
                    (line.amount >= 0) == (query.direction == .incoming)
                else { continue }
                let amount = shown(
                    Int128(line.amount),
                    item.currency,
                    in: currency,
                    on: item.day
                )
                let size = amount.map { $0 < 0 ? -$0 : $0 }
                let least = query.minAmount?.money(in: currency)?.minorUnits
                let most = query.maxAmount?.money(in: currency)?.minorUnits
                if let size, let least, size < Int128(least) { continue }
                if let size, let most, size > Int128(most) { continue }
                all.append((id, item, line, size))
            }
        }
        return all
    }

    /// What an account held at the end of a day.
    func balance(_ account: ID<Account>, endOf day: Day) -> Int128 {
        items.values.lazy.filter { $0.account == account && $0.day <= day }
            .reduce(0) { $0 + Int128($1.amount) }
    }
}
