import Loops
import ServiceKit
import WalletProtocol

/// From which amount on money that goes to another person wants a fresh proof of who sends it.
///
/// Compared in EUR at the day's rate; a currency without one wants the proof whatever the amount.
struct StepUpRule {
    /// Whole euros; 0: never.
    let euros: Int
    let rates: RateStore
    let blocking: BlockingPool

    /// - Throws: 403 `step-up-required`.
    func check(_ debit: Money, by user: UserIdentity) async throws {
        guard euros > 0, !user.hasFreshProof else { return }
        let history = try await rates.history(on: blocking)
        let cents: Int64
        do throws(RateError) {
            let rate = try history.required(from: debit.currency, to: .eur, on: .utc(.now()))
            cents = try rate.credit(for: debit.minorUnits)
        } catch { throw APIError(.stepUpRequired) }
        // Rounded down: what is not quite a cent above the amount is not above it.
        if cents > Int64(euros) * 100 { try user.requireFreshProof() }
    }
}
