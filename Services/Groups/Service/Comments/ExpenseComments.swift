import ServiceKit
import WalletProtocol

/// Says something about an expense.
struct AddComment: Handler {
    static let endpoint = Comments.add
    let effects: KeyedEffects
    let comments: CommentStore

    func handle(
        _ request: Request<NoQuery, NewComment>,
        as caller: Caller
    ) async throws -> Response<CommentView> {
        let group = try request.path.id(of: Group.self)
        let expense = try request.path.id("expenseId", of: Expense.self)
        return try await effects.answer(request.idempotency) { transaction in
            .created(
                try await comments.add(
                    request.body,
                    to: expense,
                    of: group,
                    by: caller.user.id,
                    in: transaction
                )
            )
            .tagged(CommentStore.tag)
        }
    }
}

/// What was said about an expense.
struct ListComments: Handler {
    static let endpoint = Comments.list
    let comments: CommentStore

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<CommentView>> {
        .ok(
            try await comments.list(
                request.query,
                of: request.path.id("expenseId"),
                in: request.path.id(),
                for: caller.user.id
            )
        )
    }
}

/// Takes back what one has said.
struct RemoveComment: Handler {
    static let endpoint = Comments.remove
    let comments: CommentStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await comments.remove(
            request.path.id("commentId"),
            of: request.path.id("expenseId"),
            in: request.path.id(),
            by: caller.user.id,
            ifMatch: request.ifMatch
        )
        return .noContent
    }
}
