import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Takes a category away; its transactions go to «Others» or are deleted with it.
///
/// The name is free at once. What is in it goes in the call where it is little, all or nothing;
/// else behind it, some at a time, so that neither the call's deadline nor anybody who waits for
/// one of the accounts has to do with how much it is.
struct RemoveCategory: Handler {
    static let endpoint = Categories.remove
    let database: Database
    let relayBell: RelayBell

    func handle(
        _ request: Request<CategoryRemoval, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let id = try request.path.id(of: WalletProtocol.Category.self)
        let contents = CategoryContents(category: id, owner: caller.user.id)
        try await contents.remove(
            deleting: request.query.transactions == .delete,
            ifMatch: request.ifMatch,
            in: database
        )
        relayBell.ring()
        return .noContent
    }
}

/// What is in a category that is taken away.
struct CategoryContents {
    let category: CategoryID
    let owner: ID<User>

    /// Elements a call: whoever waits for one of the accounts waits for all calls anyway.
    static let chunk = 500

    /// Takes the category away, and with it what is in it, or its first part.
    /// - Throws: `.insufficientFunds` where the deletion would take an account below zero.
    func remove(deleting: Bool, ifMatch: EntityTags?, in database: Database) async throws {
        try await database.posting { transaction in
            guard let row = try await transaction.queryOne(CategoryStatements.lock, owner, category)
            else { throw APIError.notFound }
            try ifMatch.check(row.version)
            guard !row.isDefault else { throw APIError(.defaultCategory) }
            let limitable = [category, row.parent].compactMap(\.self)
            try await CategoryStore.check(limitable, transaction)
            let others = try await self.others(transaction)
            try await transaction.execute(
                CategoryStatements.delete,
                owner,
                category,
                (deleting ? CategoryDisposal.delete : .reassign).rawValue
            )
            let raised = try await transaction.query(CategoryStatements.raiseChildren, category)
            try await transaction.execute(FolderStatements.touchOfCategory, category)
            try await transaction.execute(FolderStatements.dropCategory, category)
            let found = try await transaction.query(
                TransactionStatements.ofCategory(category, of: owner, limit: Self.chunk + 1)
            )
            if found.count <= Self.chunk {
                try await empty(found, deleting, falling: false, to: others, in: transaction)
            } else if deleting,
                try await transaction.queryOne(
                    CategoryStatements.wouldOverdraw,
                    owner,
                    category
                ) == true
            {
                throw APIError(.insufficientFunds)
            }
            // What was planned with it goes on with «Others», and its envelopes with what is moved.
            try await RecurrenceStore.move(category, to: others, of: owner, in: transaction)
            try await transaction.execute(
                ImportRuleStatements.deleteOfCategory,
                owner,
                category
            )
            // What is moved to «Others» counts for the family where «Others» does.
            try await transaction.execute(HouseholdStatements.forgetCategory, owner, category)
            if deleting {
                try await transaction.execute(BudgetStatements.drop, owner, category)
            } else {
                try await transaction.execute(BudgetStatements.move, owner, category, others)
            }
            try await tell(row, raised: raised, in: transaction)
        }
    }

    /// Tells of what is gone, and of those below it, which stand at the top now.
    private func tell(
        _ gone: CategoryRow,
        raised: [CategoryID],
        in transaction: Transaction
    ) async throws {
        for child in raised.sorted() {
            guard
                let below = try await transaction.queryOne(CategoryStatements.find, owner, child)
            else { continue }
            _ = try await Outbox.append(
                CategoryChanged(categoryID: child, userID: owner, coicop: below.coicop),
                of: "category:\(child)",
                in: transaction
            )
        }
        _ = try await Outbox.append(
            CategoryChanged(
                categoryID: category,
                userID: owner,
                parentID: gone.parent,
                coicop: gone.coicop,
                isDeleted: true
            ),
            of: "category:\(category)",
            in: transaction
        )
    }

    /// Some of what is left in it; whether there was anything.
    func emptySome(deleting: Bool, in transaction: Transaction) async throws -> Bool {
        let found = try await transaction.query(
            TransactionStatements.ofCategory(category, of: owner, limit: Self.chunk)
        )
        guard !found.isEmpty else { return false }
        let others = try await self.others(transaction)
        try await empty(found, deleting, falling: true, to: others, in: transaction)
        return true
    }

    /// Deletes them or moves them to «Others»; sides of transfers, what is in closed accounts, and
    /// what is split over other categories too are moved in either case.
    ///
    /// - Parameter falling: whether what cannot be taken back is moved instead: behind the call
    ///   nobody is there to be told that the money is gone meanwhile.
    private func empty(
        _ found: [(row: TransactionRow, isClosed: Bool)],
        _ deleting: Bool,
        falling: Bool,
        to others: CategoryID,
        in transaction: Transaction
    ) async throws {
        // What was spent first: it brings back what incomes take.
        let ordered = deleting ? found.sorted { $0.row.amount < $1.row.amount } : found
        func moved(_ row: TransactionRow) -> Posting {
            Posting(revising: row, Posting.Operation(of: owner), by: nil)
                .moving(category, to: others)
        }
        let postings = ordered.map { row, isClosed in
            deleting && row.transfer == nil && !isClosed && row.lines.isEmpty && row.claim == 0
                ? Posting(reversing: row, Posting.Operation(of: owner), by: nil) : moved(row)
        }
        var left: [Posting] = []
        for (one, outcome) in zip(ordered, try await transaction.postIfFree(postings)) {
            switch outcome.status {
            // Not found: somebody else has just deleted or moved it.
            case .posted, .transactionNotFound: break
            case .accountClosed: throw TryAgain()
            case .insufficientFunds where falling, .overflow where falling,
                .limitExceeded where falling, .approvalRequired where falling:
                left.append(moved(one.row))
            default: _ = try outcome.posted()
            }
        }
        guard !left.isEmpty else { return }
        for outcome in try await transaction.postIfFree(left)
        where outcome.status != .transactionNotFound { _ = try outcome.posted() }
    }

    private func others(
        _ transaction: Transaction
    ) async throws -> CategoryID {
        guard let others = try await transaction.queryOne(CategoryStatements.others, owner) else {
            throw APIError(.internalError)
        }
        return others
    }
}

/// Goes on with what is in categories that are gone, and looks once more for what was posted into
/// them meanwhile.
struct CategorySweep {
    let database: Database
    let relayBell: RelayBell

    /// Some of one category; false where there is none whose turn it is.
    func sweepOne() async throws -> Bool {
        var under: CategoryID?
        do {
            let found = try await database.transaction { transaction in
                guard let gone = try await transaction.queryOne(CategoryStatements.toSweep) else {
                    return false
                }
                under = gone.id
                let contents = CategoryContents(category: gone.id, owner: gone.user)
                let hasMore = try await contents.emptySome(
                    deleting: gone.removal == CategoryDisposal.delete.rawValue,
                    in: transaction
                )
                if hasMore || !gone.isOld {
                    try await transaction.execute(
                        CategoryStatements.sweepAgain,
                        gone.id,
                        Int64(hasMore ? 0 : 5)
                    )
                } else {
                    try await transaction.execute(CategoryStatements.swept, gone.id)
                }
                return true
            }
            if found { relayBell.ring() }
            return found
        } catch {
            // Whatever keeps this one keeps no other from its turn.
            guard let under, !Task.isCancelled else { throw error }
            try await database.execute(CategoryStatements.sweepAgain, under, Int64(2))
            if error is TryAgain { return true }
            throw error
        }
    }
}
