import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Reads envelopes, in a transaction that sees one state of everything (repeatable read).
struct BudgetReader {
    let user: ID<User>
    /// As it is now, not as it was a while ago.
    let person: Person
    let today: Day
    let rates: RateStore
    let blocking: BlockingPool

    /// Every statement sees the same; whoever has written meanwhile lets it begin anew.
    static let options = TransactionOptions(isolation: .repeatableRead, attemptsMax: 10)

    var calendar: BudgetCalendar { BudgetCalendar(monthStart: person.monthStart) }

    /// The month that it is where the person is.
    var currentMonth: Month { calendar.month(of: today) ?? today.month }

    /// The envelopes of these categories in a month.
    func envelopes(
        of categories: [CategoryID],
        in month: Month,
        _ transaction: Transaction
    ) async throws -> [Envelope] {
        let sums = try await sums(of: categories, from: month, through: month, transaction)
        return try categories.map { try sums.envelope(of: $0) }
    }

    /// What the envelopes of these categories are made of in some months, at the last of them.
    func sums(
        of categories: [CategoryID],
        from first: Month,
        through month: Month,
        _ transaction: Transaction
    ) async throws -> EnvelopeSums {
        let allocations = try await transaction.query(
            BudgetStatements.allocations,
            user,
            categories,
            month.firstDay
        )
        let reader = SpendingReader(
            user: user,
            isForHousehold: false,
            calendar: calendar,
            currency: person.currency,
            currentMonth: currentMonth
        )
        let spending = try await reader.figures(
            of: categories,
            from: allocations.lazy.map(\.figure.month).filter { $0 < first }.min() ?? first,
            through: month,
            keepingFrom: transaction.queryOne(BudgetStatements.firstMonth, user) ?? nil,
            in: transaction
        )
        let isForeign = (allocations + spending).contains {
            $0.figure.currency != person.currency
        }
        return EnvelopeSums(
            month: month,
            currency: person.currency,
            rates: isForeign ? try await rates.history(on: blocking) : nil,
            allocations: allocations,
            spending: spending
        )
    }
}
