import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Makes one-time codes and sends them; `ChallengeAnswers.swift` takes their answers.
///
/// A challenge is open (a code sent, not yet looked at) → open again with another code after a
/// wrong answer, twice at most → used by a right answer, or exhausted by the third wrong one, or
/// expired. Exhausted ones have the pair of destination and person wait.
final class ChallengeStore {
    let database: Database
    let totp: TotpStore
    let configuration: AuthConfiguration
    let messages: MessageJobs
    let notices: SecurityNotices
    let audit: AuditLog
    private let budget: CodeBudget

    static let lifeSeconds: Int64 = 300
    static let codesMax = 3
    /// At most so many challenges for one person or phone in so many seconds.
    static let recentMax = 5
    static let recentSeconds = 600.0
    /// How long a pair waits after three wrong codes.
    static let coolDownSeconds = 600.0

    init(
        database: Database,
        messages: MessageJobs,
        totp: TotpStore,
        audit: AuditLog,
        configuration: AuthConfiguration
    ) {
        self.database = database
        self.messages = messages
        notices = SecurityNotices(messages: messages, configuration: configuration)
        self.totp = totp
        self.audit = audit
        self.configuration = configuration
        budget = CodeBudget(configuration: configuration)
    }

    /// What a challenge is made of before it has a code.
    struct Draft {
        let purpose: ChallengePurpose
        let channel: ChallengeChannel
        let destination: String?
        let language: String
        /// The client's address.
        let address: String
        var credential: Credential?
        var session: ID<Session>?
        /// What was proved before (RFC 8176).
        var methods: [String] = []
        /// By whom it was proved, where it was.
        var identity: ExternalIdentity?
    }

    /// A code for somebody who has shown a right first factor: by the authenticator app where there
    /// is one, whatever was asked for.
    func makeLogIn(
        for credential: Credential,
        channel: ChallengeChannel?,
        methods: [String],
        identity: ExternalIdentity? = nil,
        from address: String
    ) async throws -> ChallengeView {
        var draft = try await draft(
            .logIn,
            credential,
            channel,
            methods: methods,
            session: nil,
            from: address
        )
        draft.identity = identity
        return try await make(draft)
    }

    /// A code by which somebody signed in proves who they are again.
    func makeStepUp(
        for credential: Credential,
        session: ID<Session>,
        channel: ChallengeChannel?,
        from address: String
    ) async throws -> ChallengeView {
        try await make(
            draft(.stepUp, credential, channel, methods: [], session: session, from: address)
        )
    }

    /// A code for a phone that nobody has proved yet.
    func makePhoneVerification(
        _ phone: String,
        language: String,
        for credential: Credential?,
        from address: String
    ) async throws -> ChallengeView {
        var draft = Draft(
            purpose: .phoneVerification,
            channel: .sms,
            destination: phone,
            language: credential?.language ?? language,
            address: address
        )
        draft.credential = credential
        return try await make(draft)
    }

    private func draft(
        _ purpose: ChallengePurpose,
        _ credential: Credential,
        _ channel: ChallengeChannel?,
        methods: [String],
        session: ID<Session>?,
        from address: String
    ) async throws -> Draft {
        let hasTotp = try await totp.isOn(for: credential.user)
        let chosen: ChallengeChannel
        if hasTotp {
            // A second factor that a code by SMS could stand in for would be none.
            guard purpose == .logIn || channel == nil || channel == .totp else {
                throw APIError(.channelUnavailable)
            }
            chosen = .totp
        } else {
            chosen = channel ?? (credential.phone == nil ? .email : .sms)
        }
        var draft = Draft(
            purpose: purpose,
            channel: chosen,
            destination: credential.destination(of: chosen),
            language: credential.language,
            address: address
        )
        guard draft.destination != nil || hasTotp else { throw APIError(.channelUnavailable) }
        draft.credential = credential
        draft.session = session
        draft.methods = methods
        return draft
    }

    private func make(_ draft: Draft) async throws -> ChallengeView {
        let id = ID<Challenge>.new()
        let code = draft.channel == .totp ? nil : Self.newCode()
        let expiresAt = Instant.now().adding(seconds: Self.lifeSeconds)
        try await database.transaction { [self] transaction in
            try await bound(draft, in: transaction)
            try await transaction.execute(
                ChallengeStatements.insert,
                id,
                draft.credential?.user,
                draft.purpose.rawValue,
                draft.channel.rawValue,
                draft.destination,
                code.map { hashes($0, of: id).made },
                expiresAt,
                draft.language,
                draft.session,
                draft.methods,
                draft.credential?.mark(of: draft.channel)
            )
            if let identity = draft.identity {
                try await IdentityStore.keep(identity, until: id, in: transaction)
            }
            if let code, let destination = draft.destination {
                try await send(
                    code,
                    by: draft.channel,
                    to: destination,
                    language: draft.language,
                    user: draft.credential?.user,
                    in: transaction
                )
            }
        }
        return ChallengeView(
            id: id,
            purpose: draft.purpose,
            channel: draft.channel,
            to: draft.destination.map(mask),
            expiresAt: expiresAt,
            resendsLeft: Self.codesMax - 1
        )
    }

    /// Refuses one more while there have been many, however many ask at once.
    private func bound(_ draft: Draft, in transaction: Transaction) async throws {
        guard draft.channel != .totp, let destination = draft.destination else {
            let asked = CodeBudget.ofChallenge(.totp, askedFrom: draft.address, configuration)
            if let until = try await budget.take(asked, in: transaction) {
                throw Self.refusal(until)
            }
            return
        }
        let user = draft.credential?.user
        _ = try await transaction.queryOne(
            ChallengeStatements.lock,
            user?.text ?? destination
        )
        let recent =
            if let user {
                try await transaction.queryOne(
                    ChallengeStatements.recentCount,
                    user,
                    Self.recentSeconds,
                    draft.purpose == .phoneVerification
                )
            } else {
                try await transaction.queryOne(
                    ChallengeStatements.recentByDestination,
                    destination,
                    Self.recentSeconds
                )
            }
        guard recent ?? 0 < Self.recentMax else {
            throw APIError(.tooManyRequests, retryAfterSeconds: 60)
        }
        let cool = try await transaction.queryOne(
            ChallengeStatements.coolUntil,
            destination,
            user,
            Self.coolDownSeconds
        )
        if let until = cool ?? nil { throw Self.refusal(until) }
        let full = try await spend(
            draft.purpose,
            by: draft.channel,
            to: destination,
            for: user,
            from: draft.address,
            in: transaction
        )
        if let until = full { throw Self.refusal(until) }
    }

    /// Takes a code's place in every budget, or tells until when there is none.
    func spend(
        _ purpose: ChallengePurpose,
        by channel: ChallengeChannel,
        to destination: String,
        for user: ID<User>?,
        from address: String,
        in transaction: Transaction
    ) async throws -> Instant? {
        try await budget.take(
            CodeBudget.ofCode(
                purpose,
                by: channel,
                to: destination,
                for: user,
                askedFrom: address,
                configuration
            ),
            in: transaction
        )
    }

    private static func refusal(_ until: Instant) -> APIError {
        APIError(.tooManyRequests, retryAfterSeconds: until.secondsLeft)
    }

    func send(
        _ code: String,
        by channel: ChallengeChannel,
        to destination: String,
        language: String,
        user: ID<User>?,
        in transaction: Transaction
    ) async throws {
        try await messages.add(
            .logInCode,
            by: channel == .sms ? .sms : .email,
            to: destination,
            language: language,
            user: user,
            parameters: ["code": code, "minutes": String(Self.lifeSeconds / 60)],
            lifeSeconds: Self.lifeSeconds,
            in: transaction
        )
    }

    func hashes(_ code: String, of id: ID<Challenge>) -> CodeHashes {
        CodeHashes(of: id.bytes + Array(code.utf8), keys: configuration.codeKeys)
    }

    /// Six digits, each equally likely.
    static func newCode(digits count: Int = 6) -> String {
        var random = SystemRandomNumberGenerator()
        return String((0..<count).map { _ in "0123456789".randomElement(using: &random) ?? "0" })
    }

    /// The destination as far as its owner needs it to know where to look.
    private func mask(_ destination: String) -> String {
        if let at = destination.firstIndex(of: "@") {
            return destination.prefix(1) + "***" + destination[at...]
        }
        return String(repeating: "*", count: max(0, destination.count - 3)) + destination.suffix(3)
    }
}
