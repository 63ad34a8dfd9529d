import BankFiles
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// The days of an account that a statement is of.
struct AccountExtract: Sendable {
    let account: StatementAccount
    let from: Day
    let to: Day

    fileprivate func head(_ sums: StatementSums) -> StatementHead {
        StatementHead(
            id: .new(),
            account: account.id,
            accountName: account.name,
            iban: account.iban,
            currency: account.currency,
            owner: account.owner,
            from: from,
            to: to,
            madeAt: .now(),
            opening: sums.opening,
            credits: sums.credits,
            debits: sums.debits,
            creditCount: sums.creditCount,
            debitCount: sums.debitCount
        )
    }
}

/// Finds and writes statements.
///
/// All of a file is of one snapshot, on one connection, in pages: neither the lines nor the file
/// are ever in memory as a whole.
struct StatementStore {
    let database: Database

    /// Lines of a page.
    static let page: Int32 = 500

    /// What a statement is to be of, as far as it can be told before it is written.
    /// - Throws: 404 for whoever may have none, `amount-too-large` where the format has no room.
    func find(
        _ account: ID<Account>,
        for user: ID<User>,
        _ from: Day,
        _ to: Day,
        as format: StatementFileType
    ) async throws -> AccountExtract {
        guard
            let found = try await database.queryOne(StatementStatements.account, user, account)
        else { throw APIError.notFound }
        let extract = AccountExtract(account: found, from: from, to: to)
        if format == .camt053,
            let sums = try await database.queryOne(StatementStatements.sums, account, from, to)
        {
            guard CamtStatement.fits(extract.head(sums), largest: sums.largest) else {
                throw APIError(.amountTooLarge)
            }
        }
        return extract
    }

    /// Tells that somebody has it, for everybody's figures.
    func tell(
        _ extract: AccountExtract,
        to user: ID<User>,
        as format: StatementFileType
    ) async throws {
        try await database.transaction { transaction in
            _ = try await Outbox.append(
                StatementExported(exportID: .new(), userID: user, format: format),
                of: "account:\(extract.account.id)",
                in: transaction
            )
        }
    }

    /// The whole file, page by page.
    func write(
        _ extract: AccountExtract,
        as file: any StatementWriter,
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        // Once only: what was sent cannot be taken back.
        let options = TransactionOptions(
            isolation: .repeatableRead,
            readOnly: true,
            attemptsMax: 1
        )
        try await database.transaction(options) { snapshot in
            guard
                let sums = try await snapshot.queryOne(
                    StatementStatements.sums,
                    extract.account.id,
                    extract.from,
                    extract.to
                )
            else { throw APIError(.internalError) }
            let head = extract.head(sums)
            var file = file
            try await file.begin(head, to: send)
            var balance = head.opening
            var place = (day: extract.from, id: ID<MoneyTransaction>(high: 0, low: 0))
            var count: Int64 = 0
            while true {
                var lines = try await snapshot.query(
                    StatementStatements.lines,
                    extract.account.id,
                    place.day,
                    place.id,
                    extract.to,
                    Self.page
                )
                for index in lines.indices {
                    balance += Int128(lines[index].amount)
                    lines[index].balance = balance
                }
                count += Int64(lines.count)
                try await file.append(lines, to: send)
                guard let last = lines.last, lines.count == Self.page else { break }
                place = (last.day, last.id)
            }
            // One snapshot: the lines are those that were summed.
            guard balance == head.closing, count == head.creditCount + head.debitCount else {
                throw APIError(.internalError, "the lines do not come to the closing balance")
            }
            try await file.end(to: send)
        }
    }
}
