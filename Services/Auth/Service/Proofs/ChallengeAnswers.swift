import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// What a right answer proves.
enum AnsweredChallenge: Sendable {
    case logIn(Credential, methods: [String])
    case phone(String)
    case stepUp(Credential, session: ID<Session>, methods: [String])
}

/// Takes answers: counted first, compared once, consumed by one alone.
extension ChallengeStore {
    /// - Parameters:
    ///   - session: who is signed in; a step-up is answered by the session that asked alone.
    ///   - address: the client's, from which another code may be caused.
    func answer(
        _ id: ID<Challenge>,
        _ code: String,
        session: ID<Session>?,
        from address: String
    ) async throws -> AnsweredChallenge {
        guard
            let open = try await database.queryOne(ChallengeStatements.countAttempt, id, session)
        else { throw APIError.notFound }
        guard !open.isUsed else { throw APIError(.challengeExhausted) }
        guard !open.isExpired else { throw APIError(.challengeExpired) }
        if open.channel == ChallengeChannel.totp.rawValue {
            try await takeSecondFactor(code, for: open, from: address)
        } else {
            try await take(code, for: open, from: address)
        }
        return try await outcome(of: open)
    }

    /// Compares a code that was sent: each is looked at once.
    private func take(
        _ code: String,
        for open: OpenChallenge,
        from address: String
    ) async throws {
        let resendsLeft = Self.codesMax - Int(open.codesSent)
        // Of answers at the same time only the first is looked at: a code is tried once.
        guard open.attempts == open.codesSent, let expected = open.codeHMAC else {
            if open.isStuck, resendsLeft > 0, let unseen = open.codeHMAC {
                guard try await burn(open, unseen, from: address) else {
                    throw APIError(.challengeExhausted)
                }
                throw wrongCode(resendsLeft: resendsLeft - 1)
            }
            if open.codesSent >= Self.codesMax { throw APIError(.challengeExhausted) }
            throw wrongCode(resendsLeft: resendsLeft)
        }
        guard hashes(code, of: open.id).hold(expected) else {
            guard resendsLeft > 0, try await burn(open, expected, from: address) else {
                throw APIError(.challengeExhausted)
            }
            throw wrongCode(resendsLeft: resendsLeft - 1)
        }
        guard
            try await database.queryOne(ChallengeStatements.consume, open.id, expected) != nil
        else { throw APIError(.challengeExhausted) }
    }

    /// Compares with the authenticator app or a recovery code: three answers, and every one counts
    /// for the account too, so that no number of challenges gives more.
    private func takeSecondFactor(
        _ code: String,
        for open: OpenChallenge,
        from address: String
    ) async throws {
        guard let user = open.user, Int(open.attempts) <= Self.codesMax else {
            throw APIError(.challengeExhausted)
        }
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        let counted = try await attempts.countSecondFactor(of: user, from: address)
        let isTaken: Bool?
        do {
            isTaken = try await database.transaction { [self] transaction in
                let none: [UInt8]? = nil
                // As a recovery does, which takes the factor away before it voids challenges.
                try await SessionHolder.lock(user, in: transaction)
                guard
                    try await transaction.queryOne(
                        ChallengeStatements.consume,
                        open.id,
                        none
                    ) != nil
                else { return nil }
                // A wrong code consumes nothing: the transaction goes back.
                guard try await totp.take(code, of: user, in: transaction) else {
                    throw WrongFactor()
                }
                return true
            }
        } catch is WrongFactor { isTaken = false }
        switch isTaken {
        case true?: try await attempts.forget([counted.subject])
        case false?:
            if counted.isFirstAbove,
                let owner = try await database.queryOne(UserStatements.credentialByID, user)
            {
                try await noteLockOut(of: owner, from: address)
            }
            let left = Self.codesMax - Int(open.attempts)
            throw left > 0
                ? wrongCode(resendsLeft: left, ofApp: true) : APIError(.challengeExhausted)
        case nil: throw APIError(.challengeExhausted)
        }
    }

    private struct WrongFactor: Error {}

    /// Somebody guesses the second factor: the owner gets a mail, the audit log an entry.
    private func noteLockOut(of owner: Credential, from address: String) async throws {
        let entry = AuditEntry(
            .lockedOut,
            by: .anyone,
            of: owner.user,
            detail: ["factor": "second"],
            from: AuditOrigin(address: address)
        )
        try await database.transaction { [self] transaction in
            try await audit.append(entry, in: transaction)
            try await notices.tell(.secondFactorGuessed, to: owner, in: transaction)
        }
    }

    /// What the right answer proves, as the account is now.
    private func outcome(of open: OpenChallenge) async throws -> AnsweredChallenge {
        if open.purpose == ChallengePurpose.phoneVerification.rawValue {
            return .phone(open.destination ?? "")
        }
        let channel = ChallengeChannel(rawValue: open.channel)
        guard let user = open.user, let channel,
            let credential = try await database.queryOne(UserStatements.credentialByID, user)
        else { throw APIError(.challengeExpired) }
        guard credential.isEnabled else { throw APIError(.userDisabled) }
        // Another password, phone, address or rights since: what was proved is no longer so.
        guard open.mark == credential.mark(of: channel) else { throw APIError(.challengeExpired) }
        // The app has been switched on since: nothing weaker stands in for it.
        if channel != .totp, try await totp.isOn(for: user) { throw APIError(.challengeExpired) }
        if let session = open.session {
            return .stepUp(credential, session: session, methods: channel.proof)
        }
        var methods = open.methods
        for method in channel.methods where !methods.contains(method) { methods.append(method) }
        // A mailbox is no thing that somebody has (NIST SP 800-63B, 5.1.3.1).
        if channel != .email { methods.append("mfa") }
        return .logIn(credential, methods: methods)
    }

    private func wrongCode(resendsLeft: Int, ofApp: Bool = false) -> APIError {
        APIError(
            .wrongCode,
            ofApp ? TotpStore.wrongCodeAdvice : nil,
            members: [JSONMember("resendsLeft", .integer(Int64(resendsLeft)))]
        )
    }

    /// Puts a new code in the place of the one that was guessed wrong, and sends it.
    /// - Returns: whether there is one, for the budgets may be spent.
    private func burn(
        _ open: OpenChallenge,
        _ expected: [UInt8],
        from address: String
    ) async throws -> Bool {
        let code = Self.newCode()
        let expiresAt = Instant.now().adding(seconds: Self.lifeSeconds)
        let channel = ChallengeChannel(rawValue: open.channel) ?? .email
        do {
            try await database.transaction { [self] transaction in
                let burnt = try await transaction.queryOne(
                    ChallengeStatements.burn,
                    open.id,
                    expected,
                    hashes(code, of: open.id).made,
                    expiresAt
                )
                guard burnt != nil, let destination = open.destination else { return }
                let full = try await spend(
                    ChallengePurpose(rawValue: open.purpose) ?? .phoneVerification,
                    by: channel,
                    to: destination,
                    for: open.user,
                    from: address,
                    in: transaction
                )
                guard full == nil else { throw NoneLeft() }
                try await send(
                    code,
                    by: channel,
                    to: destination,
                    language: open.language,
                    user: open.user,
                    in: transaction
                )
            }
        } catch is NoneLeft {
            try await database.execute(ChallengeStatements.exhaust, open.id)
            return false
        }
        return true
    }

    private struct NoneLeft: Error {}
}

extension ChallengeChannel {
    /// What a right code proves (RFC 8176).
    var methods: [String] { self == .sms ? ["otp", "sms"] : ["otp"] }

    /// What it proves of somebody who is signed in: the app comes after a first factor always.
    var proof: [String] { self == .totp ? ["otp", "mfa"] : methods }
}

extension Credential {
    /// Where a code goes, where there is something.
    func destination(of channel: ChallengeChannel) -> String? {
        switch channel {
        case .sms: phone
        case .email: email
        case .totp: nil
        }
    }

    /// What the account is like as far as a challenge stands on it.
    func mark(of channel: ChallengeChannel) -> [UInt8] {
        let parts = [
            String(generation), passwordHash ?? "", destination(of: channel) ?? "",
        ]
        return SHA256.digest(parts.joined(separator: "\u{0}").utf8)
    }
}
