import ServiceKit
import WalletProtocol

/// `ezwallet-auth list-keys | rotate-keys [--now] | revoke-key KEY`: the operator's hand on the
/// signing keys.
enum KeyCommands {
    static let listUsage = "usage: ezwallet-auth list-keys"
    static let rotateUsage =
        "usage: ezwallet-auth rotate-keys [--now]: publishes the next signing key, which signs "
        + "in 15 minutes, or at once"
    static let revokeUsage =
        "usage: ezwallet-auth revoke-key KEY: ends a key and all of its tokens at once; sessions "
        + "go on by their refresh tokens"

    /// What was typed is none of these.
    struct UsageError: Error, CustomStringConvertible {
        let description: String
    }

    /// One line a key, newest first: name, state, since when it signs.
    static func list(_ arguments: [String], keys: KeyRotation) async throws {
        guard arguments.isEmpty else { throw UsageError(description: listUsage) }
        let now = Instant.now()
        var hasSigning = false
        for key in try await keys.list() {
            let state: String
            if key.revokedAt != nil {
                state = "revoked"
            } else if key.retiredAt != nil {
                state = "retired"
            } else if key.useFrom > now {
                state = "next"
            } else {
                state = hasSigning ? "verifies" : "signs"
                hasSigning = true
            }
            writeText("\(key.id) \(state) \(key.useFrom)\n", to: 1)
        }
    }

    static func rotate(_ arguments: [String], keys: KeyRotation) async throws {
        guard arguments.isEmpty || arguments == ["--now"] else {
            throw UsageError(description: rotateUsage)
        }
        let id = try await keys.rotate(now: arguments == ["--now"])
        writeText("made \(id)\n", to: 1)
    }

    static func revoke(_ arguments: [String], keys: KeyRotation) async throws {
        guard arguments.count == 1 else { throw UsageError(description: revokeUsage) }
        do {
            let signing = try await keys.revoke(arguments[0])
            writeText("revoked \(arguments[0]); \(signing) signs now\n", to: 1)
        } catch is KeyRotation.UnknownKey {
            throw UsageError(description: "no key \(arguments[0]) that counts")
        }
    }
}
