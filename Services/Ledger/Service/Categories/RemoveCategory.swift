import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Takes a category away; its transactions go to «Others» or are deleted with it.
struct RemoveCategory: Handler {
    static let endpoint = Categories.remove
    let database: Database
    let relayBell: RelayBell

    func handle(
        _ request: Request<CategoryRemoval, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let id = try request.path.id(of: WalletProtocol.Category.self)
        try await database.posting { transaction in
            guard let row = try await transaction.queryOne(CategoryStatements.lock, user, id)
            else { throw APIError.notFound }
            if let wanted = request.ifMatch, wanted != String(row.version) {
                throw APIError(.preconditionFailed)
            }
            guard !row.isDefault else { throw APIError(.defaultCategory) }
            try await transaction.execute(CategoryStatements.delete, user, id)
            let raised = try await transaction.query(CategoryStatements.raiseChildren, id)
            try await CategoryContents(category: id, owner: user).empty(
                deleting: request.query.transactions == .delete,
                in: transaction
            )
            for child in raised.sorted() {
                guard
                    let below = try await transaction.queryOne(
                        CategoryStatements.find,
                        user,
                        child
                    )
                else { continue }
                _ = try await Outbox.append(
                    CategoryChanged(categoryID: child, userID: user, coicop: below.coicop),
                    of: "category:\(child)",
                    in: transaction
                )
            }
            _ = try await Outbox.append(
                CategoryChanged(
                    categoryID: id,
                    userID: user,
                    parentID: row.parent,
                    coicop: row.coicop,
                    isDeleted: true
                ),
                of: "category:\(id)",
                in: transaction
            )
        }
        relayBell.ring()
        return .noContent
    }
}

/// The transactions of a category that is taken away.
struct CategoryContents {
    let category: ID<WalletProtocol.Category>
    let owner: ID<User>

    /// Elements a call: whoever waits for one of the accounts waits for all calls anyway.
    static let chunk = 500

    /// Deletes them or moves them to «Others»; sides of transfers, and what is in closed accounts,
    /// are moved in either case.
    /// - Throws: `.insufficientFunds` where a deletion would take an account below zero.
    func empty(deleting: Bool, in transaction: Transaction) async throws {
        guard let others = try await transaction.queryOne(CategoryStatements.others, owner) else {
            throw APIError(.internalError)
        }
        while true {
            let rows = try await transaction.query(
                TransactionStatements.ofCategory(category, of: owner, limit: Self.chunk)
            )
            if rows.isEmpty { return }
            let postings = rows.map { found in
                let (row, operation) = (found.row, Posting.Operation(of: owner))
                // One that is split stays with what it has of other categories.
                if deleting, row.transfer == nil, !found.isClosed, row.lines.isEmpty {
                    return Posting(reversing: row, operation, by: nil)
                }
                return Posting(revising: row, operation, by: nil).moving(category, to: others)
            }
            for outcome in try await transaction.postIfFree(postings)
            where outcome.status != .transactionNotFound {
                // Not found: somebody else has just deleted or moved it.
                if outcome.status == .accountClosed { throw TryAgain() }
                _ = try outcome.posted()
            }
        }
    }
}

/// Moves what was posted into a category while it was taken away.
struct CategorySweep {
    let database: Database
    let relayBell: RelayBell

    /// One category; false where there is none to be swept.
    func sweepOne() async throws -> Bool {
        let found = try await database.posting { transaction in
            guard let gone = try await transaction.queryOne(CategoryStatements.toSweep) else {
                return false
            }
            try await CategoryContents(category: gone.id, owner: gone.user).empty(
                deleting: false,
                in: transaction
            )
            try await transaction.execute(CategoryStatements.swept, gone.id)
            return true
        }
        if found { relayBell.ring() }
        return found
    }
}
