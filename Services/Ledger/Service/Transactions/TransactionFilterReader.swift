import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Makes a filter of a query.
struct TransactionFilterReader {
    let database: Database
    let user: ID<User>

    /// Nil where nothing can meet it.
    /// - Throws: 422 where amounts of several currencies would be compared.
    func filter(_ query: TransactionQuery) async throws -> TransactionFilter? {
        var filter = TransactionFilter(user: user)
        (filter.from, filter.to, filter.folder) = (query.from, query.to, query.folderID)
        (filter.direction, filter.near) = (query.direction, query.near)
        filter.categories = Self.unique(query.categoryIDs)
        filter.accounts = Self.unique(query.accountIDs)
        filter.tags = Self.unique(
            query.tags.map { TextFolding.caseFolded(composed(TransactionTags.trimmed($0))) }
        )
        let sortsByAmount = query.sort == .largestFirst || query.sort == .smallestFirst
        let comparesAmounts = query.minAmount != nil || query.maxAmount != nil
        for (name, bound) in [("minAmount", query.minAmount), ("maxAmount", query.maxAmount)] {
            guard let bound, bound.coefficient < 0 else { continue }
            throw APIError.query(name, .negative, "must not be below zero")
        }
        guard try await readPeople(query, &filter),
            try await readAccounts(query, comparing: sortsByAmount || comparesAmounts, &filter)
        else { return nil }
        if let words = query.words {
            guard
                let search = try await SearchQuery(words).search(
                    of: filter.people.isEmpty ? [user] : filter.people,
                    in: database
                )
            else {
                return nil
            }
            filter.search = search
        }
        return filter
    }

    /// In whose books it looks; false where nothing can be there.
    private func readPeople(
        _ query: TransactionQuery,
        _ filter: inout TransactionFilter
    ) async throws -> Bool {
        guard let folder = query.folderID else {
            filter.people = try await database.query(TransactionStatements.met, user)
            if filter.isShared { filter.people.append(user) }
            return true
        }
        filter.people = try await database.query(FolderStatements.readers, user, folder)
        if filter.people.isEmpty { return false }
        filter.folderCategories = try await database.query(FolderStatements.categories, folder)
        return true
    }

    /// On which accounts it looks, where that is to be known; false where nothing can be there.
    private func readAccounts(
        _ query: TransactionQuery,
        comparing comparesAmounts: Bool,
        _ filter: inout TransactionFilter
    ) async throws -> Bool {
        guard
            comparesAmounts || query.direction != nil || !filter.accounts.isEmpty
                || filter.isShared
        else { return true }
        let isFolder = query.folderID != nil
        var accounts =
            isFolder
            ? try await database.query(FolderStatements.accounts, filter.people)
            : try await database.query(TransactionStatements.accounts, user)
        filter.ownAccounts = accounts.map(\.id)
        if !filter.accounts.isEmpty {
            // Walks over an account ask for no owner: it is found out here.
            accounts.removeAll { !filter.accounts.contains($0.id) }
            filter.accounts = accounts.map(\.id)
            if accounts.isEmpty { return false }
        } else if filter.isShared {
            // Without accounts a list would walk all that was ever recorded.
            if accounts.isEmpty { return false }
            filter.accounts = filter.ownAccounts
        }
        guard comparesAmounts else { return true }
        // Of others nothing is told but what is in the folder.
        let currencies =
            isFolder
            ? Set(try await database.query(TransactionListStatements.currencies(filter)))
            : Set(accounts.map(\.currency))
        guard currencies.count <= 1 else {
            throw APIError(.currencyMismatch, "amounts of several currencies have no order")
        }
        guard let currency = currencies.first else { return false }
        filter.least = try query.minAmount.map { decimal in
            try Self.magnitude(decimal, in: currency, "minAmount")
        }
        filter.most = try query.maxAmount.map { decimal in
            try Self.magnitude(decimal, in: currency, "maxAmount")
        }
        return true
    }

    private static func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
        var seen: Set<Value> = []
        return values.filter { seen.insert($0).inserted }
    }

    private static func magnitude(
        _ decimal: ExactDecimal,
        in currency: Currency,
        _ name: String
    ) throws(APIError) -> Int64 {
        guard let money = decimal.money(in: currency), !money.isNegative else {
            throw .query(name, .invalidValue, "is no magnitude in \(currency.code)")
        }
        return money.minorUnits
    }
}
