import Postgres
import ServiceKit
import WalletProtocol

/// Tells, behind the writes, of families' envelopes that are overspent: once each time that one
/// becomes so.
///
/// `BudgetWatch` notes which families to look at, with the people; it is read there why a kill
/// loses and repeats nothing.
struct HouseholdWatch {
    let store: HouseholdStore

    /// Looks at the envelopes of a family that was touched; false where there are none.
    func lookAtOne() async throws -> Bool {
        let found = try await store.database.transaction(BudgetReader.options) { transaction in
            guard let family = try await transaction.queryOne(HouseholdFigureStatements.next)
            else { return false }
            let days = try await transaction.query(HouseholdFigureStatements.take, family)
            let known = try await transaction.queryOne(HouseholdStatements.currency, family)
            // It has ended.
            guard let currency = known else { return true }
            let reader = HouseholdReader(
                family: family,
                currency: currency,
                today: .utc(.now()),
                rates: store.rates,
                blocking: store.blocking
            )
            // What changes in a month that is over changes what rolls over into the running; in one
            // that cannot be planned it changes nothing.
            let months = Set(days.map { max($0.month, reader.today.month) }).filter {
                BudgetCalendar.planned.contains($0.year)
            }
            for month in months.sorted() {
                let allocated = try await transaction.query(
                    HouseholdFigureStatements.allocations,
                    family,
                    month.firstDay
                )
                // One that begins later, or is only counted in, is none yet.
                let begun = Set(allocated.map(\.envelope))
                let envelopes = try await reader.envelopes(in: month, for: nil, transaction)
                for one in envelopes where begun.contains(one.envelope.id) {
                    try await reader.note(one, cause: .spending, in: transaction)
                }
            }
            return true
        }
        if found { store.relayBell.ring() }
        return found
    }
}
