import Postgres
import ServiceKit
import WalletProtocol

/// What a list of expenses and one of their positions are narrowed by.
protocol ExpenseSelection: Sendable {
    var from: Day? { get }
    var to: Day? { get }
    var minAmount: ExactDecimal? { get }
    var maxAmount: ExactDecimal? { get }
    var currency: Currency? { get }
    var categoryIDs: [ID<GroupCategory>] { get }
    var tags: [String] { get }
    var words: String? { get }
    var isMine: Bool { get }
    var near: TransactionVicinity? { get }
    /// Whether amounts are put in order, beside being bounded.
    var isByAmount: Bool { get }
}

extension ExpenseQuery: ExpenseSelection {
    var isByAmount: Bool { sort.isByAmount }
}

extension ExpensePositionQuery: ExpenseSelection {
    var isByAmount: Bool { false }
}

/// Which of a group's expenses are meant, as they are looked for.
struct ExpenseFilter: Sendable {
    let group: ID<Group>
    var from: Day?
    var to: Day?
    let currency: Currency?
    let least: Int64?
    let most: Int64?
    var categories: [ID<GroupCategory>]
    let tags: [String]
    let words: String?
    /// Who wrote them down.
    let addedBy: ID<Member>?
    let near: TransactionVicinity?

    /// - Parameter currency: the one that is asked for, or that all are in.
    /// - Throws: 400 for a bound that is no amount of it.
    init(
        _ selection: some ExpenseSelection,
        of membership: Membership,
        in currency: Currency?
    ) throws(APIError) {
        group = membership.group.id
        (from, to, near) = (selection.from, selection.to, selection.near)
        self.currency = currency
        least = try Self.units(selection.minAmount, currency, "minAmount")
        most = try Self.units(selection.maxAmount, currency, "maxAmount")
        categories = selection.categoryIDs
        tags = selection.tags.map { TransactionTags.trimmed($0) }
        words = selection.words?.likePattern
        addedBy = selection.isMine ? membership.member : nil
    }

    /// Finds out in which currency amounts are compared.
    /// - Throws: 422 where there are several.
    static func read(
        _ selection: some ExpenseSelection,
        of membership: Membership,
        _ database: some Querying
    ) async throws -> ExpenseFilter {
        var currency = selection.currency
        let compares =
            selection.isByAmount || selection.minAmount != nil || selection.maxAmount != nil
        if compares, currency == nil {
            let all = try await database.query(
                ExpenseStatements.currencies,
                membership.group.id
            )
            guard all.count <= 1 else {
                throw APIError(
                    .currencyMismatch,
                    "amounts of several currencies have no order: say which by «currency»"
                )
            }
            currency = all.first ?? membership.group.currency
        }
        return try ExpenseFilter(selection, of: membership, in: currency)
    }

    private static func units(
        _ amount: ExactDecimal?,
        _ currency: Currency?,
        _ parameter: String
    ) throws(APIError) -> Int64? {
        guard let amount, let currency else { return nil }
        guard amount.coefficient >= 0 else {
            throw .query(parameter, .negative, "must not be below zero")
        }
        guard let money = amount.money(in: currency) else {
            throw .query(parameter, .invalidAmount, "is no amount of \(currency)")
        }
        return money.minorUnits
    }
}

extension ExpenseFilter {
    /// Those alone that stand under the groups of a page, which goes through them in their order;
    /// nil where it has none.
    func narrowed(to page: [ExpenseView], by grouping: TransactionGrouping) -> ExpenseFilter? {
        guard let first = page.map(\.date).min(), let last = page.map(\.date).max() else {
            return nil
        }
        var narrowed = self
        switch grouping {
        case .category: narrowed.categories = Set(page.map(\.categoryID)).sorted()
        case .day: (narrowed.from, narrowed.to) = (first, last)
        case .month:
            narrowed.from = max(from ?? first.month.firstDay, first.month.firstDay)
            narrowed.to = min(to ?? last.month.lastDay, last.month.lastDay)
        }
        return narrowed
    }
}
