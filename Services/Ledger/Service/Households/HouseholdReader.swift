import Loops
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Reads a family's envelopes, in a transaction that sees one state of everything (repeatable
/// read): the sums of each parent who has put a category into one, as `SpendingReader` keeps them.
struct HouseholdReader {
    let family: ID<Family>
    let currency: Currency
    /// Where who asks is.
    let today: Day
    let rates: RateStore
    let blocking: BlockingPool

    /// The family's months are nobody's own: parents may have theirs begin on different days.
    static let calendar = BudgetCalendar(monthStart: 1)

    /// What each envelope has come to in a month, by name.
    /// - Parameter parent: whose categories are told with it; nobody's where none is named.
    func envelopes(
        in month: Month,
        for parent: ID<User>?,
        _ transaction: Transaction
    ) async throws -> [HouseholdEnvelopeMonth] {
        let rows = try await transaction.query(HouseholdStatements.list, family)
        let allocated = Dictionary(
            grouping: try await transaction.query(
                HouseholdFigureStatements.allocations,
                family,
                month.firstDay
            ),
            by: \.envelope
        )
        let placings = try await transaction.query(
            HouseholdFigureStatements.placings,
            family,
            month.firstDay
        )
        let first = allocated.values.joined().lazy.map(\.figure.month).min() ?? month
        let spent = try await spending(of: placings, from: first, through: month, transaction)
        let figures = allocated.values.joined().map(\.figure) + spent.map(\.figure)
        let isForeign = figures.contains { $0.currency != currency }
        let history = isForeign ? try await rates.history(on: blocking) : nil
        let own = Self.categories(of: parent, in: month, placings)
        let byEnvelope = Dictionary(grouping: spent, by: \.envelope)
        return try rows.map { row in
            try envelope(
                row.view(with: own[row.id] ?? []),
                in: month,
                allocations: (allocated[row.id] ?? []).map(\.figure),
                spending: byEnvelope[row.id] ?? [],
                history
            )
        }
    }

    /// Who has put which categories where in a month, of one person.
    static func categories(
        of parent: ID<User>?,
        in month: Month,
        _ placings: [HouseholdPlacing]
    ) -> [ID<HouseholdEnvelope>: [CategoryID]] {
        var own: [CategoryID: ID<HouseholdEnvelope>] = [:]
        // Later ones of a category come later.
        for placing in placings where placing.user == parent && placing.month <= month {
            own[placing.category] = placing.envelope
        }
        return Dictionary(grouping: own.keys.sorted()) { own[$0] }.reduce(into: [:]) { found, one in
            if let envelope = one.key { found[envelope] = one.value }
        }
    }

    /// A figure, and whose it is.
    private struct Spending {
        let envelope: ID<HouseholdEnvelope>
        /// Nil for whoever is no parent any more.
        let user: ID<User>?
        let figure: EnvelopeFigure
    }

    private func spending(
        of placings: [HouseholdPlacing],
        from first: Month,
        through month: Month,
        _ transaction: Transaction
    ) async throws -> [Spending] {
        let former = try await transaction.query(
            HouseholdFigureStatements.former,
            family,
            month.firstDay
        )
        var found = former.map { Spending(envelope: $0.envelope, user: nil, figure: $0.figure) }
        let byUser = Dictionary(grouping: placings, by: \.user)
        // In the order of ids, so that no two who keep sums wait for each other.
        for (user, own) in byUser.sorted(by: { $0.key < $1.key }) {
            guard let oldest = own.lazy.map(\.month).min() else { continue }
            let reader = SpendingReader(
                user: user,
                isForHousehold: true,
                calendar: Self.calendar,
                currency: currency,
                currentMonth: today.month
            )
            let places = Dictionary(grouping: own, by: \.category)
            let figures = try await reader.figures(
                of: places.keys.sorted(),
                from: max(oldest, first),
                through: month,
                keepingFrom: oldest,
                in: transaction
            )
            for one in figures {
                let place = places[one.category]?.last { $0.month <= one.figure.month }
                guard let envelope = place?.envelope else { continue }
                found.append(Spending(envelope: envelope, user: user, figure: one.figure))
            }
        }
        return found
    }

    private func envelope(
        _ view: HouseholdEnvelopeView,
        in month: Month,
        allocations: [EnvelopeFigure],
        spending: [Spending],
        _ rates: RateHistory?
    ) throws -> HouseholdEnvelopeMonth {
        let all = try EnvelopeBalance(
            in: month,
            currency,
            rates,
            allocations: allocations,
            spending: spending.map(\.figure)
        )
        let byUser = Dictionary(grouping: spending.filter { $0.figure.month == month }, by: \.user)
        // Those who were parents come last.
        let users = byUser.keys.sorted { one, other in
            other.map { other in one.map { $0 < other } ?? false } ?? (one != nil)
        }
        return HouseholdEnvelopeMonth(
            envelope: view,
            month: month,
            rolledOver: all.rolledOver,
            allocated: all.allocated,
            spent: all.spent,
            available: all.available,
            percent: Nullable(all.percent),
            unconverted: all.unconverted,
            spentBy: try users.map { user in
                let theirs = try EnvelopeBalance(
                    in: month,
                    currency,
                    rates,
                    allocations: [],
                    spending: (byUser[user] ?? []).map(\.figure)
                )
                return HouseholdSpending(userID: user, spent: theirs.spent)
            }
        )
    }

    /// Notes whether an envelope is overspent now, and tells once that it has become so.
    func note(
        _ found: HouseholdEnvelopeMonth,
        cause: OverspendingCause,
        in transaction: Transaction
    ) async throws {
        let (id, month) = (found.envelope.id, found.month)
        guard found.available.isNegative else {
            try await transaction.execute(
                HouseholdFigureStatements.forgetAlert,
                id,
                month.firstDay
            )
            return
        }
        let isNew = try await transaction.execute(
            HouseholdFigureStatements.alert,
            id,
            month.firstDay
        )
        guard isNew == 1 else { return }
        _ = try await Outbox.append(
            HouseholdBudgetExceeded(
                familyID: family,
                envelopeID: id,
                month: month,
                budget: try found.rolledOver.adding(found.allocated),
                spent: found.spent,
                available: found.available,
                cause: cause
            ),
            of: "household:\(family)",
            in: transaction
        )
    }
}
