import Crypto
import ServiceKit
import Text
import WalletProtocol

/// `ezwallet-auth create-user --role admin|coo --email … [--username …] [--password-file …]`.
///
/// The way to the first admin: on the machine, never over the network and never hard-coded. The
/// password comes from a file, or from the terminal; it is never an argument, which others can see.
enum CreateUser {
    static let usage =
        "usage: ezwallet-auth create-user --role admin|coo|user --email ADDRESS "
        + "[--username NAME] [--password-file FILE]"

    struct UsageError: Error, CustomStringConvertible {
        let description: String
    }

    static func run(
        _ arguments: [String],
        users: UserStore,
        effects: KeyedEffects,
        audit: AuditLog
    ) async throws {
        var options: [String: String] = [:]
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard ["--role", "--email", "--username", "--password-file"].contains(name),
                let value = rest.popFirst()
            else { throw UsageError(description: usage) }
            options[name] = value
        }
        guard let role = options["--role"].flatMap({ Role(rawValue: $0) }),
            let email = options["--email"].flatMap({ EmailAddress(canonical: $0) })
        else { throw UsageError(description: usage) }
        guard let typed = readPassword(file: options["--password-file"]) else {
            throw UsageError(description: "no password could be read")
        }
        let password = PasswordText(typed).normalized
        let name = options["--username"] ?? Username.made(from: email, suffix: nil)
        guard let username = Username(name) else { throw UsageError(description: usage) }
        if let weakness = PasswordRules.weakness(of: password, names: [name, email.text]) {
            throw UsageError(description: "the password is too weak: \(weakness.rawValue)")
        }
        guard !CommonPasswords.contains(password) else {
            throw UsageError(description: "the password is too weak: is-common")
        }
        let registration = Registration(
            id: .new(),
            email: email,
            username: username,
            passwordHash: PasswordHash.make(password),
            firstName: nil,
            lastName: nil,
            dateOfBirth: nil,
            phone: nil,
            area: nil,
            currency: .eur,
            language: "en",
            timeZone: "UTC",
            roles: role == .admin ? [.user, .admin] : [role]
        )
        try await users.naming(registration, true) { registration in
            try await effects.run { transaction in
                let profile = try await users.create(
                    registration,
                    isVerified: true,
                    in: transaction
                )
                try await audit.append(
                    .created(profile, by: .operator, from: .within),
                    in: transaction
                )
            }
        }
        writeText("created \(name) with the role \(role.rawValue)\n", to: 1)
    }
}
