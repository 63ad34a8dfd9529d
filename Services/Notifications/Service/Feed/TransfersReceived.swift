import Postgres
import WalletProtocol

/// Tells the payee of what somebody else has sent: their side of a transfer, when it comes.
enum TransfersReceived {
    /// Adds an entry to each payee's feed, once however often it is told of.
    static func apply(_ postings: [TransactionPosted], in transaction: Transaction) async throws {
        var lines = FeedLines()
        for posted in postings where isTransferReceived(posted) {
            let entry = FeedEntry(accountID: posted.accountID, amount: Total(posted.amount))
            lines.add(.transferReceived, entry, of: posted)
        }
        try await lines.write(in: transaction)
    }

    /// A later version is the same money under another category or name.
    private static func isTransferReceived(_ posted: TransactionPosted) -> Bool {
        posted.kind == .posted && posted.version == 1 && posted.transferID != nil
            && !posted.isOwnTransfer && posted.amount.minorUnits > 0
    }
}
