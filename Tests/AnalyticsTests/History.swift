import TestKit
import WalletProtocol

@testable import AnalyticsService

/// A random history of users, categories and transactions: its events, and the model at its end.
struct History {
    private(set) var model = Model()
    /// Events of each aggregate in order.
    private var strands: [[EventEnvelope]] = []
    private var erased: Set<ID<User>> = []
    let users: [ID<User>]
    private(set) var groups: [ID<Group>] = []
    private(set) var accounts: [ID<User>: [(id: ID<Account>, kind: AccountKind)]] = [:]
    private(set) var categories: [ID<User>: [CategoryID]] = [:]

    static let currencies = ["EUR", "EUR", "EUR", "USD", "JPY", "CHF"].compactMap { Currency($0) }
    static let areas = ["IT", "IT-RM", "IT-MI", "FR", "FR-75", "DE-BE", nil]

    init(userCount: Int, transactionCount: Int, using random: inout SeededGenerator) {
        users = (0..<userCount).map { _ in .new() }
        for user in users {
            addPerson(user, &random)
            accounts[user] = (0..<2).map { _ in
                (.new(), AccountKind.allCases.randomElement(using: &random) ?? .wallet)
            }
            for _ in 0..<3 {
                categories[user, default: []].append(addCategory(of: user, &random))
            }
        }
        groups = (0..<6).map { _ in .new() }
        for group in groups {
            var life = GroupLife(of: group)
            life.live(60, &random)
            strands.append(life.events)
            model.expenses[group] = life.expenses
            model.parents.merge(life.parents) { first, _ in first }
        }
        for _ in 0..<transactionCount { addTransaction(&random) }
        model.transactions = model.transactions.filter { !erased.contains($0.value.userID) }
    }

    /// All events, the aggregates in a random interleaving, postings doubled and out of order.
    func events(using random: inout SeededGenerator) -> [EventEnvelope] {
        var strands = strands
        var all: [EventEnvelope] = []
        while !strands.isEmpty {
            let index = Int.random(in: 0..<strands.count, using: &random)
            all.append(strands[index].removeFirst())
            if strands[index].isEmpty { strands.swapAt(index, strands.count - 1) }
            if strands.last?.isEmpty == true { strands.removeLast() }
            if let again = all.last, Int.random(in: 0..<4, using: &random) == 0 {
                all.append(again)
            }
        }
        for event in all where event.type == Postings.eventType {
            guard Int.random(in: 0..<5, using: &random) == 0 else { continue }
            all.insert(event, at: Int.random(in: 0...all.count, using: &random))
        }
        return all
    }

    private mutating func addPerson(_ user: ID<User>, _ random: inout SeededGenerator) {
        var person = Model.Person()
        var strand: [EventEnvelope] = []
        for round in 0..<2 {
            person.area = Self.areas.randomElement(using: &random) ?? nil
            person.dateOfBirth =
                Bool.random(using: &random)
                ? Day(daysSince1970: Int.random(in: -10_000...19_000, using: &random)) : nil
            strand.append(
                round == 0
                    ? envelope(
                        UserRegistered(
                            userID: user,
                            username: "u",
                            email: "u@example.org",
                            dateOfBirth: person.dateOfBirth,
                            area: person.area,
                            language: "en",
                            timeZone: "Europe/Rome",
                            currency: .eur,
                            registeredAt: .now()
                        ),
                        from: .auth
                    )
                    : envelope(
                        UserChanged(
                            userID: user,
                            username: "u",
                            email: "u@example.org",
                            emailVerified: true,
                            dateOfBirth: person.dateOfBirth,
                            area: person.area,
                            language: "en",
                            timeZone: "Europe/Rome",
                            currency: .eur,
                            enabled: true
                        ),
                        from: .auth
                    )
            )
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
            let changed = strand[1]
            strand.append(envelope(UserErased(userID: user, erasedAt: .now()), from: .auth))
            // What comes after all brings nobody back.
            strand.append(changed)
            person = Model.Person()
            erased.insert(user)
        }
        model.people[user] = person
        strands.append(strand)
    }

    private mutating func addCategory(
        of user: ID<User>,
        _ random: inout SeededGenerator
    ) -> CategoryID {
        let id = CategoryID.new()
        var strand: [EventEnvelope] = []
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let coicop: Coicop? =
                [.food, .transport, .education, nil].randomElement(
                    using: &random
                ) ?? nil
            model.divisions[id] = .some(coicop)
            // The first stands at the top, and others below it, or not.
            model.parents[id] = Bool.random(using: &random) ? categories[user]?.first : nil
            strand.append(
                envelope(
                    CategoryChanged(
                        categoryID: id,
                        userID: user,
                        parentID: model.parents[id],
                        coicop: coicop
                    )
                )
            )
        }
        if Int.random(in: 0..<5, using: &random) == 0 {
            strand.append(envelope(CategoryChanged(categoryID: id, userID: user, isDeleted: true)))
        }
        strands.append(strand)
        return id
    }

    /// One transaction's life: posted, changed a few times, perhaps deleted.
    private mutating func addTransaction(_ random: inout SeededGenerator) {
        let id = ID<MoneyTransaction>.new()
        guard let user = users.randomElement(using: &random) else { return }
        let versions = Int.random(in: 1...3, using: &random)
        let ownTransfer = Int.random(in: 0..<8, using: &random) == 0
        for version in 1...versions {
            guard let posting = posting(id, version, user, ownTransfer, &random) else { return }
            strands.append([envelope(posting)])
            let isLast = version == versions
            if isLast && Int.random(in: 0..<5, using: &random) > 0 {
                model.transactions[id] = posting
            } else {
                strands.append([envelope(reversal(of: posting))])
            }
        }
    }

    private func posting(
        _ id: ID<MoneyTransaction>,
        _ version: Int,
        _ user: ID<User>,
        _ isOwnTransfer: Bool,
        _ random: inout SeededGenerator
    ) -> TransactionPosted? {
        guard let account = accounts[user]?.randomElement(using: &random),
            let category = categories[user]?.randomElement(using: &random),
            let currency = Self.currencies.randomElement(using: &random),
            let day = Day(daysSince1970: 19_480 + Int.random(in: 0..<70, using: &random))
        else { return nil }
        let size = Int64.random(
            in: 0...(Bool.random(using: &random) ? 10 : 1_000_000),
            using: &random
        )
        let amount = Money(
            minorUnits: Int.random(in: 0..<3, using: &random) == 0 ? size : -size,
            currency
        )
        return TransactionPosted(
            source: JournalLine(entryID: .new(), place: 1),
            transactionID: id,
            version: version,
            kind: .posted,
            userID: user,
            accountID: account.id,
            accountKind: account.kind,
            amount: amount,
            day: day,
            categoryID: category,
            coicop: .food,
            transferID: isOwnTransfer ? .new() : nil,
            isOwnTransfer: isOwnTransfer,
            lines: lines(of: amount, user, &random),
            recordedAt: .now()
        )
    }

    /// Sometimes a split over two of the person's categories, one of which may be a refund.
    private func lines(
        of amount: Money,
        _ user: ID<User>,
        _ random: inout SeededGenerator
    ) -> [PostedLine]? {
        guard let categories = categories[user]?.shuffled(using: &random), categories.count > 1,
            Int.random(in: 0..<3, using: &random) == 0
        else { return nil }
        var part = Int64.random(in: -2_000...2_000, using: &random)
        if part == 0 || part == amount.minorUnits { part += 2_001 }
        if part == amount.minorUnits { part += 1 }
        return [
            PostedLine(
                categoryID: categories[0],
                coicop: .food,
                amount: Money(minorUnits: part, amount.currency)
            ),
            PostedLine(
                categoryID: categories[1],
                coicop: .food,
                amount: Money(minorUnits: amount.minorUnits - part, amount.currency)
            ),
        ]
    }
}
