import Postgres
import ServiceKit
import WalletProtocol

/// Takes up the words of what was recorded, behind the writes.
struct SearchIndex {
    let database: Database

    /// Entries a turn.
    static let chunk = 500
    /// What is newer than the mark and looked through at a search, at most.
    static let freshMax = 2_000

    /// What stands before a person's words: the random end of the id.
    ///
    /// So their beginnings lie together. Whose a transaction is, is checked with the transaction.
    static func mark(of user: ID<User>) -> String { String(user.text.suffix(10)) }

    /// The next entries; false where there are none.
    func takeUpSome() async throws -> Bool {
        let settled = try await JournalHorizon.settled(in: database)
        return try await database.transaction { transaction in
            guard let mark = try await transaction.queryOne(SearchStatements.lock), mark < settled
            else { return false }
            let entries = try await transaction.query(
                SearchStatements.entries,
                mark,
                settled,
                Self.chunk
            )
            try await takeUp(Array(Set(entries.flatMap(\.transactions))), in: transaction)
            let isFull = entries.count == Self.chunk
            let reached = isFull ? entries.last?.place ?? settled : settled
            try await transaction.execute(SearchStatements.advance, reached)
            return isFull
        }
    }

    private func takeUp(
        _ ids: [ID<MoneyTransaction>],
        in transaction: Transaction
    ) async throws {
        let found = try await transaction.query(SearchStatements.texts, ids)
        var words: [String] = []
        for each in found {
            let mark = Self.mark(of: each.user)
            words.append(SearchWords.index(each.texts).map { mark + $0 }.joined(separator: " "))
        }
        guard !found.isEmpty else { return }
        try await transaction.execute(
            SearchStatements.upsert,
            found.map(\.id),
            found.map(\.version),
            found.map(\.user),
            words
        )
    }
}

extension SearchQuery {
    /// The search as a list makes it, what is too new for the index looked through; nil where there
    /// is nothing to look for.
    func search(
        of people: [ID<User>],
        in database: Database
    ) async throws -> TransactionFilter.Search? {
        var texts: [String] = []
        var fresh: [ID<MoneyTransaction>] = []
        for user in people {
            guard let text = text(of: user) else { return nil }
            texts.append("(\(text))")
            let new = try await database.query(
                SearchStatements.fresh,
                user,
                SearchIndex.freshMax
            )
            fresh += new.filter { matches($0.texts) }.map(\.id)
        }
        return TransactionFilter.Search(query: texts.joined(separator: " | "), fresh: fresh)
    }
}
