import Crypto
import ServiceKit
import WalletProtocol

/// An entry as the table keeps it.
struct AuditRow: Sendable {
    let id: ID<AuditEntryView>
    let transaction: UInt64
    let actor: String
    let action: String
    let subject: ID<User>?
    let detail: String
    let textHash: [UInt8]?
    let addressFamily: String
    let requestID: String?
    let at: Instant
    var code: [UInt8]

    /// Every column but the transaction, which the database gives, and the code over these.
    var canonical: CanonicalBytes {
        var all = CanonicalBytes("EZWallet audit entry v1")
        all.append(id.bytes)
        all.append(actor)
        all.append(action)
        all.append(subject?.bytes)
        all.append(detail)
        all.append(textHash)
        all.append(addressFamily)
        all.append(requestID)
        all.append(at.microseconds)
        return all
    }
}

/// What is personal of an entry, beside it.
struct AuditText: Sendable {
    let salt: [UInt8]
    let value: String

    /// What stands of it in the entry: tells nothing of the text once the salt is gone.
    var hash: [UInt8] {
        var all = CanonicalBytes("EZWallet audit text v1")
        all.append(salt)
        all.append(value)
        return SHA256.digest(all.bytes)
    }
}
