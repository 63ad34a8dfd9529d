import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Holds facts against the journal, and the journal against facts.
///
/// `Services/Analytics/REBUILD.md` says why that is exact.
struct FactWalk {
    let comparison: Comparison
    private var database: Database { comparison.database }
    private var origins: Origins { comparison.origins }

    init(comparison: Comparison) { self.comparison = comparison }

    /// The facts first: what correcting them takes away in error the journal brings back.
    func run() async throws {
        try await walkFacts()
        try await walkJournal()
    }

    // MARK: Facts that the ledger knows nothing of

    private func walkFacts() async throws {
        var place = FactKey.first
        while true {
            let facts = try await database.query(
                FactCheckStatements.some,
                place.user,
                place.transaction,
                place.version,
                place.part,
                VersionQuestion.countMax
            )
            guard let last = facts.last else { return }
            // After they were read here: nothing is here before it is there.
            let known = try await booked(Set(facts.map(\.versionName)))
            let (surplus, revived) = Self.wrong(facts, known)
            let erased = try await correct(surplus: surplus, revived: revived)
            for fact in surplus where !erased.contains(fact.key.user) {
                comparison.report("\(fact.words): unknown in ledger, \(fact.amount) here")
            }
            for fact in revived where !erased.contains(fact.key.user) {
                comparison.report("\(fact.words): \(fact.amount) in ledger, taken back here")
            }
            // What is behind is about to be applied, and has no end while people book.
            if facts.count < VersionQuestion.countMax { return }
            place = last.key
        }
    }

    /// What the ledger has of some versions.
    private func booked(_ names: Set<VersionName>) async throws -> [VersionName: BookedVersion] {
        var found: [VersionName: BookedVersion] = [:]
        var rest = Array(names)[...]
        while !rest.isEmpty {
            let some = rest.prefix(VersionQuestion.countMax)
            rest = rest.dropFirst(VersionQuestion.countMax)
            let question = VersionQuestion(
                transactionIDs: some.map(\.transaction),
                versions: some.map { Int($0.version) }
            )
            for one in try await origins.versions(question) {
                let name = VersionName(
                    transaction: one.transactionID,
                    version: Int64(one.version)
                )
                found[name] = one
            }
        }
        return found
    }

    /// Those that were never booked, and those that are taken back here alone.
    private static func wrong(
        _ facts: [KeptFact],
        _ known: [VersionName: BookedVersion]
    ) -> (surplus: [KeptFact], revived: [KeptFact]) {
        var (surplus, revived) = ([KeptFact](), [KeptFact]())
        for fact in facts {
            if let one = known[fact.versionName], one.userID == fact.key.user,
                Int(fact.key.part) < one.parts
            {
                if fact.isReversed, !one.isReversed { revived.append(fact) }
            } else {
                surplus.append(fact)
            }
        }
        return (surplus, revived)
    }

    /// - Returns: who is erased: what there is of theirs is about to go.
    private func correct(
        surplus: [KeptFact],
        revived: [KeptFact]
    ) async throws -> Set<ID<User>> {
        let wrong = surplus + revived
        guard !wrong.isEmpty else { return [] }
        return try await database.transaction { transaction in
            let erased = try await ErasedUsers.those(
                ofMany: wrong.map(\.key.user),
                in: transaction
            )
            guard comparison.corrects else { return erased }
            var changes: [CellChange] = []
            for fact in surplus where !erased.contains(fact.key.user) {
                changes += try await transaction.query(
                    FactCheckStatements.remove,
                    fact.key.user,
                    fact.key.transaction,
                    fact.key.version,
                    fact.key.part
                ).compactMap(\.self)
            }
            for fact in revived where !erased.contains(fact.key.user) {
                changes += try await transaction.query(
                    FactCheckStatements.revive,
                    fact.key.user,
                    fact.key.transaction,
                    fact.key.version,
                    fact.key.part
                )
            }
            try await Cells.apply(changes, in: transaction)
            return erased
        }
    }

    // MARK: Postings that facts do not tell of

    /// As far as anything of it is applied, and then to what was booked by now: what is behind that
    /// is about to be applied, and has no end while people book.
    ///
    /// Of what is not applied yet nothing is missing. But what stands in its place in error was
    /// taken for the ledger's while the facts were walked, and would stay when it comes.
    private func walkJournal() async throws {
        let end = try await InboxRows.journalEnd(of: .ledger, in: database)
        let begun = Instant.now()
        var from = 1
        var isBehind = false
        while !isBehind {
            let through = from <= end ? Int(end) : Int.max - 1
            let page = try await origins.journal(JournalQuery(from: from, through: through))
            guard let last = try page.covers().last?.upperBound else { return }
            let rows = try page.rows()
            isBehind = from > end && rows.last.map { $0.recordedAt > begun } ?? false
            if comparison.corrects {
                try await FirstStep.rebuild(FirstStep.all(of: rows), in: database)
            }
            let found = try await differing(rows).filter {
                $0.kept != nil || $0.part.fact.source.place <= end
            }
            if !found.isEmpty, comparison.corrects {
                try await correct(rows, found)
            } else if !found.isEmpty {
                try await judge(rows, found)
            }
            from = Int(last) + 1
        }
    }

    /// Parts of postings that are missing here, or otherwise.
    private func differing(_ rows: [TransactionPosted]) async throws -> [DifferingPart] {
        let parts = rows.flatMap { FactPart.all(of: $0) }
        guard !parts.isEmpty else { return [] }
        return try await database.query(
            FactCheckStatements.differing,
            parts.map(\.fact.userID),
            parts.map(\.fact.transactionID),
            parts.map(\.fact.version),
            parts.map(\.fact.accountID),
            parts.map(\.fact.accountKind.rawValue),
            parts.map(\.fact.day),
            parts.map(\.amount.minorUnits),
            parts.map(\.amount.currency.code),
            parts.map(\.category),
            parts.map { $0.coicop?.rawValue },
            parts.map(\.number),
            parts.map { $0.fact.kind == .reversed }
        ).map { DifferingPart(part: parts[Int($0.nth) - 1], kept: $0.kept) }
    }

    /// Tells of what differs still once all up to there is applied.
    private func judge(_ rows: [TransactionPosted], _ found: [DifferingPart]) async throws {
        let place = rows.map(\.source.place).max() ?? 0
        var isApplied = true
        while try await InboxRows.journalMark(of: .ledger, in: database) < place, isApplied {
            isApplied = try await comparison.waits()
        }
        let places = Set(found.map(\.part.fact.source.place))
        for one in try await differing(rows.filter { places.contains($0.source.place) }) {
            if isApplied { comparison.report(one.words) } else { comparison.doubt(one.words) }
        }
    }

    /// Makes facts what the journal says, each as the ledger has it by now: so what is taken back
    /// since never counts in between.
    private func correct(_ rows: [TransactionPosted], _ found: [DifferingPart]) async throws {
        let names = Set(found.map(\.part.fact.versionName))
        let known = try await booked(names)
        let standing = rows.compactMap { row -> TransactionPosted? in
            guard let one = known[row.versionName] else { return nil }
            return row.kind == .posted && one.isReversed ? row.takenBack : row
        }
        let others = found.filter { $0.kept != nil }.map(\.part)
        let erased = try await database.transaction { transaction in
            let erased = try await ErasedUsers.those(
                ofMany: found.map(\.part.fact.userID),
                in: transaction
            )
            let changes = try await correctContents(
                of: others.filter { !erased.contains($0.fact.userID) },
                in: transaction
            )
            let more = try await Facts.take(
                standing.filter { !erased.contains($0.userID) },
                in: transaction
            )
            try await Cells.apply(changes + more, in: transaction)
            return erased
        }
        for one in found where !erased.contains(one.part.fact.userID) {
            comparison.report(one.words)
        }
    }

    /// Under the lock of each row, for it may be taken back meanwhile.
    private func correctContents(
        of parts: [FactPart],
        in transaction: Transaction
    ) async throws -> [CellChange] {
        var changes: [CellChange] = []
        for part in parts {
            let old = try await transaction.queryOne(
                FactCheckStatements.lock,
                part.fact.userID,
                part.fact.transactionID,
                part.fact.version,
                part.number
            )
            let new = try await transaction.queryOne(
                FactCheckStatements.correct,
                part.fact.userID,
                part.fact.transactionID,
                part.fact.version,
                part.number,
                part.fact.accountID,
                part.fact.accountKind.rawValue,
                part.fact.day,
                part.amount.minorUnits,
                part.amount.currency.code,
                part.category,
                part.coicop?.rawValue
            )
            changes += [old, new].compactMap(\.self).compactMap(\.self)
        }
        return changes
    }
}

extension TransactionPosted {
    /// That it was taken back.
    fileprivate var takenBack: TransactionPosted {
        TransactionPosted(
            source: source,
            transactionID: transactionID,
            version: version,
            kind: .reversed,
            userID: userID,
            accountID: accountID,
            accountKind: accountKind,
            amount: amount,
            day: day,
            categoryID: categoryID,
            coicop: coicop,
            transferID: transferID,
            isOwnTransfer: isOwnTransfer,
            lines: lines,
            isUncounted: isUncounted,
            recordedAt: recordedAt
        )
    }
}
