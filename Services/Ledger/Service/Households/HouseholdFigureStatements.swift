import Postgres
import ServiceKit
import WalletProtocol

/// From which month on a category of a parent's counts where: nowhere, without an envelope.
struct HouseholdPlacing: Hashable, Sendable {
    let user: ID<User>
    let category: CategoryID
    let month: Month
    let envelope: ID<HouseholdEnvelope>?
}

/// A figure of an envelope of a family's.
struct HouseholdFigure: Hashable, Sendable {
    let envelope: ID<HouseholdEnvelope>
    let figure: EnvelopeFigure
}

/// The SQL of what was allocated to families' envelopes, spent of them and told of them.
enum HouseholdFigureStatements {
    /// Up to a month.
    static let allocations = Statement(
        by: "household_envelope_, household_allocation_pkey",
        """
        select a.envelope_id, a.month, a.month, h.currency, a.amount
        from ledger.household as h
        join ledger.household_envelope as e on e.family_id = h.family_id
        join ledger.household_allocation as a on a.envelope_id = e.id
        where h.family_id = $1 and a.month <= $2
        """
    ) { row in try figure(row) }

    static let allocate = Statement<Void>(
        by: "household_allocation_pkey",
        """
        insert into ledger.household_allocation (envelope_id, month, amount)
        values ($1, $2, $3)
        on conflict (envelope_id, month) do update
        set amount = household_allocation.amount + excluded.amount
        """
    )

    /// What was spent by whoever is no parent any more.
    static let former = Statement(
        by: "household_envelope_, household_former_spending_envelope_idx",
        """
        select s.envelope_id, s.month, s.day, s.currency, s.amount
        from ledger.household_envelope as e
        join ledger.household_former_spending as s on s.envelope_id = e.id
        where e.family_id = $1 and s.month <= $2
        """
    ) { row in try figure(row) }

    /// Of a person in the order of time.
    static let placings = Statement(
        by: "household_category_family_idx",
        """
        select user_id, category_id, month, envelope_id
        from ledger.household_category
        where family_id = $1 and month <= $2
        order by user_id, category_id, month
        """
    ) { row in
        try HouseholdPlacing(
            user: row.value(0),
            category: row.value(1),
            month: row.value(2, as: Day.self).month,
            envelope: row.value(3)
        )
    }

    private static func figure(_ row: borrowing PostgresRow) throws -> HouseholdFigure {
        try HouseholdFigure(
            envelope: row.value(0),
            figure: EnvelopeFigure(
                month: row.value(1, as: Day.self).month,
                day: row.value(2),
                currency: row.value(3),
                amount: row.value(4)
            )
        )
    }

    // MARK: Telling

    /// One row where it is new.
    static let alert = Statement<Void>(
        """
        insert into ledger.household_alert (envelope_id, month) values ($1, $2)
        on conflict do nothing
        """
    )

    static let forgetAlert = Statement<Void>(
        by: "household_alert_pkey",
        "delete from ledger.household_alert where envelope_id = $1 and month = $2"
    )

    static let touch = Statement<Void>(
        "insert into ledger.household_touched (family_id, day) values ($1, $2)"
    )

    /// Whoever has waited for longest.
    static let next = Statement(
        by: "household_touched_pkey",
        """
        select family_id from ledger.household_touched order by id limit 1 for update skip locked
        """
    ) { row in try row.value(0, as: ID<Family>.self) }

    /// What is seen of one family, to be looked at now.
    static let take = Statement(
        by: "household_touched_family_idx",
        "delete from ledger.household_touched where family_id = $1 returning day"
    ) { row in try row.value(0, as: Day.self) }
}
