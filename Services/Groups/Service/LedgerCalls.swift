import ServiceKit

/// All that groups asks of the ledger.
struct LedgerCalls {
    let directory: SharedDirectory
    let allowances: AllowanceLedger
    let households: HouseholdLedger
    let limits: LimitLedger
    let purchases: PurchaseLedger
    let accounts: AccountLedger
    let settlements: SettlementLedger
    let rates: RateLedger
    let links: LinkLedger
}

extension LedgerCalls {
    /// By way of the gateway's internal listener.
    static func calling(_ client: InternalClient) -> LedgerCalls {
        LedgerCalls(
            directory: .calling(client),
            allowances: .calling(client),
            households: .calling(client),
            limits: .calling(client),
            purchases: .calling(client),
            accounts: .calling(client),
            settlements: .calling(client),
            rates: .calling(client),
            links: .calling(client)
        )
    }
}
