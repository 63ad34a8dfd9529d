import BankFiles
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// What an account has already of a file's rows, and what they look like, row by row.
struct Recognition: Sendable {
    /// Whose identifier the row carries: it was exported here.
    var known: [ID<MoneyTransaction>?]
    /// Whether it has come before, or is known: then it adds nothing.
    var isDuplicate: [Bool]
    /// The likest first.
    var lookAlikes: [[ID<MoneyTransaction>]?]

    var duplicateCount: Int32 { Int32(isDuplicate.count { $0 }) }

    init(rowCount: Int) {
        known = Array(repeating: nil, count: rowCount)
        isDuplicate = Array(repeating: false, count: rowCount)
        lookAlikes = Array(repeating: nil, count: rowCount)
    }
}

/// Holds a file's rows against an account.
///
/// Only a preview hangs on it: what is taken in is decided again by the commit.
struct Recognizer {
    /// Rows, or transactions, a query.
    static let chunk = 5_000
    /// Transactions that rows are compared with.
    static let standingMax = 200_000

    let database: Database
    let blocking: BlockingPool
    let account: ID<Account>

    func recognize(_ read: ReadStatement) async throws -> Recognition {
        let rows = read.statement.rows
        var found = Recognition(rowCount: rows.count)
        var taken = try await findImported(read, &found)
        taken.formUnion(try await findKnown(rows, &found))
        let standing = try await standing(read.statement, besides: taken)
        guard !standing.isEmpty else { return found }
        let isAsked = found.isDuplicate.map { !$0 }
        found.lookAlikes = try await blocking.run {
            LookAlikes.find(rows, isAsked, among: standing)
        }
        return found
    }

    /// Those that have come before; what they are.
    private func findImported(
        _ read: ReadStatement,
        _ found: inout Recognition
    ) async throws -> Set<ID<MoneyTransaction>> {
        var transactions: Set<ID<MoneyTransaction>> = []
        guard try await database.queryOne(RecognitionStatements.hasImported, account) == true
        else { return [] }
        for range in read.fingerprints.indices.chunks(of: Self.chunk) {
            let fingerprints = read.fingerprints[range]
            for had in try await database.query(
                RecognitionStatements.imported,
                account,
                range.map(Int32.init),
                fingerprints.map(\.digest.bytes),
                fingerprints.map(\.occurrence)
            ) {
                found.isDuplicate[Int(had.place)] = true
                transactions.insert(had.transaction)
            }
        }
        return transactions
    }

    /// Those that carry the identifier of what stands on the account.
    private func findKnown(
        _ rows: [StatementRow],
        _ found: inout Recognition
    ) async throws -> Set<ID<MoneyTransaction>> {
        let carried = rows.map { $0.reference.flatMap(ID<MoneyTransaction>.init(exported:)) }
        let ids = carried.compactMap { $0 }
        var standing: Set<ID<MoneyTransaction>> = []
        for range in ids.indices.chunks(of: Self.chunk) {
            standing.formUnion(
                try await database.query(
                    RecognitionStatements.named,
                    account,
                    Array(ids[range])
                ).map(\.id)
            )
        }
        guard !standing.isEmpty else { return [] }
        for (place, id) in carried.enumerated() {
            guard let id, standing.contains(id) else { continue }
            (found.known[place], found.isDuplicate[place]) = (id, true)
        }
        return standing
    }

    /// What stands near the file's days with an amount of its rows.
    private func standing(
        _ statement: BankStatement,
        besides taken: Set<ID<MoneyTransaction>>
    ) async throws -> [StandingTransaction] {
        let days = statement.rows.map(\.day)
        guard let first = days.min()?.adding(days: -LookAlikes.daysMax - 1),
            let last = days.max()?.adding(days: LookAlikes.daysMax)
        else { return [] }
        let amounts = Set(statement.rows.map(\.amount))
        var found: [StandingTransaction] = []
        var place = (day: first, id: ID<MoneyTransaction>(high: .max, low: .max))
        while found.count < Self.standingMax {
            let page = try await database.query(
                RecognitionStatements.standing,
                account,
                place.day,
                place.id,
                last,
                Self.chunk
            )
            found += page.filter { amounts.contains($0.amount) && !taken.contains($0.id) }
            guard page.count == Self.chunk, let end = page.last else { break }
            place = (end.day, end.id)
        }
        return found.isEmpty ? [] : try await candidates(found, statement)
    }

    /// Those that a new row may be, and which of them under any name.
    ///
    /// A file of the same layout tells equal rows by itself: what came from one is a candidate only
    /// if the new file covers its day and lacks it, as when the bank has written the row anew.
    private func candidates(
        _ standing: [StandingTransaction],
        _ statement: BankStatement
    ) async throws -> [StandingTransaction] {
        var sources: [ID<MoneyTransaction>: Set<ID<StatementImport>>] = [:]
        for merged in try await database.query(RecognitionStatements.merged, account) {
            sources[merged.transaction, default: []].insert(merged.importID)
        }
        for one in standing {
            if let source = one.importID { sources[one.id, default: []].insert(source) }
        }
        let alike = try await imports(
            sources.values.reduce(into: Set()) { $0.formUnion($1) },
            ofLayout: statement
        )
        let covered = statement.coveredDays
        return standing.compactMap { one in
            var one = one
            let brought = sources[one.id] ?? []
            let isMissing = covered?.contains(one.day) == true
            one.mayHaveAnotherName = brought.isEmpty || isMissing
            return brought.isDisjoint(with: alike) || isMissing ? one : nil
        }
    }

    /// Which of these were read from files of the statement's layout.
    private func imports(
        _ sources: Set<ID<StatementImport>>,
        ofLayout statement: BankStatement
    ) async throws -> Set<ID<StatementImport>> {
        guard !sources.isEmpty else { return [] }
        return Set(
            try await database.query(
                RecognitionStatements.alike,
                Array(sources),
                statement.format.rawValue,
                statement.layout.map { JSON.text($0.columns) } ?? ""
            )
        )
    }
}

extension BankStatement {
    /// The days of which it has all rows.
    var coveredDays: ClosedRange<Day>? {
        let days = rows.map(\.day)
        guard let first = days.min(), let last = days.max() else { return nil }
        var start = min(from ?? first, first)
        // An opening balance of MT940 is mostly that of the end of its day.
        if format == .mt940, start < first { start = start.adding(days: 1) ?? first }
        return start...max(to ?? last, last)
    }
}

extension ID {
    /// As an export writes it: with its dashes, or in camt.053 without.
    init?(exported text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 32 else {
            self.init(text)
            return
        }
        let parts = [digits[..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]]
        self.init(parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-"))
    }
}

extension Range<Int> {
    /// Its parts of so many.
    func chunks(of size: Int) -> [Range<Int>] {
        stride(from: lowerBound, to: upperBound, by: size).map {
            $0..<Swift.min($0 + size, upperBound)
        }
    }
}
