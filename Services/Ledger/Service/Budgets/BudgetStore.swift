import Loops
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// What a person's envelopes are read and changed through.
struct BudgetStore {
    let database: Database
    let people: People
    let rates: RateStore
    let blocking: BlockingPool

    /// Runs `body` in a transaction that sees one state, with the person as they are now.
    func read<Value>(
        _ user: ID<User>,
        _ body: (BudgetReader, Transaction) async throws -> Value
    ) async throws -> Value {
        _ = try await people.person(user)
        return try await database.transaction(BudgetReader.options) { transaction in
            guard let person = try await transaction.queryOne(PeopleStatements.find, user) else {
                throw APIError(.unauthenticated)
            }
            let reader = BudgetReader(
                user: user,
                person: person,
                today: people.today(for: person),
                rates: rates,
                blocking: blocking
            )
            return try await body(reader, transaction)
        }
    }

    /// The envelopes of a month, by the categories' names.
    /// - Throws: 422 for a month that cannot be planned.
    func page(_ query: BudgetQuery, of user: ID<User>) async throws -> BudgetPage {
        let after = try query.cursor?.decode(String.self) ?? ""
        return try await read(user) { reader, transaction in
            let month = query.month ?? reader.currentMonth
            guard BudgetCalendar.planned.contains(month.year),
                let from = reader.calendar.first(of: month),
                let to = reader.calendar.end(of: month)?.adding(days: -1)
            else { throw APIError.query("month", .outOfRange, "cannot be planned") }
            let rows = try await transaction.query(
                CategoryStatements.list,
                user,
                after,
                query.limit + 1
            )
            let shown = rows.prefix(query.limit)
            return BudgetPage(
                month: month,
                from: from,
                to: to,
                items: try await reader.envelopes(of: shown.map(\.id), in: month, transaction),
                nextCursor: rows.count > query.limit
                    ? shown.last.map { Cursor($0.nameFolded) } : nil
            )
        }
    }

    /// What a transaction's answer tells of budgets: what is left of its first category in the
    /// transaction's month, and whether any of them is overspent.
    ///
    /// To be called once it is recorded, with its categories (those of its lines). Without an
    /// envelope there is nothing to tell; that costs one look-up.
    func told(
        of categories: [CategoryID],
        on day: Day,
        user: ID<User>
    ) async throws -> (remaining: Total?, alerts: [BudgetAlert]) {
        guard try await database.queryOne(BudgetStatements.exists, user, categories) == true else {
            return (nil, [])
        }
        return try await read(user) { reader, transaction in
            guard let month = reader.calendar.month(of: day) else { return (nil, []) }
            let envelopes = try await reader.envelopes(of: categories, in: month, transaction)
            var hasEnvelope: [Bool] = []
            for envelope in envelopes {
                let found = try await transaction.queryOne(
                    BudgetStatements.allocations,
                    user,
                    [envelope.categoryID],
                    month.firstDay
                )
                hasEnvelope.append(found != nil)
            }
            let own = zip(envelopes, hasEnvelope).filter(\.1).map(\.0)
            return (
                own.first { $0.categoryID == categories.first }?.available,
                own.contains(where: \.isOverspent) ? [.exceeded] : []
            )
        }
    }
}

extension BudgetReader {
    /// The month asked for, or the running one.
    /// - Throws: 422 for one that nobody lives in.
    func month(_ asked: Month?) throws(APIError) -> Month {
        let month = asked ?? currentMonth
        guard BudgetCalendar.planned.contains(month.year) else {
            throw .field("/month", .outOfRange, "is no month that can be planned")
        }
        return month
    }

    /// Puts something into an envelope, or takes it out.
    func allocate(
        _ amount: Int64,
        to category: CategoryID,
        in month: Month,
        _ transaction: Transaction
    ) async throws {
        try await transaction.execute(
            BudgetStatements.allocate,
            user,
            category,
            month.firstDay,
            today,
            person.currency.code,
            Int128(amount)
        )
    }

    /// Notes whether an envelope is overspent now, and tells once that it has become so.
    func note(
        _ envelope: Envelope,
        cause: OverspendingCause,
        in transaction: Transaction
    ) async throws {
        let (category, month) = (envelope.categoryID, envelope.month)
        guard envelope.isOverspent else {
            try await transaction.execute(
                BudgetWatchStatements.forgetAlert,
                user,
                category,
                month.firstDay
            )
            return
        }
        let isNew = try await transaction.execute(
            BudgetWatchStatements.alert,
            user,
            category,
            month.firstDay
        )
        guard isNew == 1 else { return }
        _ = try await Outbox.append(
            BudgetExceeded(
                userID: user,
                categoryID: category,
                month: month,
                budget: try envelope.rolledOver.adding(envelope.allocated),
                spent: envelope.spent,
                available: envelope.available,
                cause: cause
            ),
            of: "budget:\(category)",
            in: transaction
        )
    }
}
