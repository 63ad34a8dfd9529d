import Postgres
import ServiceKit
import WalletProtocol

/// A transaction as its account's owner sees it.
struct TransactionRow: Sendable {
    let id: ID<MoneyTransaction>
    let account: ID<Account>
    let amount: Int64
    let currency: Currency
    let name: String?
    let day: Day
    let category: ID<WalletProtocol.Category>
    let description: String?
    let transfer: ID<Transfer>?
    let importID: ID<StatementImport>?
    let version: Int32
    let tags: [String]
    let location: Posting.Location?
    let placeName: String?
    let folder: ID<Folder>?
    let recurrence: ID<Recurrence>?
    /// In place of a category; empty where it is not split.
    let lines: [Posting.Line]

    var view: TransactionView {
        TransactionView(
            id: id,
            accountID: account,
            amount: Money(minorUnits: amount, currency),
            name: name ?? "",
            date: day,
            categoryID: category,
            description: description,
            transferID: transfer,
            importID: importID,
            version: Int(version),
            createdAt: id.instant
        )
    }
}

/// The SQL of transactions; a list is joined from these fragments, each combination with its plan.
enum TransactionStatements {
    /// What every list selects; its index follows from the filter and the order.
    static let select: StaticString = """
        select t.id, t.account_id, t.amount, a.currency, t.name, t.day, t.category_id,
            t.description, t.transfer_id, t.import_id, t.version, t.tags, t.latitude, t.longitude,
            t.place, t.folder_id, t.recurrence_id,
            case when t.is_split then array(
                select category_id from ledger.transaction_line as line
                where line.transaction_id = t.id and line.version = t.version order by line.place
            ) end,
            case when t.is_split then array(
                select amount from ledger.transaction_line as line
                where line.transaction_id = t.id and line.version = t.version order by line.place
            ) end
        from ledger.money_transaction as t join ledger.account as a on a.id = t.account_id
        where t.user_id = $1 and t.reversed_by is null
        """

    static func row(_ row: borrowing PostgresRow) throws -> TransactionRow {
        let (latitude, longitude) = try (
            row.value(12, as: Int32?.self), row.value(13, as: Int32?.self)
        )
        let categories = try row.value(17, as: [ID<WalletProtocol.Category>]?.self) ?? []
        let amounts = try row.value(18, as: [Int64]?.self) ?? []
        return try TransactionRow(
            id: row.value(0),
            account: row.value(1),
            amount: row.int64(2),
            currency: row.value(3),
            name: row.value(4),
            day: row.value(5),
            category: row.value(6),
            description: row.value(7),
            transfer: row.value(8),
            importID: row.value(9),
            version: row.int32(10),
            tags: row.value(11),
            location: latitude.flatMap { latitude in
                longitude.map { Posting.Location(latitude: latitude, longitude: $0) }
            },
            placeName: row.value(14),
            folder: row.value(15),
            recurrence: row.value(16),
            lines: zip(categories, amounts).map { Posting.Line(category: $0, amount: $1) }
        )
    }

    /// money_transaction_pkey: the version that counts.
    static let find = Statement(
        """
        select t.id, t.account_id, t.amount, a.currency, t.name, t.day, t.category_id,
            t.description, t.transfer_id, t.import_id, t.version, t.tags, t.latitude, t.longitude,
            t.place, t.folder_id, t.recurrence_id,
            case when t.is_split then array(
                select category_id from ledger.transaction_line as line
                where line.transaction_id = t.id and line.version = t.version order by line.place
            ) end,
            case when t.is_split then array(
                select amount from ledger.transaction_line as line
                where line.transaction_id = t.id and line.version = t.version order by line.place
            ) end
        from ledger.money_transaction as t join ledger.account as a on a.id = t.account_id
        where t.id = $2 and t.user_id = $1 and t.reversed_by is null
        """
    ) { row in try TransactionStatements.row(row) }

    /// money_transaction_pkey: as of a version, for replays.
    static let first = Statement(
        """
        select t.id, t.account_id, t.amount, a.currency, t.name, t.day, t.category_id,
            t.description, t.transfer_id, t.import_id, t.version, t.tags, t.latitude, t.longitude,
            t.place, t.folder_id, t.recurrence_id,
            case when t.is_split then array(
                select category_id from ledger.transaction_line as line
                where line.transaction_id = t.id and line.version = t.version order by line.place
            ) end,
            case when t.is_split then array(
                select amount from ledger.transaction_line as line
                where line.transaction_id = t.id and line.version = t.version order by line.place
            ) end
        from ledger.money_transaction as t join ledger.account as a on a.id = t.account_id
        where t.id = $2 and t.user_id = $1 and t.version = $3
        """
    ) { row in try TransactionStatements.row(row) }

    /// money_transaction_category_idx, transaction_line_category_idx: whole or in a line.
    static let ofCategory = Statement(
        """
        select t.id, t.account_id, t.amount, a.currency, t.name, t.day, t.category_id,
            t.description, t.transfer_id, t.import_id, t.version, t.tags, t.latitude, t.longitude,
            t.place, t.folder_id, t.recurrence_id,
            case when t.is_split then array(
                select category_id from ledger.transaction_line as line
                where line.transaction_id = t.id and line.version = t.version order by line.place
            ) end,
            case when t.is_split then array(
                select amount from ledger.transaction_line as line
                where line.transaction_id = t.id and line.version = t.version order by line.place
            ) end,
            a.state = 'closed'
        from (
            (select id, version from ledger.money_transaction
            where user_id = $1 and category_id = $2 and reversed_by is null and not is_split
            order by day, id
            limit $3)
            union all
            (select transaction_id, version from ledger.transaction_line
            where user_id = $1 and category_id = $2 and is_current
            order by day, transaction_id
            limit $3)
        ) as found
        join ledger.money_transaction as t on t.id = found.id and t.version = found.version
        join ledger.account as a on a.id = t.account_id
        limit $3
        """
    ) { row in
        (row: try TransactionStatements.row(row), isClosed: try row.bool(19))
    }

    /// account_user_id_idx: the currencies that amounts would be compared over.
    static let currencies = Statement(
        "select distinct currency from ledger.account where user_id = $1"
    ) { row in try row.value(0, as: Currency.self) }

    /// account_user_id_idx.
    static let currenciesOf = Statement(
        "select distinct currency from ledger.account where user_id = $1 and id = any ($2)"
    ) { row in try row.value(0, as: Currency.self) }

    /// deletion_pkey.
    static let insertDeletion = Statement<Void>(
        """
        insert into ledger.deletion (id, user_id, transaction_id, version, undo_until)
        values ($1, $2, $3, $4, $5)
        """
    )

    /// deletion_pkey: two calls at once come one after another.
    static let lockDeletion = Statement(
        """
        select transaction_id, version, undo_until, undone_at is not null
        from ledger.deletion
        where id = $2 and user_id = $1
        for update
        """
    ) { row in
        try (
            transaction: row.value(0, as: ID<MoneyTransaction>.self),
            version: row.int32(1),
            undoUntil: row.value(2, as: Instant.self),
            isUndone: row.bool(3)
        )
    }

    /// deletion_pkey.
    static let markUndone = Statement<Void>(
        "update ledger.deletion set undone_at = now() where id = $1"
    )

    /// deletion_undo_until_idx.
    static let deleteOldDeletions = Statement<Void>(
        "delete from ledger.deletion where undo_until < now() - interval '1 day'"
    )
}
