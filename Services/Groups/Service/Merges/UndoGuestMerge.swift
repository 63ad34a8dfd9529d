import ServiceKit
import WalletProtocol

/// Parts a member and the guest who was merged into them; any editor may.
struct UndoGuestMerge: Handler {
    static let endpoint = GroupMembers.undoMerge
    let effects: KeyedEffects

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let (guest, group) = try (
            request.path.id("memberId", of: Member.self), request.path.id(of: Group.self)
        )
        return try await effects.answer(request.idempotency) { transaction in
            try await GuestMerges.undo(guest, in: group, by: caller.user.id, transaction)
            return .noContent
        }
    }
}
