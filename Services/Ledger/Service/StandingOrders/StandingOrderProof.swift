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
    /// - Throws: 403 `step-up-required`.
    func check(_ order: StoredOrder, by user: UserIdentity) async throws {
        guard !order.isOwn else { return }
        try await stepUp.check(
            [order.amount],
            as: Self.operation(of: order.id),
            besideAllOrders: true,
            by: user
        )
    }

    /// It stands, and counts as what it is.
    func withdraw(_ order: StoredOrder) async throws {
        guard !order.isOwn, !order.isProved else { return }
        try await stepUp.withdraw(Self.operation(of: order.id), of: order.user)
    }

    private static func operation(of order: ID<StandingOrder>) -> ID<Posting.Operation> {
        ID(high: order.high, low: order.low)
    }
}
