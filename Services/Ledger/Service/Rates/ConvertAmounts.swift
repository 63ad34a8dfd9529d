import Loops
import ServiceKit
import WalletProtocol

/// Converts amounts for show, for another service.
struct ConvertAmounts: Handler {
    static let endpoint = InternalRates.convert
    let rates: RateStore
    let blocking: BlockingPool

    func handle(
        _ request: Request<NoQuery, ConversionOrder>,
        as caller: Caller
    ) async throws -> Response<Page<ConversionOutcome>> {
        let (target, amounts) = (request.body.currency, request.body.amounts)
        let days = request.body.days ?? amounts.map { _ in Day.utc(.now()) }
        guard days.count == amounts.count else {
            throw APIError.field("/days", .conflict, "must be as many as the amounts")
        }
        let history = try await rates.history(on: blocking)
        let items = zip(amounts, days).map { amount, day in
            ConversionOutcome(converted: history.shown(amount, in: target, on: day))
        }
        return .ok(Page(items: items, nextCursor: nil))
    }
}

extension RateHistory {
    /// An amount as it is shown in another currency; nil without a rate.
    fileprivate func shown(
        _ amount: Total,
        in target: Currency,
        on day: Day
    ) -> ConvertedAmount? {
        if amount.currency == target { return ConvertedAmount(amount: amount, rate: nil) }
        guard let rate = rate(from: amount.currency, to: target, on: day),
            let shown = try? rate.shown(amount.minorUnits)
        else { return nil }
        return ConvertedAmount(amount: Total(minorUnits: shown, target), rate: rate.view)
    }
}
