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
            group_id, settlement_id, currency, debtor_id, creditor_id, amount)
        values ($1, $2, $3, $4, $5, $6)
        """
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
        select settlement_id, debtor_id, creditor_id, amount, currency
        from groups.settlement_payment
        where group_id = $1 and settlement_id = any($2)
        order by settlement_id, currency
        limit 40000
        """
    ) { row in
        (
            settlement: try row.value(0, as: ID<Settlement>.self),
            payment: MemberDebt(
                debtor: try row.value(1),
                creditor: try row.value(2),
                amount: Money(minorUnits: try row.int64(3), try row.value(4))
            )
        )
    }
}
