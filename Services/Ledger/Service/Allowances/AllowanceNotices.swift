import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// What parents hear of a child's account: what a limit refused, and what was deleted.
///
/// The posting function notes a deletion with the reversal. A refusal is noted once the refused
/// transaction has ended, for it takes along what it has written. A worker publishes the first of
/// an account at once, and what comes within ten minutes together: nobody floods their parents.
struct AllowanceNotices {
    let database: Database
    let relayBell: RelayBell

    /// Publishes one that is due; false where there is none.
    func publishOne() async throws -> Bool {
        let found = try await database.transaction { transaction in
            guard let due = try await transaction.queryOne(NoticeStatements.due) else {
                return false
            }
            let notice = due.notice.rawValue
            try await transaction.execute(NoticeStatements.publish, due.account, notice)
            _ = try await Outbox.append(
                AllowanceNoticed(
                    accountID: due.account,
                    familyID: due.family,
                    userID: due.child,
                    notice: due.notice,
                    amount: due.amount
                ),
                of: "allowance:\(due.account)",
                in: transaction
            )
            return true
        }
        if found { relayBell.ring() }
        return found
    }
}
