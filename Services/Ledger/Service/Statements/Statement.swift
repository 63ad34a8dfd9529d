import WalletProtocol

/// An account's statement before its lines: whose, of which days, and between which balances.
///
/// Sums by day may be beyond 64 bits where no balance ever was, for days are not in the order in
/// which things were posted.
struct StatementHead: Sendable {
    /// Made for this one file.
    let id: ID<JournalEntry>
    let account: ID<Account>
    let accountName: String
    let iban: String?
    let currency: Currency
    let owner: String
    let from: Day
    let to: Day
    let madeAt: Instant
    var opening: Int128
    var credits: Int128
    var debits: Int128
    var creditCount: Int64
    var debitCount: Int64

    /// Opening and every line.
    var closing: Int128 { opening + credits + debits }

    /// A decimal of the currency.
    func decimal(_ units: Int128) -> String { decimalText(units, exponent: currency.exponent) }
}

/// One line.
struct StatementLine: Sendable, Hashable {
    let id: ID<MoneyTransaction>
    let day: Day
    /// Signed, as the account sees it.
    let amount: Int64
    /// What it was, or whom it was with; empty once erased.
    let name: String
    let description: String
    let category: String
    /// Of the other side of a transfer, where it has one.
    let counterIBAN: String?
    let isTransfer: Bool
    /// After the line.
    var balance: Int128 = 0
}

/// Minor units as a decimal with exactly so many digits behind the point.
func decimalText(_ units: Int128, exponent: Int) -> String {
    let digits = String(units.magnitude)
    let sign = units < 0 ? "-" : ""
    guard exponent > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(0, exponent + 1 - digits.count)) + digits
    return sign + padded.dropLast(exponent) + "." + padded.suffix(exponent)
}

/// Writes a statement in one format, in pieces; belongs to one file.
protocol StatementWriter {
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
protocol TextStatementWriter: StatementWriter {
    /// What comes before the lines.
    mutating func begin(_ head: StatementHead) -> [UInt8]
    /// Some lines, in their order.
    func append(_ lines: [StatementLine]) -> [UInt8]
    /// What comes after them.
    func end() -> [UInt8]
}

extension TextStatementWriter {
    mutating func begin(
        _ head: StatementHead,
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        try await send(begin(head))
    }

    func append(
        _ lines: [StatementLine],
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        try await send(append(lines))
    }

    func end(to send: ([UInt8]) async throws -> Void) async throws { try await send(end()) }
}
