import Postgres
import ServiceKit
import WalletProtocol

/// What a fact is found by.
struct FactKey: Hashable, Sendable {
    let user: ID<User>
    let transaction: ID<MoneyTransaction>
    let version: Int64
    let part: Int32

    static let first = FactKey(
        user: ID(high: 0, low: 0),
        transaction: ID(high: 0, low: 0),
        version: 0,
        part: 0
    )
}

/// A version of a transaction, as the ledger is asked about it.
struct VersionName: Hashable, Sendable {
    let transaction: ID<MoneyTransaction>
    let version: Int64
}

/// A fact as it is kept here.
struct KeptFact: Sendable {
    let key: FactKey
    let isReversed: Bool
    let day: Day
    let amount: Money

    init(_ row: borrowing PostgresRow) throws {
        key = FactKey(
            user: try row.value(0),
            transaction: try row.value(1),
            version: try row.int64(2),
            part: try row.int32(3)
        )
        isReversed = try row.bool(4)
        day = try row.value(5)
        amount = Money(minorUnits: try row.int64(6), try row.value(7))
    }

    var versionName: VersionName {
        VersionName(transaction: key.transaction, version: key.version)
    }

    /// Which it is, for whoever operates it.
    var words: String {
        factWords(key.user, key.transaction, key.version, key.part, day, amount.currency)
    }
}

/// A part of a posting that is missing here, or otherwise.
struct DifferingPart {
    let part: FactPart
    /// How it is here.
    let kept: (isReversed: Bool, amount: Money)?

    var words: String {
        let what = factWords(
            part.fact.userID,
            part.fact.transactionID,
            Int64(part.fact.version),
            part.number,
            part.fact.day,
            part.amount.currency
        )
        let there = part.fact.kind == .reversed ? "taken back" : part.amount.description
        guard let kept else { return "\(what): \(there) in ledger, missing here" }
        let here = part.amount == kept.amount ? "\(kept.amount), otherwise," : "\(kept.amount)"
        return "\(what): \(there) in ledger, \(kept.isReversed ? "taken back" : here) here"
    }
}

private func factWords(
    _ user: ID<User>,
    _ transaction: ID<MoneyTransaction>,
    _ version: Int64,
    _ part: Int32,
    _ day: Day,
    _ currency: Currency
) -> String {
    "fact of \(user), \(day.month.text) \(currency.code): "
        + "transaction \(transaction) version \(version) part \(part)"
}

extension TransactionPosted {
    var versionName: VersionName {
        VersionName(transaction: transactionID, version: Int64(version))
    }
}
