import Postgres
import ServiceKit
import WalletProtocol

/// Rows that are merged with what stands on the account, within the transaction of the work.
///
/// What stands keeps its words, category, folder and tags, and gets the row's day; the row is
/// known from then on as one that was taken in. A transfer, or what cannot be booked on another
/// day, keeps its day too.
struct ImportMerges {
    let work: ImportRecord
    let transaction: Transaction

    /// Merges those whose transaction stands as they look like it; the places of the others, which
    /// are taken in as rows of their own, and how many were merged.
    func merge(_ rows: [ImportedRow]) async throws -> (others: Set<Int32>, merged: Int) {
        let wanted = rows.compactMap { row in row.merge.map { (row, $0) } }
        guard !wanted.isEmpty else { return ([], 0) }
        let found = try await transaction.query(
            TransactionStatements.findAll(wanted.map(\.1), for: work.user)
        )
        let standing = Dictionary(found.map { ($0.row.id, $0.row) }) { first, _ in first }
        var pairs: [(row: ImportedRow, old: TransactionRow)] = []
        var others: Set<Int32> = []
        for (row, id) in wanted {
            if let old = standing[id], old.account == work.account, old.amount == row.amount {
                pairs.append((row, old))
            } else {
                others.insert(row.place)
            }
        }
        let claimed = Set(
            try await transaction.query(
                ImportWorkStatements.claim,
                work.id,
                work.account,
                pairs.map(\.row.place),
                pairs.map(\.old.id),
                pairs.map { Optional($0.old.day) }
            )
        )
        pairs.removeAll { !claimed.contains($0.row.place) }
        _ = try await transaction.postWaiting(
            moving(pairs.map { ($0.row.place, $0.old, $0.row.day) }, "import \(work.id) merge")
        )
        return (others, claimed.count)
    }

    /// Gives what was merged the day back that it had, where it still has the row's.
    func takeBack() async throws {
        for handed in try await transaction.query(ImportMergeStatements.handOver, work.id) {
            for statement in [
                ImportMergeStatements.handOverMatch, ImportMergeStatements.handOverOtherMatch,
            ] {
                try await transaction.execute(
                    statement,
                    work.id,
                    handed.place,
                    handed.heir.importID,
                    handed.heir.place
                )
            }
        }
        try await transaction.execute(ImportMergeStatements.passKeptDays, work.id)
        var place: Int32 = -1
        while true {
            let merged = try await transaction.query(
                ImportMergeStatements.merged,
                work.id,
                place,
                ImportWork.chunk
            )
            guard let last = merged.last else { return }
            place = last.place
            let found = try await transaction.query(
                TransactionStatements.findAll(merged.map(\.transaction), for: work.user)
            )
            let standing = Dictionary(found.map { ($0.row.id, $0.row) }) { first, _ in first }
            let moved = merged.compactMap { one in
                standing[one.transaction].map { (one.place, $0, one.day) }
            }
            _ = try await transaction.postWaiting(moving(moved, "withdrawal \(work.id) merge"))
        }
    }

    /// Books each on its other day; both halves or none.
    private func moving(
        _ pairs: [(place: Int32, old: TransactionRow, day: Day)],
        _ name: String
    ) -> [Posting] {
        pairs.filter { $0.old.transfer == nil && $0.old.claim == 0 && $0.old.day != $0.day }
            .enumerated()
            .flatMap { number, pair in
                var new = pair.old
                new.day = pair.day
                var reversal = Posting(
                    reversing: pair.old,
                    Posting.Operation(work: name, part: Int(pair.place)),
                    by: work.user
                )
                var record = Posting(recordingAnew: new, nil, by: work.user)
                (reversal.chain, record.chain) = (number + 1, number + 1)
                return [reversal, record]
            }
    }
}
