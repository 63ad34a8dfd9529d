import Crypto
import Postgres
import ServiceKit
import WalletProtocol
import WebAuthn

/// Why an assertion proves nobody; told to the log, and to who is signed in.
struct PasskeyRefusal: Error {
    let reason: WebAuthnError
}

extension PasskeyStore {
    /// Begins an assertion: for a name, for who is signed in, for a device's last user, or for
    /// whoever the device has a passkey of.
    ///
    /// A name costs and shows the same whether somebody has it or not: one query, one row, and no
    /// credential. Listed ones would tell, by standing in the answers for both, which e-mail and
    /// which username are one person's; and every passkey of ours is discoverable.
    func beginAssertion(
        _ request: PasskeyRequest,
        device: DeviceToken?,
        by user: ID<User>?
    ) async throws -> PasskeyChallenge {
        if let identifier = request.identifier { return try await begin(naming: identifier) }
        if let user {
            return try await challenge(for: user, offering: try await list(of: user))
        }
        if request.fastForward, let device,
            let username = try await database.queryOne(
                PasskeyStatements.deviceUser,
                device.user,
                device.madeAt
            )
        {
            let passkeys = try await list(of: device.user)
            let suggested = SuggestedUser(username: PasskeyRules.mask(username))
            if !passkeys.isEmpty {
                return try await challenge(
                    for: device.user,
                    offering: passkeys,
                    suggesting: suggested
                )
            }
            return try await challenge(for: nil, allowing: [], suggesting: suggested)
        }
        return try await challenge(for: nil, allowing: [])
    }

    private func begin(naming identifier: String) async throws -> PasskeyChallenge {
        let name = SignInName(identifier)
        let user = try await database.queryOne(
            PasskeyStatements.byIdentifier,
            name.email,
            name.username
        )
        let nobody = PasskeyRules.nobody(for: name.key, key: configuration.passkeyKey)
        return try await challenge(for: user ?? nobody, allowing: [])
    }

    /// The one used last stands first.
    private func challenge(
        for user: ID<User>?,
        offering passkeys: [ListedPasskey],
        suggesting suggested: SuggestedUser? = nil
    ) async throws -> PasskeyChallenge {
        let sorted = passkeys.sorted {
            ($0.lastUsedAt ?? $0.createdAt).microseconds
                > ($1.lastUsedAt ?? $1.createdAt).microseconds
        }
        return try await challenge(
            for: user,
            allowing: sorted.map(\.descriptor),
            suggesting: suggested
        )
    }

    private func challenge(
        for user: ID<User>?,
        allowing descriptors: [PasskeyDescriptor],
        suggesting suggested: SuggestedUser? = nil
    ) async throws -> PasskeyChallenge {
        let begun = try await begin("assertion", for: user)
        return PasskeyChallenge(
            challengeID: begun.id,
            expiresAt: begun.expiresAt,
            publicKey: PasskeyRequestOptions(
                challenge: Base64URL.encode(begun.challenge),
                timeout: Int(PasskeyRules.lifeSeconds) * 1_000,
                rpID: party.id,
                allowCredentials: descriptors
            ),
            suggested: suggested
        )
    }

    /// Takes an assertion: counted first, judged, consumed by one alone.
    ///
    /// Order of checks: challenge, credential, whose it is, the rules of WebAuthn, sign count.
    /// - Parameter user: who alone will do, where somebody is signed in.
    /// - Throws: `PasskeyRefusal`; 409 `challenge-expired`, `challenge-exhausted`.
    func prove(
        _ assertion: PasskeyAssertion,
        by user: ID<User>?,
        from origin: AuditOrigin
    ) async throws -> StoredPasskey {
        let ceremony = try await database.queryOne(
            PasskeyStatements.countAttempt,
            assertion.challengeID,
            "assertion"
        )
        guard let ceremony, !ceremony.isExpired else { throw APIError(.challengeExpired) }
        guard !ceremony.isUsed, ceremony.attempts <= PasskeyRules.attemptsMax else {
            throw APIError(.challengeExhausted)
        }
        let answer = try AssertionAnswer(assertion.credential)
        guard
            let passkey = try await database.queryOne(
                PasskeyStatements.byCredential,
                answer.credentialID
            ),
            passkey.user == user ?? passkey.user,
            passkey.user == ceremony.user ?? passkey.user
        else { throw PasskeyRefusal(reason: .wrongCredential) }
        let verified: VerifiedAssertion?
        do throws(WebAuthnError) {
            verified = try party.verify(
                answer,
                by: passkey.known,
                isDiscovered: ceremony.user == nil,
                RelyingParty.Expectation(challengeDigest: ceremony.challengeHash)
            )
        } catch {
            guard error == .signCountRegression else { throw PasskeyRefusal(reason: error) }
            verified = nil
        }
        guard try await use(passkey, verified, ceremony.id) else {
            try await warnOfCopy(passkey, from: origin)
            throw PasskeyRefusal(reason: .signCountRegression)
        }
        return passkey
    }

    /// The same for who is signed in, and is told why it is refused.
    func proveOwn(
        _ assertion: PasskeyAssertion,
        by user: ID<User>,
        from origin: AuditOrigin
    ) async throws -> StoredPasskey {
        do {
            return try await prove(assertion, by: user, from: origin)
        } catch let refusal as PasskeyRefusal {
            throw APIError.invalidPasskey(refusal.reason)
        }
    }

    /// Consumes the challenge and moves the sign count on, together.
    /// - Returns: whether the sign count had gone up.
    private func use(
        _ passkey: StoredPasskey,
        _ verified: VerifiedAssertion?,
        _ ceremony: ID<PasskeyCeremony>
    ) async throws -> Bool {
        try await database.transaction { transaction in
            guard
                try await transaction.queryOne(PasskeyStatements.consume, ceremony) != nil
            else { throw APIError(.challengeExhausted) }
            guard let verified else { return false }
            return try await transaction.queryOne(
                PasskeyStatements.use,
                passkey.id,
                Int64(verified.signCount),
                verified.isBackedUp
            ) != nil
        }
    }
}

extension AssertionAnswer {
    /// What a browser wrote, out of its base64url.
    init(_ credential: PasskeyCredential<PasskeySignature>) throws {
        let response = credential.response
        guard let id = Base64URL.decode(credential.id.utf8),
            credential.rawID.map({ $0 == credential.id }) ?? true
        else { throw PasskeyRefusal(reason: .wrongCredential) }
        guard let clientData = Base64URL.decode(response.clientDataJSON.utf8) else {
            throw PasskeyRefusal(reason: .malformedClientData)
        }
        guard let data = Base64URL.decode(response.authenticatorData.utf8) else {
            throw PasskeyRefusal(reason: .malformedAuthenticatorData)
        }
        guard let signature = Base64URL.decode(response.signature.utf8) else {
            throw PasskeyRefusal(reason: .wrongSignature)
        }
        var handle: [UInt8]?
        if let text = response.userHandle, !text.isEmpty {
            guard let bytes = Base64URL.decode(text.utf8) else {
                throw PasskeyRefusal(reason: .wrongUserHandle)
            }
            handle = bytes
        }
        self.init(
            credentialID: id,
            userHandle: handle,
            clientData: clientData,
            authenticatorData: data,
            signature: signature
        )
    }
}
