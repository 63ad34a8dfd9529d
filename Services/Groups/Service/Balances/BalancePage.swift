import Postgres
import WalletProtocol

/// Where everybody stands, in as many whole currencies as one answer holds.
struct BalancePage {
    let rows: [BalanceRow]
    /// The last currency here, where balances are open in further ones.
    let next: Currency?

    /// How many balances one answer holds: at least those of one currency.
    static let rowsMax = Int(GroupStore.placesMax)

    init(
        of group: ID<Group>,
        behind place: Currency?,
        in transaction: Transaction
    ) async throws {
        self.init(
            try await transaction.query(
                BalanceStatements.membersBehind,
                group,
                place?.code ?? "",
                Self.rowsMax + 1
            )
        )
    }

    /// - Parameter found: up to one more than `rowsMax`, by currency.
    init(_ found: [BalanceRow]) {
        let last = found.last?.amount.currency
        let whole = found.prefix { $0.amount.currency != last }
        let isCut = found.count > Self.rowsMax && !whole.isEmpty
        rows = isCut ? Array(whole) : found
        next = isCut ? whole.last?.amount.currency : nil
    }
}
