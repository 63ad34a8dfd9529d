import Postgres
import ServiceKit
import WalletProtocol

/// A price as it is stored.
struct QuoteRow: Sendable {
    let id: ID<Quote>
    let from: ID<Account>
    /// Absent for a deposit that is to be opened, in `toCurrency`.
    let to: ID<Account>?
    let toCurrency: Currency?
    let debit: Int64?
    let credit: Int64?
    let rate: StoredRate?
    let expiresAt: Instant
}

/// The exact terms of a rate that was used.
struct StoredRate: Sendable {
    let numerator: Int64
    let denominator: Int64
    let day: Day
    let publisher: String

    init(_ rate: ExchangeRate) {
        numerator = rate.numerator
        denominator = rate.denominator
        day = rate.day
        publisher = rate.publisher
    }

    /// From four columns in a row; nil where they are null.
    init?(_ row: borrowing PostgresRow, from column: Int) throws {
        guard let numerator = try row.value(column, as: Int64?.self),
            let denominator = try row.value(column + 1, as: Int64?.self),
            let day = try row.value(column + 2, as: Day?.self),
            let publisher = try row.value(column + 3, as: String?.self)
        else { return nil }
        self.numerator = numerator
        self.denominator = denominator
        self.day = day
        self.publisher = publisher
    }

    /// The rate between the currencies that it stands between.
    func rate(from source: Currency, to target: Currency) throws(APIError) -> ExchangeRate {
        guard
            let rate = ExchangeRate(
                from: source,
                to: target,
                numerator: numerator,
                denominator: denominator,
                day: day,
                publisher: publisher
            )
        else { throw APIError(.internalError) }
        return rate
    }
}

/// A transfer as it is stored, with both accounts' owners.
struct TransferRow: Sendable {
    let id: ID<Transfer>
    let from: ID<Account>
    let to: ID<Account>
    let fromOwner: ID<User>
    let toOwner: ID<User>
    let debit: Money
    let credit: Money
    let reference: String?
    let rate: StoredRate?
    let state: TransferState
    let expiresAt: Instant?

    /// What one of the two was answered when it was made: what was held may be done since.
    func viewWhenMade(for user: ID<User>) throws -> TransferView {
        try view(for: user, as: expiresAt == nil ? .posted : .pending)
    }

    /// What one of the two sees: of the other's account nothing.
    func view(for user: ID<User>) throws -> TransferView {
        // The worker that ends a hold comes a little after its time.
        let isOver = state == .pending && expiresAt.map { $0 <= .now() } == true
        return try view(for: user, as: isOver ? .expired : state)
    }

    private func view(for user: ID<User>, as state: TransferState) throws -> TransferView {
        try TransferView(
            id: id,
            state: state,
            fromAccountID: fromOwner == user ? from : nil,
            toAccountID: toOwner == user ? to : nil,
            debit: debit,
            credit: credit,
            rate: rate?.rate(from: debit.currency, to: credit.currency).view,
            reference: reference,
            expiresAt: expiresAt,
            createdAt: id.instant
        )
    }
}

/// The SQL of quotes and transfers.
enum TransferStatements {
    static let insertQuote = Statement<Void>(
        """
        insert into ledger.quote (id, user_id, from_account, to_account, to_currency,
            debit_amount, credit_amount, rate_numerator, rate_denominator, rate_day, rate_source,
            expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        """
    )

    static let quotes = Statement(
        by: "quote_",
        """
        select id, from_account, to_account, debit_amount, credit_amount, expires_at,
            rate_numerator, rate_denominator, rate_day, rate_source, to_currency
        from ledger.quote where id = any ($2) and user_id = $1
        """
    ) { row in
        try QuoteRow(
            id: row.value(0),
            from: row.value(1),
            to: row.value(2),
            toCurrency: row.value(10),
            debit: row.value(3),
            credit: row.value(4),
            rate: StoredRate(row, from: 6),
            expiresAt: row.value(5)
        )
    }

    /// Longer than keys are kept, so that a replay finds its quote.
    static let deleteOldQuotes = Statement<Void>(
        by: "quote_expires_at_idx",
        "delete from ledger.quote where expires_at < now() - interval '2 days'"
    )

    /// What was posted under a key; nil for what was asked once that is forgotten.
    static let posted = Statement(
        by: "entry_op_key",
        """
        select request_hash, case when kind in ('transfer', 'deposit', 'hold') then id end,
            coalesce(members, '{}')
        from ledger.entry
        where op = $1
        limit 1
        """
    ) { row in
        try (
            request: row.value(0, as: ID<Posting.Operation>?.self),
            transfer: row.value(1, as: ID<Transfer>?.self),
            members: row.value(2, as: [ID<Transfer>].self)
        )
    }

    /// Of how many keys something has become, and whether of another request.
    static let decided = Statement(
        by: "entry_op_key, operation_pkey",
        """
        select count(*), coalesce(bool_or(request_hash <> $2), false)
        from (
            select request_hash from ledger.entry where op = any ($1)
            union all
            select request_hash from ledger.operation where op = any ($1)
        ) as decided
        """
    ) { row in (count: try row.int64(0), isReused: try row.bool(1)) }

    /// Holds whose time is over, but for some.
    static let overdue = Statement(
        by: "transfer_expires_at_idx",
        """
        select id, from_account, to_account
        from ledger.transfer_terms
        where state = 'pending' and expires_at <= $1 and not id = any ($2)
        order by expires_at
        limit 100
        """
    ) { row in
        try (
            id: row.value(0, as: ID<Transfer>.self),
            from: row.value(1, as: ID<Account>.self),
            to: row.value(2, as: ID<Account>.self)
        )
    }

    /// How each account shows it.
    static let sides = Statement(
        by: "entry_pkey, transfer_terms_pkey",
        "select from_transaction, to_transaction from ledger.transfer where id = $1"
    ) { row in
        try (
            from: row.value(0, as: ID<MoneyTransaction>.self),
            to: row.value(1, as: ID<MoneyTransaction>.self)
        )
    }

    /// Those of some accounts that are one's own, or shared with one.
    static let standing = Statement(
        by: "account_pkey, account_member_",
        """
        select id, user_id = $1
        from ledger.account
        where id = any ($2) and (user_id = $1 or exists (
            select from ledger.account_member
            where account_id = account.id and account_member.user_id = $1 and left_at is null
        ))
        """
    ) { row in
        (id: try row.value(0, as: ID<Account>.self), isOwned: try row.bool(1))
    }

    /// One's own, or of a wallet that is shared.
    static let find = Statement(
        by: "entry_pkey, transfer_terms_pkey, account_pkey, account_member_",
        """
        select transfer.id, from_account, to_account, payer.user_id, payee.user_id,
            debit_amount, payer.currency, credit_amount, payee.currency, reference,
            rate_numerator, rate_denominator, rate_day, rate_source, transfer.state, expires_at
        from ledger.transfer
        join ledger.account as payer on payer.id = from_account
        join ledger.account as payee on payee.id = to_account
        where transfer.id = any ($2) and ($1 in (payer.user_id, payee.user_id) or exists (
            select from ledger.account_member
            where account_id = any (array[from_account, to_account])
                and account_member.user_id = $1 and left_at is null
        ))
        """
    ) { row in
        let word = try row.string(14)
        guard let state = TransferState(rawValue: word) else {
            throw row.problem(14, "\(word) is no state of a transfer")
        }
        return try TransferRow(
            id: row.value(0),
            from: row.value(1),
            to: row.value(2),
            fromOwner: row.value(3),
            toOwner: row.value(4),
            debit: Money(minorUnits: row.int64(5), row.value(6)),
            credit: Money(minorUnits: row.int64(7), row.value(8)),
            reference: row.value(9),
            rate: StoredRate(row, from: 10),
            state: state,
            expiresAt: row.value(15)
        )
    }
}
