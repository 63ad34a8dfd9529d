import Postgres
import ServiceKit
import WalletProtocol

/// The call of the one function that moves money.
enum PostingStatements {
    /// An array for each field, when, and whether to wait for busy accounts.
    static let post = Statement(
        """
        select statuses, replays, old_entries, old_transactions, old_transfers
        from ledger.post_batch_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
            $15, $16, $17, $18, $19, $20, $21, $22, $23, $24::text[]::jsonb[],
            $25, $26)
        """
    ) { row in
        try PostingAnswer(
            statuses: row.value(0, as: [PostingStatus]?.self) ?? [],
            replays: row.value(1, as: [Bool]?.self) ?? [],
            entries: row.value(2, as: [ID<JournalEntry>?]?.self) ?? [],
            transactions: row.value(3, as: [ID<MoneyTransaction>?]?.self) ?? [],
            transfers: row.value(4, as: [ID<Transfer>?]?.self) ?? []
        )
    }

    /// Those of some accounts that are locked just now.
    static let locked = Statement("select ledger.locked_accounts_v1($1)") { row in
        try row.value(0, as: ID<Account>.self)
    }

    /// Forgets outcomes whose keys are no longer promised; how many it were, 10,000 at most.
    static let forget = Statement("select ledger.forget_operations_v1()") { row in
        try row.int32(0)
    }
}

extension PostingStatements {
    /// How long forgetting some may take.
    private static let forgetMilliseconds = 20_000

    /// Forgets some outcomes; whether there were any.
    static func forgetSome(in database: Database) async throws -> Bool {
        let forgotten = try await database.lease { lease in
            lease.waitMillisecondsMax = UInt64(forgetMilliseconds) + 5_000
            return try await lease.transaction { transaction in
                try await transaction.setStatementTimeout(milliseconds: forgetMilliseconds)
                return try await transaction.queryOne(forget)
            }
        }
        return (forgotten ?? 0) > 0
    }
}

extension Querying {
    /// Posts elements within whatever transaction this is part of.
    ///
    /// What is held by others is `.busy`; where it `waits`, which is not for a connection that is
    /// shared, it waits for that first, a second at most.
    func post(
        _ postings: [Posting],
        at moment: Instant = .now(),
        waits: Bool
    ) async throws -> [PostingOutcome] {
        let columns = PostingColumns(postings)
        let answer = try await queryOne(
            PostingStatements.post,
            columns.kinds,
            columns.operations,
            columns.requests,
            columns.chains,
            columns.actors,
            columns.byService,
            columns.bookers,
            columns.accounts,
            columns.counters,
            columns.countersOwn,
            columns.amounts,
            columns.currencies,
            columns.entries,
            columns.lines,
            columns.counterLines,
            columns.days,
            columns.categories,
            columns.names,
            columns.counterNames,
            columns.descriptions,
            columns.references,
            columns.imported,
            columns.traceparents,
            columns.rareOnes,
            moment,
            waits
        )
        let outcomes = answer?.outcomes(of: postings) ?? []
        let refused = LimitRefusals.of(postings, outcomes)
        if let current = LimitRefusals.current {
            current.add(refused)
        } else {
            try await LimitRefusals.note(refused, in: self)
        }
        return outcomes
    }
}

/// What the function answers: a place in each array for an element.
struct PostingAnswer: Sendable {
    let statuses: [PostingStatus]
    /// Which of them are of an earlier call, or of an earlier element under the same key; what
    /// follows tells what stands under it.
    let replays: [Bool]
    let entries: [ID<JournalEntry>?]
    let transactions: [ID<MoneyTransaction>?]
    let transfers: [ID<Transfer>?]

    /// Each element's outcome, in their order.
    func outcomes(of postings: [Posting]) -> [PostingOutcome] {
        zip(postings.indices, statuses).map { index, status in
            let isReplay = index < replays.count && replays[index]
            let isPosted = status == .posted
            let posting = postings[index]
            return PostingOutcome(
                status: status,
                isReplay: isReplay,
                entry: !isPosted ? nil : isReplay ? entries[index] : posting.entry,
                transaction: !isPosted
                    ? nil : isReplay ? transactions[index] : posting.transaction,
                transfer: !isPosted ? nil : isReplay ? transfers[index] : posting.transfer
            )
        }
    }
}
