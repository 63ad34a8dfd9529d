import ServiceKit
import WalletProtocol

/// Posts what one paid of a shared expense to one's own ledger, or posts it anew.
struct SetLedgerLink: Handler {
    static let endpoint = WalletProtocol.LedgerLinks.set
    let links: LedgerLinkWork

    func handle(
        _ request: Request<NoQuery, NewLedgerLink>,
        as caller: Caller
    ) async throws -> Response<LedgerLinkView> {
        .ok(
            try await links.set(
                request.path.id("expenseId"),
                of: request.path.id(),
                request.body,
                by: caller.user.id
            )
        )
    }
}

/// Takes a shared expense out of one's own ledger.
struct RemoveLedgerLink: Handler {
    static let endpoint = WalletProtocol.LedgerLinks.remove
    let links: LedgerLinkWork

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await links.remove(
            request.path.id("expenseId"),
            of: request.path.id(),
            by: caller.user.id
        )
        return .noContent
    }
}
