import TestKit
import WalletProtocol

@testable import AnalyticsService

/// A random life of a group: its events in order, and what stands at their end.
struct GroupLife {
    let group: ID<WalletProtocol.Group>
    private(set) var events: [EventEnvelope] = []
    private(set) var expenses: [ID<Expense>: Model.Booking] = [:]
    private(set) var parents: [CategoryID: CategoryID] = [:]
    private var categories: [ID<GroupCategory>] = []
    private var removed: [ID<Expense>: Model.Booking] = [:]

    init(of group: ID<WalletProtocol.Group>) { self.group = group }

    private var others: CategoryID { group.retagged(WalletProtocol.Category.self) }

    mutating func live(_ steps: Int, _ random: inout SeededGenerator) {
        for _ in 0..<steps {
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: changeCategory(&random)
            case 2: removeCategory(&random)
            case 3: remove(&random)
            case 4: restore(&random)
            case 5, 6: change(&random)
            default: add(&random)
            }
        }
        guard Int.random(in: 0..<5, using: &random) == 0 else { return }
        events.append(
            envelope(GroupChanged(groupID: group, currency: .eur, isDeleted: true), from: .groups)
        )
        expenses = [:]
    }

    private func anything(_ random: inout SeededGenerator) -> Model.Booking? {
        let category = (categories + [group.retagged(GroupCategory.self)])
            .randomElement(using: &random)
        let size = Int64.random(in: 1...(Bool.random(using: &random) ? 9 : 99_999), using: &random)
        guard let currency = History.currencies.randomElement(using: &random),
            let day = Day(daysSince1970: 19_480 + Int.random(in: 0..<70, using: &random))
        else { return nil }
        return Model.Booking(
            transaction: .new(),
            account: group.retagged(Account.self),
            category: category?.retagged(WalletProtocol.Category.self) ?? others,
            amount: Money(minorUnits: -size, currency),
            day: day
        )
    }

    private mutating func add(_ random: inout SeededGenerator) {
        guard let booking = anything(&random) else { return }
        let id = ID<Expense>.new()
        expenses[id] = booking
        events.append(
            envelope(
                GroupExpenseAdded(
                    expenseID: id,
                    groupID: group,
                    amount: Money(minorUnits: -booking.amount.minorUnits, booking.amount.currency),
                    day: booking.day,
                    categoryID: told(booking.category),
                    shares: [],
                    addedBy: .new()
                ),
                from: .groups
            )
        )
    }

    /// «Others» is told as none.
    private func told(_ category: CategoryID) -> ID<GroupCategory>? {
        category == others ? nil : category.retagged(GroupCategory.self)
    }

    private mutating func become(_ id: ID<Expense>, _ booking: Model.Booking) {
        expenses[id] = booking
        events.append(
            envelope(
                GroupExpenseChanged(
                    expenseID: id,
                    groupID: group,
                    amount: Money(minorUnits: -booking.amount.minorUnits, booking.amount.currency),
                    day: booking.day,
                    categoryID: told(booking.category),
                    shares: [],
                    changedBy: .new()
                ),
                from: .groups
            )
        )
    }

    private mutating func change(_ random: inout SeededGenerator) {
        guard let id = expenses.keys.sorted().randomElement(using: &random),
            let booking = anything(&random)
        else { return }
        become(id, booking)
    }

    private mutating func remove(_ random: inout SeededGenerator) {
        guard let id = expenses.keys.sorted().randomElement(using: &random) else { return }
        removed[id] = expenses.removeValue(forKey: id)
        events.append(
            envelope(
                GroupExpenseRemoved(expenseID: id, groupID: group, removedBy: .new()),
                from: .groups
            )
        )
    }

    private mutating func restore(_ random: inout SeededGenerator) {
        guard let id = removed.keys.sorted().randomElement(using: &random),
            let booking = removed.removeValue(forKey: id)
        else { return }
        become(id, booking)
    }

    private mutating func changeCategory(_ random: inout SeededGenerator) {
        let isNew = categories.count < 2 || Bool.random(using: &random)
        if isNew { categories.append(.new()) }
        guard let id = isNew ? categories.last : categories.randomElement(using: &random),
            let first = categories.first
        else { return }
        let parent = id != first && Bool.random(using: &random) ? first : nil
        parents[id.retagged(WalletProtocol.Category.self)] = parent?.retagged(
            WalletProtocol.Category.self
        )
        events.append(
            envelope(
                GroupCategoryChanged(groupID: group, categoryID: id, parentID: parent),
                from: .groups
            )
        )
    }

    /// What is in it goes to «Others», and those below it come up.
    private mutating func removeCategory(_ random: inout SeededGenerator) {
        guard let id = categories.randomElement(using: &random) else { return }
        categories.removeAll { $0 == id }
        for child in categories
        where parents[child.retagged(WalletProtocol.Category.self)]
            == id.retagged(WalletProtocol.Category.self)
        {
            parents[child.retagged(WalletProtocol.Category.self)] = nil
            events.append(
                envelope(GroupCategoryChanged(groupID: group, categoryID: child), from: .groups)
            )
        }
        parents[id.retagged(WalletProtocol.Category.self)] = nil
        events.append(
            envelope(
                GroupCategoryChanged(groupID: group, categoryID: id, isDeleted: true),
                from: .groups
            )
        )
        func moved(_ all: [ID<Expense>: Model.Booking]) -> [ID<Expense>: Model.Booking] {
            all.mapValues { booking in
                guard booking.category == id.retagged(WalletProtocol.Category.self) else {
                    return booking
                }
                return Model.Booking(
                    transaction: booking.transaction,
                    account: booking.account,
                    category: others,
                    amount: booking.amount,
                    day: booking.day
                )
            }
        }
        (expenses, removed) = (moved(expenses), moved(removed))
    }
}
