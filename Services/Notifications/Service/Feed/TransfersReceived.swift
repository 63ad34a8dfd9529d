import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Tells the payee of what somebody else has sent: their side of a transfer, when it comes.
enum TransfersReceived {
    /// Adds an entry to each payee's feed, once however often it is told of.
    static func apply(_ postings: [TransactionPosted], in transaction: Transaction) async throws {
        let received = postings.filter(isTransferReceived)
        guard !received.isEmpty else { return }
        try await transaction.execute(
            FeedStatements.insertMany,
            received.map(\.userID),
            received.map(id),
            NotificationKind.transferReceived.rawValue,
            received.map { posted in
                JSON.text(FeedEntry(accountID: posted.accountID, amount: Total(posted.amount)))
            }
        )
    }

    /// A later version is the same money under another category or name.
    private static func isTransferReceived(_ posted: TransactionPosted) -> Bool {
        posted.kind == .posted && posted.version == 1 && posted.transferID != nil
            && !posted.isOwnTransfer && posted.amount.minorUnits > 0
    }

    /// A function of entry and recipient: in order of time, and the same however often it is made.
    static func id(of posted: TransactionPosted) -> ID<FeedNotification> {
        let digest = SHA256.digest(posted.source.entryID.bytes + posted.userID.bytes)
        let random = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return ID<FeedNotification>.at(posted.recordedAt, random: random)
    }
}
