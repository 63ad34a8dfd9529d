import ServiceKit
import WalletProtocol

/// When a standing order to somebody else wants a fresh proof of who makes or changes it.
///
/// Its days are paid while nobody is there: each counts in the sum of 24 hours once it is posted,
/// and none of them asks. So the proof is asked for when its amount and recurrence are said. An
/// order that is made with one may pay any sum. Those without one may together come to no more than
/// the sum (`StepUpRule`), whenever they are due and though they are paused, beside what was sent
/// within the day: whoever has stolen a token gets no more by orders than by transfers. From a day
/// before it is due such an order counts with the transfers, too.
///
/// What is paid late, after downtime, is still what was allowed.
struct StandingOrderProof {
    let stepUp: StepUpRule

    /// Lets an order pass as it is to be, and announces it until it stands.
    /// - Returns: what it is announced as: every call by itself, for two may want to change one.
    /// - Throws: 403 `step-up-required`.
    func check(
        _ order: StoredOrder,
        by user: UserIdentity
    ) async throws -> ID<Posting.Operation>? {
        guard !order.isOwn else { return nil }
        let operation = ID<Posting.Operation>.new()
        try await stepUp.check([order.amount], as: operation, asOrder: order.id, by: user)
        return operation
    }

    /// It stands, and counts as what it is.
    func withdraw(_ announced: ID<Posting.Operation>?, of user: ID<User>) async throws {
        guard let announced else { return }
        try await stepUp.withdraw(announced, of: user)
    }
}
