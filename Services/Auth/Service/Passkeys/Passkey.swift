import Crypto
import WalletProtocol
import WebAuthn

/// A ceremony as its answer needs it, after the attempt was counted.
struct PasskeyCeremonyRow: Sendable {
    let id: ID<PasskeyCeremony>
    let user: ID<User>?
    let challengeHash: [UInt8]
    let attempts: Int
    let isExpired: Bool
    let isUsed: Bool
}

/// A passkey as an assertion is judged by it.
struct StoredPasskey: Sendable {
    let id: ID<Passkey>
    let user: ID<User>
    let credentialID: [UInt8]
    let publicKey: [UInt8]
    let signCount: UInt32
    let isBackupEligible: Bool

    var known: KnownCredential {
        KnownCredential(
            id: credentialID,
            publicKey: publicKey,
            signCount: signCount,
            isBackupEligible: isBackupEligible,
            userHandle: PasskeyRules.handle(of: user)
        )
    }

    /// How it proves somebody (RFC 8176): one whose provider may copy it is software.
    var methods: [String] { [isBackupEligible ? "swk" : "hwk", "user", "mfa"] }
}

/// A passkey in its owner's list.
struct ListedPasskey: Sendable {
    let id: ID<Passkey>
    let name: String
    let createdAt: Instant
    let lastUsedAt: Instant?
    let isBackedUp: Bool
    let transports: [String]
    let credentialID: [UInt8]

    var view: PasskeyView {
        PasskeyView(
            id: id,
            name: name,
            createdAt: createdAt,
            lastUsedAt: lastUsedAt,
            backedUp: isBackedUp,
            transports: transports
        )
    }

    var descriptor: PasskeyDescriptor {
        PasskeyDescriptor(id: Base64URL.encode(credentialID), transports: transports)
    }
}

/// What holds of all passkeys.
enum PasskeyRules {
    /// How many one user can have.
    static let countMax = 8
    /// How many answers to one challenge are looked at.
    static let attemptsMax = 5
    /// How long a challenge can be answered.
    static let lifeSeconds: Int64 = 300
    /// What is kept of how an authenticator is reached (WebAuthn Level 3, 5.8.4).
    static let transports: Set<String> = [
        "usb", "nfc", "ble", "smart-card", "hybrid", "internal",
    ]

    /// The user handle: the user's id, which says nothing of a person.
    static func handle(of user: ID<User>) -> [UInt8] { user.bytes }

    /// The user whom a ceremony for a name that is nobody's is for.
    static func nobody(for name: String, key: [UInt8]) -> ID<User> {
        let code = HMACSHA256.code([4] + Array(name.utf8), key: key)
        return ID(bytes: code.prefix(16)) ?? .new()
    }

    /// A username as the page before a log-in shows it.
    static func mask(_ username: String) -> String { username.prefix(1) + "***" }
}
