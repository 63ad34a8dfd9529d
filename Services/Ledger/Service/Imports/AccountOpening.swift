import Postgres
import ServiceKit
import WalletProtocol

/// What an account holds, and the opening entry that an import has made.
struct ImportedAccount: Sendable {
    let isWallet: Bool
    let balance: Int64
    let opening: StandingOpening?
}

/// An opening entry, and the import that it is of.
struct StandingOpening: Sendable {
    let importID: ID<StatementImport>
    let entry: ID<JournalEntry>
    let amount: Int64
}

/// What the oldest statement says of the beginning.
struct StatedOpening: Sendable {
    let importID: ID<StatementImport>
    let closing: Int64?
    let opening: Int64?
    let from: Day?
    let to: Day?
    /// Whether the opening balance is that of the end of its day, as mostly in MT940.
    let isOpenedByDaysEnd: Bool

    /// The first day that it tells of.
    func start(firstRow: Day?) -> Day? {
        guard let from else { return firstRow }
        if let firstRow, firstRow <= from { return firstRow }
        return isOpenedByDaysEnd ? from.adding(days: 1) ?? from : from
    }
}

/// What the rows of a preview will bring; zero for one that was taken in.
struct FreshRows: Sendable {
    var sum: Int128 = 0
    /// Of it, and of what is merged with an entry by hand: before the oldest statement.
    var earlier: Int128 = 0
    var first: Day?
    /// What is merged with entries by hand.
    var byHand: Int128 = 0
    var lastLine = 1
}

/// A statement's end.
struct StatedClosing: Sendable {
    let importID: ID<StatementImport>
    let amount: Int64
    let day: Day?
}

/// The opening entry of an account, as its statements say, and where the account differs from them.
///
/// The oldest statement decides, in whatever order they came: the account was opened with what
/// makes that one's closing balance tie, less what other files brought of the time before. What the
/// person has entered changes nothing of it. An account that the person opened or filled by hand is
/// left as it is.
struct AccountOpening {
    let account: ID<Account>
    /// What is to be taken in, or was just now; nil where one was taken back.
    let work: ImportRecord?
    let transaction: Transaction

    /// What the opening entry should be; `wanted` is nil where it stays as it is.
    struct Plan {
        let standing: ImportedAccount
        let fresh: FreshRows
        let wanted: Wanted?

        /// What the opening changes by.
        var change: Int128 {
            wanted.map { $0.amount - Int128(standing.opening?.amount ?? 0) } ?? 0
        }
    }

    struct Wanted {
        let importID: ID<StatementImport>?
        let amount: Int128
        let day: Day?
    }

    func plan() async throws -> Plan? {
        guard
            let standing = try await transaction.queryOne(OpeningStatements.standing, account)
        else { return nil }
        let oldest = try await transaction.queryOne(OpeningStatements.oldest, account, work?.id)
        guard let oldest, oldest.importID != standing.opening?.importID || !isNewer(than: oldest)
        else {
            let nothing = Wanted(importID: nil, amount: 0, day: nil)
            return Plan(
                standing: standing,
                fresh: try await fresh(before: nil),
                wanted: oldest == nil ? nothing : nil
            )
        }
        return try await plan(standing, oldest)
    }

    private func plan(
        _ standing: ImportedAccount,
        _ oldest: StatedOpening
    ) async throws -> Plan {
        let brought = try await transaction.queryOne(
            OpeningStatements.brought,
            account,
            oldest.importID,
            oldest.importID == work?.id
        )
        let start = oldest.start(firstRow: brought?.first)
        let fresh = try await fresh(before: start)
        guard try await isDecidedByStatements(standing, fresh) else {
            return Plan(standing: standing, fresh: fresh, wanted: nil)
        }
        let earlier = try await transaction.queryOne(OpeningStatements.earlier, account, start)
        let stated = oldest.closing.map { Int128($0) - (brought?.sum ?? 0) }
        let amount = (stated ?? Int128(oldest.opening ?? 0)) - (earlier?.sum ?? 0) - fresh.earlier
        let days = [oldest.from, brought?.first, earlier?.first, fresh.first]
        let wanted = Wanted(
            importID: oldest.importID,
            amount: amount,
            day: days.compactMap { $0 }.min()
        )
        return Plan(standing: standing, fresh: fresh, wanted: wanted)
    }

    /// Whether it tells of later days alone, and so changes nothing of an opening that the oldest
    /// statement has decided already.
    private func isNewer(than oldest: StatedOpening) -> Bool {
        guard let work, work.id != oldest.importID, let first = work.from, let last = oldest.to
        else { return false }
        return last < first
    }

    /// Not where the person's own opening balance or own entries stand, and no statement has
    /// decided before.
    private func isDecidedByStatements(
        _ standing: ImportedAccount,
        _ fresh: FreshRows
    ) async throws -> Bool {
        if standing.opening != nil { return true }
        guard standing.isWallet else { return false }
        let imported = try await transaction.queryOne(OpeningStatements.imported, account) ?? 0
        return Int128(standing.balance) - imported - fresh.byHand == 0
    }

    private func fresh(before day: Day?) async throws -> FreshRows {
        guard let work else { return FreshRows() }
        return try await transaction.queryOne(OpeningStatements.fresh, account, work.id, day)
            ?? FreshRows()
    }

    /// Makes the opening entry what it should be: the one that stands is taken back.
    ///
    /// - Parameter name: of the work, by which it is done once.
    func apply(_ plan: Plan, of record: ImportRecord, _ name: String) async throws {
        let old = plan.standing.opening
        guard let wanted = plan.wanted, plan.change != 0 || old?.importID != wanted.importID,
            old != nil || wanted.amount != 0
        else { return }
        guard let amount = Int64(exactly: wanted.amount) else {
            throw ImportWork.Refused(id: record.id, status: .overflow)
        }
        var postings: [Posting] = []
        if let old {
            var reversal = Posting(
                .reversal,
                Posting.Operation(work: name, part: -2),
                by: record.user,
                on: account
            )
            reversal.reverses = old.entry
            postings.append(reversal)
            try await transaction.execute(
                OpeningStatements.setEntry,
                old.importID,
                nil as ID<JournalEntry>?
            )
        }
        if let importID = wanted.importID, amount != 0 {
            var opening = Posting(
                .opening,
                Posting.Operation(work: name, part: -1),
                by: record.user,
                on: account
            )
            opening.amount = amount
            opening.currency = record.currency
            opening.day = wanted.day ?? .utc(record.createdAt)
            opening.importID = importID
            postings.append(opening)
            try await transaction.execute(OpeningStatements.setEntry, importID, opening.entry)
        }
        for outcome in try await transaction.postWaiting(postings) where outcome.status != .posted {
            throw ImportWork.Refused(id: record.id, status: outcome.status)
        }
    }
}
