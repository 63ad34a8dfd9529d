import Postgres
import ServiceKit
import WalletProtocol

/// An envelope of a family's as its row has it.
struct HouseholdEnvelopeRow: Hashable, Sendable {
    let id: ID<HouseholdEnvelope>
    let name: String
    let color: Colour
    let symbol: String?
    let coicop: Coicop?
    let version: Int32

    func view(with categories: [CategoryID]) -> HouseholdEnvelopeView {
        HouseholdEnvelopeView(
            id: id,
            name: name,
            color: color,
            symbol: symbol,
            coicop: coicop,
            categoryIDs: categories
        )
    }
}

/// The SQL of families' envelopes, and of who puts what into them.
enum HouseholdStatements {
    private static func envelope(_ row: borrowing PostgresRow) throws -> HouseholdEnvelopeRow {
        let coicop = try row.value(4, as: String?.self)
        return try HouseholdEnvelopeRow(
            id: row.value(0),
            name: row.string(1),
            color: Colour(rgb: UInt32(row.int32(2))),
            symbol: row.value(3),
            coicop: coicop.flatMap { Coicop(rawValue: $0) },
            version: row.int32(5)
        )
    }

    // MARK: The household, and its parents

    static let open = Statement<Void>(
        by: "household_pkey",
        """
        insert into ledger.household (family_id, currency) values ($1, $2)
        on conflict (family_id) do nothing
        """
    )

    /// Until the transaction's end it neither ends nor changes its parents or envelopes.
    static let lock = Statement(
        by: "household_pkey",
        """
        select ended_at is null from ledger.household where family_id = $1 for no key update
        """
    ) { row in try row.bool(0) }

    static let currency = Statement(
        by: "household_pkey",
        "select currency from ledger.household where family_id = $1 and ended_at is null"
    ) { row in try row.value(0, as: Currency.self) }

    /// Whoever is in a family is in no other, nor in it as they were before: those memberships are
    /// over, though groups has not told yet.
    static let leaveEarlier = Statement<Void>(
        by: "household_parent_pkey",
        """
        select ledger.leave_household_v1(user_id, family_id, joined_at)
        from ledger.household_parent
        where user_id = $1 and left_at is null and (family_id <> $2 or joined_at < $3)
        """
    )

    static let join = Statement<Void>(
        by: "household_parent_pkey",
        """
        insert into ledger.household_parent (user_id, family_id, joined_at) values ($1, $2, $3)
        on conflict (user_id, family_id) do update
        set joined_at = excluded.joined_at, left_at = null
        where household_parent.joined_at < excluded.joined_at
        """
    )

    static let isIn = Statement(
        by: "household_parent_",
        """
        select exists (
            select from ledger.household_parent
            where user_id = $1 and family_id = $2 and joined_at = $3 and left_at is null)
        """
    ) { row in try row.bool(0) }

    /// The first day that is not in what an earlier membership has left.
    static let keptUntil = Statement(
        by: "household_parent_",
        """
        select kept_until from ledger.household_parent
        where user_id = $1 and family_id = $2 and kept_until is not null
        """
    ) { row in try row.value(0, as: Day.self) }

    static let leave = Statement<Void>("select ledger.leave_household_v1($1, $2, $3)")

    static let end = Statement<Void>("select ledger.end_household_v1($1)")

    // MARK: Envelopes

    static let insert = Statement<Void>(
        """
        insert into ledger.household_envelope
            (family_id, id, name, name_folded, color, symbol, coicop)
        values ($1, $2, $3, $4, $5, $6, $7)
        """
    )

    /// By name.
    static let list = Statement(
        by: "household_envelope_",
        """
        select id, name, color, symbol, coicop, version
        from ledger.household_envelope
        where family_id = $1
        order by name_folded
        limit 1000
        """
    ) { row in try envelope(row) }

    static let find = Statement(
        by: "household_envelope_",
        """
        select id, name, color, symbol, coicop, version
        from ledger.household_envelope
        where family_id = $1 and id = $2
        for no key update
        """
    ) { row in try envelope(row) }

    static let change = Statement<Void>(
        by: "household_envelope_",
        """
        update ledger.household_envelope
        set name = $3, name_folded = $4, color = $5, symbol = $6, coicop = $7,
            version = version + 1
        where family_id = $1 and id = $2
        """
    )

    /// Allocations and sums go with it; categories in it are in none.
    static let delete = Statement<Void>(
        by: "household_envelope_",
        "delete from ledger.household_envelope where family_id = $1 and id = $2"
    )

    // MARK: Categories

    /// What was said of a category for a month and later ones.
    static let forgetLater = Statement<Void>(
        by: "household_category_pkey",
        """
        delete from ledger.household_category
        where user_id = $1 and category_id = $2 and month >= $3
        """
    )

    static let place = Statement<Void>(
        """
        insert into ledger.household_category
            (user_id, category_id, month, family_id, envelope_id)
        values ($1, $2, $3, $4, $5)
        """
    )

    /// Where a category counts in a month: nil where in none.
    static let placed = Statement(
        by: "household_category_pkey",
        """
        select envelope_id from ledger.household_category
        where user_id = $1 and category_id = $2 and month <= $3
        order by month desc
        limit 1
        """
    ) { row in try row.value(0, as: ID<HouseholdEnvelope>?.self) }

    /// With a category that is deleted.
    static let forgetCategory = Statement<Void>(
        by: "household_category_pkey",
        "delete from ledger.household_category where user_id = $1 and category_id = $2"
    )
}
