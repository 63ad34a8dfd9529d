import BankFiles
import Foundation
import Loops
import Postgres
import ServiceKit
import Testing
import WalletProtocol

@testable import LedgerService

/// A statement as a test writes it: MT940, whose rows name the account on the other side.
struct TestStatement {
    struct Row: Hashable {
        var day = "260105"
        /// In minor units.
        let amount: Int64
        var name = "Somebody"
        var text = "something"
        var counterparty: String?
        var endToEnd: String?
    }

    var number = "DE02120300000000202051"
    var opening: Int64 = 0
    var rows: [Row]
    /// The days of its balances.
    var from = "260101"
    var to = "260101"

    var closing: Int64 { rows.reduce(opening) { $0 + $1.amount } }

    private static func balance(_ amount: Int64, _ day: String) -> String {
        (amount < 0 ? "D" : "C") + day + "EUR" + written(amount)
    }

    static func written(_ amount: Int64) -> String {
        let cents = String(amount.magnitude % 100)
        return "\(amount.magnitude / 100),\(cents.count < 2 ? "0" + cents : cents)"
    }

    var bytes: [UInt8] {
        var text = ":20:TEST\n:25:\(number)\n:28C:1/1\n:60F:\(Self.balance(opening, from))\n"
        for row in rows {
            text +=
                ":61:\(row.day)\(row.amount < 0 ? "D" : "C")\(Self.written(row.amount))NTRFNONREF\n"
            text += ":86:166?00TRANSFER?20"
            if let id = row.endToEnd { text += "EREF+\(id)?21" }
            text += "SVWZ+\(row.text)"
            if let other = row.counterparty { text += "?31\(other)" }
            text += "?32\(row.name)\n"
        }
        return Array((text + ":62F:\(Self.balance(closing, to))\n-\n").utf8)
    }
}

extension Books {
    /// A preview, made as an upload makes it.
    func preview(
        _ bytes: [UInt8],
        into account: ID<Account>,
        of user: ID<User>,
        _ currency: Currency = .eur
    ) async throws -> ID<StatementImport> {
        let question = ReadStatement.Question(
            format: nil,
            mapping: nil,
            currency: currency,
            account: account,
            accountNumber: nil,
            rules: try await service.importRules(of: user)
        )
        let read = try ReadStatement(bytes, question)
        let recognizer = Recognizer(
            database: service,
            blocking: BlockingPool(threads: 1, queueMax: 4),
            account: account
        )
        let preview = ImportPreview(
            read: read,
            recognition: try await recognizer.recognize(read)
        )
        let id = ID<StatementImport>.new()
        try await service.transaction { transaction in
            let store = ImportPreviewWriter(transaction: transaction)
            try await store.insert(preview, file: bytes, as: id, for: user, account)
            let record = try #require(
                try await transaction.queryOne(ImportStatements.find, user, id)
            )
            try await transaction.matchOwnTransfers(record)
            try await transaction.noteDifferences(record)
        }
        return id
    }

    /// Has the worker do what is asked of an import; the state that it has then.
    func move(
        _ id: ID<StatementImport>,
        from: String,
        to: String
    ) async throws -> String {
        try await service.execute(ImportStatements.advance, id, from, to)
        let work = ImportWork(database: service, relayBell: RelayBell())
        while try await work.doOne() {}
        return try await owner.queryOne(stateOf, id) ?? ""
    }

    func commit(_ id: ID<StatementImport>) async throws -> String {
        try await move(id, from: "preview", to: "committing")
    }

    func withdraw(_ id: ID<StatementImport>) async throws -> String {
        try await move(id, from: "committed", to: "withdrawing")
    }

    /// By how much the account differs with an import, as it is told.
    func differences(_ id: ID<StatementImport>) async throws -> [String] {
        let text = try await owner.queryOne(differencesOf, id) ?? "[]"
        return try JSON.read([ImportFault].self, from: Array(text.utf8)).map(\.detail)
    }

    /// What an account shows: `day amount name`, with what says that it is an own transfer.
    func lines(of account: ID<Account>) async throws -> [String] {
        try await owner.query(linesOf, account)
    }

    /// The names of an account's rows in the order in which a statement has them.
    func names(on account: ID<Account>) async throws -> [String] {
        let days = try #require(
            Day("2026-01-01").flatMap { from in
                Day("2026-12-31").map { (from, $0) }
            }
        )
        let nothing = ID<MoneyTransaction>(high: 0, low: 0)
        return try await owner.query(
            StatementStatements.lines,
            account,
            days.0,
            nothing,
            days.1,
            Int32(100)
        ).map(\.name)
    }
}

private let stateOf = Statement(
    "select state from ledger.statement_import where id = $1"
) { row in try row.string(0) }
private let differencesOf = Statement(
    "select differences::text from ledger.statement_import where id = $1"
) { row in try row.string(0) }
private let linesOf = Statement(
    """
    select day || ' ' || amount || ' ' || coalesce(name, '')
        || case when own_transfer then ' (own)' else '' end
    from ledger.money_transaction
    where account_id = $1 and reversed_by is null
    order by day, amount, name
    """
) { row in try row.string(0) }
