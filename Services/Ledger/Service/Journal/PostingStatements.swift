import Postgres
import ServiceKit
import WalletProtocol

/// The call of the one function that moves money.
enum PostingStatements {
    /// Elements as a JSON array, when, and whether to wait for busy accounts.
    static let post = Statement(
        """
        select place, status, replayed, entry_id, transaction_id, transfer_id
        from ledger.post_batch_v1($1, $2, $3) order by place
        """
    ) { row in
        let name = try row.string(1)
        guard let status = PostingStatus(rawValue: name) else {
            throw row.problem(1, "\(name) is no status of a posting")
        }
        return try PostingOutcome(
            status: status,
            isReplay: row.bool(2),
            entry: row.value(3),
            transaction: row.value(4),
            transfer: row.value(5)
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
        try await query(PostingStatements.post, elements(postings), moment, waits)
    }
}

/// The elements as the function reads them.
func elements(_ postings: [Posting]) -> PostgresJSON {
    var text = JSONWriter(capacity: postings.count * 640 + 2)
    text.append(raw: "[".utf8)
    for (index, posting) in postings.enumerated() {
        if index > 0 { text.append(raw: ",".utf8) }
        posting.write(into: &text)
    }
    text.append(raw: "]".utf8)
    return PostgresJSON(String(decoding: text.bytes, as: UTF8.self))
}
