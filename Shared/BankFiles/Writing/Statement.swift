package import WalletProtocol

/// An account's statement before its lines: whose, of which days, and between which balances.
///
/// Sums by day may be beyond 64 bits where no balance ever was, for days are not in the order in
/// which things were posted.
package struct StatementHead: Sendable {
    /// Made for this one file.
    package let id: ID<JournalEntry>
    package let account: ID<Account>
    package let accountName: String
    package let iban: String?
    package let currency: Currency
    package let owner: String
    package let from: Day
    package let to: Day
    package let madeAt: Instant
    package var opening: Int128
    package var credits: Int128
    package var debits: Int128
    package var creditCount: Int64
    package var debitCount: Int64

    /// All of it.
    package init(
        id: ID<JournalEntry>,
        account: ID<Account>,
        accountName: String,
        iban: String?,
        currency: Currency,
        owner: String,
        from: Day,
        to: Day,
        madeAt: Instant,
        opening: Int128,
        credits: Int128,
        debits: Int128,
        creditCount: Int64,
        debitCount: Int64
    ) {
        self.id = id
        self.account = account
        self.accountName = accountName
        self.iban = iban
        self.currency = currency
        self.owner = owner
        self.from = from
        self.to = to
        self.madeAt = madeAt
        self.opening = opening
        self.credits = credits
        self.debits = debits
        self.creditCount = creditCount
        self.debitCount = debitCount
    }

    /// Opening and every line.
    package var closing: Int128 { opening + credits + debits }

    /// A decimal of the currency.
    package func decimal(_ units: Int128) -> String {
        decimalText(units, exponent: currency.exponent)
    }
}

/// One line.
package struct StatementLine: Sendable, Hashable {
    package let id: ID<MoneyTransaction>
    package let day: Day
    /// Signed, as the account sees it.
    package let amount: Int64
    /// What it was, or whom it was with; empty once erased.
    package let name: String
    package let description: String
    package let category: String
    /// Of the other side of a transfer, where it has one.
    package let counterIBAN: String?
    package let isTransfer: Bool
    /// After the line.
    package var balance: Int128

    /// All of it.
    package init(
        id: ID<MoneyTransaction>,
        day: Day,
        amount: Int64,
        name: String,
        description: String,
        category: String,
        counterIBAN: String?,
        isTransfer: Bool,
        balance: Int128 = 0
    ) {
        self.id = id
        self.day = day
        self.amount = amount
        self.name = name
        self.description = description
        self.category = category
        self.counterIBAN = counterIBAN
        self.isTransfer = isTransfer
        self.balance = balance
    }
}

/// Minor units as a decimal with exactly so many digits behind the point.
package func decimalText(_ units: Int128, exponent: Int) -> String {
    let digits = String(units.magnitude)
    let sign = units < 0 ? "-" : ""
    guard exponent > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(0, exponent + 1 - digits.count)) + digits
    return sign + padded.dropLast(exponent) + "." + padded.suffix(exponent)
}

/// Writes a statement in one format, in pieces; belongs to one file.
package protocol StatementWriter {
    /// Sends what comes before the lines.
    mutating func begin(
        _ head: StatementHead,
        to send: ([UInt8]) async throws -> Void
    ) async throws
    /// Sends some lines, in their order.
    mutating func append(
        _ lines: [StatementLine],
        to send: ([UInt8]) async throws -> Void
    ) async throws
    /// Sends what comes after them.
    mutating func end(to send: ([UInt8]) async throws -> Void) async throws
}

/// A format that is text, made here.
package protocol TextStatementWriter: StatementWriter {
    /// What comes before the lines.
    mutating func begin(_ head: StatementHead) -> [UInt8]
    /// Some lines, in their order.
    func append(_ lines: [StatementLine]) -> [UInt8]
    /// What comes after them.
    func end() -> [UInt8]
}

extension TextStatementWriter {
    package mutating func begin(
        _ head: StatementHead,
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        try await send(begin(head))
    }

    package func append(
        _ lines: [StatementLine],
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        try await send(append(lines))
    }

    package func end(to send: ([UInt8]) async throws -> Void) async throws { try await send(end()) }
}
