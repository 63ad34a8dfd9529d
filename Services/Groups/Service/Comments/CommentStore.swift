import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// What members say about expenses.
final class CommentStore {
    private let database: Database

    /// What is said is never changed: each has the one version.
    static let tag = "1"

    init(database: Database) {
        self.database = database
    }

    /// Keeps what somebody says, and tells whom the expense concerns.
    func add(
        _ body: NewComment,
        to expense: ID<Expense>,
        of group: ID<Group>,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws -> CommentView {
        let membership = try await Membership.lock(user, in: group, to: .write, transaction)
        let row = try await ExpenseStore.standing(expense, of: group, transaction)
        let about = try await ExpenseStore.view(of: row, in: group, transaction)
        let count = try await transaction.queryOne(CommentStatements.count, group, expense) ?? 0
        guard count < Comments.countMax else {
            let detail = "an expense has at most \(Comments.countMax) comments"
            throw APIError.field("", .tooMany, detail)
        }
        let made = try await transaction.queryOne(
            CommentStatements.insert,
            group,
            expense,
            ID<ExpenseComment>.new(),
            membership.member,
            body.text
        )
        guard let made else { throw APIError(.internalError) }
        try await Outbox.append(
            GroupExpenseCommented(
                commentID: made.id,
                expenseID: expense,
                groupID: group,
                amount: about.amount,
                commentedBy: user,
                userIDs: try await ExpenseStore.users(of: about, transaction)
            ),
            of: membership.group.aggregate,
            in: transaction
        )
        return made
    }

    func list(
        _ query: PageQuery,
        of expense: ID<Expense>,
        in group: ID<Group>,
        for user: ID<User>
    ) async throws -> Page<CommentView> {
        _ = try await Membership.find(user, in: group, database)
        _ = try await ExpenseStore.standing(expense, of: group, database)
        let before = try query.cursor?.decode(ID<ExpenseComment>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            CommentStatements.list,
            group,
            expense,
            before,
            query.limit + 1
        )
        return Page(rows: rows, limit: query.limit) { Cursor($0.id) }
    }

    /// Takes back what somebody has said themselves.
    func remove(
        _ id: ID<ExpenseComment>,
        of expense: ID<Expense>,
        in group: ID<Group>,
        by user: ID<User>,
        ifMatch wanted: EntityTags? = nil
    ) async throws {
        try await database.transaction { transaction in
            let membership = try await Membership.lock(user, in: group, to: .write, transaction)
            let author = try await transaction.queryOne(
                CommentStatements.author,
                group,
                expense,
                id
            )
            guard let author else { throw APIError.notFound }
            try wanted.check(Self.tag)
            guard author == membership.member else { throw APIError(.forbidden) }
            try await transaction.execute(CommentStatements.delete, group, expense, id)
        }
    }
}
