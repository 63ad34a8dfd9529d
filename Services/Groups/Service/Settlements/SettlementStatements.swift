import Postgres
import ServiceKit
import WalletProtocol

/// A settlement as its row has it, without its payments.
struct SettlementRow: Sendable, Hashable {
    let id: ID<Settlement>
    let recordedBy: ID<Member>
    let createdAt: Instant
    let state: SettlementState
    let transfer: ID<Transfer>?
    let day: Day
}

/// One currency of a settlement, as its row has it.
struct SettlementPayment: Sendable, Hashable {
    let settlement: ID<Settlement>
    /// What it takes from what is open.
    let debt: MemberDebt
    /// What was paid, where that is in another currency.
    let paid: Money?

    /// As members see it.
    var part: SettlementPart {
        SettlementPart(
            fromMemberID: debt.debtor,
            toMemberID: debt.creditor,
            amount: paid ?? debt.amount,
            settles: paid.map { _ in debt.amount }
        )
    }
}

/// The SQL of settlements; each statement names the index that serves it.
enum SettlementStatements {
    static let insert = Statement<Void>(
        """
        insert into groups.settlement (group_id, id, recorded_by, state, day)
        values ($1, $2, $3, $4, $5)
        """
    )

    static let insertPayment = Statement<Void>(
        """
        insert into groups.settlement_payment (
            group_id, settlement_id, currency, debtor_id, creditor_id, amount, debtor_ids,
            creditor_ids, amounts, paid, paid_currency)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        """
    )

    /// Of what one currency of it has changed beside.
    static let addChanges = Statement<Void>(
        by: "settlement_payment_pkey",
        """
        update groups.settlement_payment
        set debtor_ids = debtor_ids || $4::uuid[], creditor_ids = creditor_ids || $5::uuid[],
            amounts = amounts || $6::bigint[]
        where group_id = $1 and settlement_id = $2 and currency = $3
        """
    )

    /// The debts that it has added to what is open; none between two places that were merged.
    static let changes = Statement(
        by: "settlement_payment_pkey",
        """
        select debt.debtor_id, debt.creditor_id, debt.amount, p.currency
        from groups.settlement_payment p
        cross join unnest(
            coalesce(p.debtor_ids, array[p.creditor_id]),
            coalesce(p.creditor_ids, array[p.debtor_id]),
            coalesce(p.amounts, array[p.amount])
        ) as debt (debtor_id, creditor_id, amount)
        where p.group_id = $1 and p.settlement_id = $2 and debt.debtor_id <> debt.creditor_id
        order by p.currency
        limit 100000
        """
    ) { row in
        try MemberDebt(
            debtor: row.value(0),
            creditor: row.value(1),
            amount: Money(minorUnits: row.int64(2), row.value(3))
        )
    }

    /// And all that hangs on it.
    static let delete = Statement<Void>(
        by: "settlement_pkey",
        "delete from groups.settlement where group_id = $1 and id = $2"
    )

    static let find = Statement(
        by: "settlement_pkey",
        """
        select id, recorded_by, created_at, state, transfer_id, day
        from groups.settlement
        where group_id = $1 and id = any($2)
        order by id desc
        limit 200
        """
    ) { row in try settlement(row) }

    /// Newest first.
    static let list = Statement(
        by: "settlement_pkey",
        """
        select id, recorded_by, created_at, state, transfer_id, day
        from groups.settlement
        where group_id = $1 and id < $2
        order by id desc
        limit $3
        """
    ) { row in try settlement(row) }

    private static func settlement(_ row: borrowing PostgresRow) throws -> SettlementRow {
        try SettlementRow(
            id: row.value(0),
            recordedBy: row.value(1),
            createdAt: row.value(2),
            state: row.word(3),
            transfer: row.value(4),
            day: row.value(5)
        )
    }

    static let payments = Statement(
        by: "settlement_payment_pkey",
        """
        select settlement_id, debtor_id, creditor_id, amount, currency, paid, paid_currency
        from groups.settlement_payment
        where group_id = $1 and settlement_id = any($2)
        order by settlement_id, currency
        limit 40000
        """
    ) { row in try payment(row) }

    private static func payment(_ row: borrowing PostgresRow) throws -> SettlementPayment {
        var paid: Money?
        if let units = try row.value(5, as: Int64?.self),
            let currency = try row.value(6, as: Currency?.self)
        {
            paid = Money(minorUnits: units, currency)
        }
        return try SettlementPayment(
            settlement: row.value(0),
            debt: MemberDebt(
                debtor: row.value(1),
                creditor: row.value(2),
                amount: Money(minorUnits: row.int64(3), row.value(4))
            ),
            paid: paid
        )
    }
}
