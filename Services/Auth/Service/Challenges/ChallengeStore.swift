import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// What a right answer proves.
enum AnsweredChallenge: Sendable {
    case logIn(Credential)
    case phone(String)
}

/// Makes one-time codes and takes their answers.
final class ChallengeStore {
    private let database: Database
    private let messages: MessageJobs
    private let configuration: AuthConfiguration

    static let lifeSeconds: Int64 = 300
    static let codesMax = 3
    /// At most so many challenges for one person or phone in so many seconds.
    static let recentMax = 5
    static let recentSeconds = 600.0

    init(database: Database, messages: MessageJobs, configuration: AuthConfiguration) {
        self.database = database
        self.messages = messages
        self.configuration = configuration
    }

    /// A code for somebody who has shown the right password.
    func makeLogIn(
        for credential: Credential,
        channel: ChallengeChannel?
    ) async throws -> ChallengeView {
        let chosen = channel ?? (credential.phone == nil ? .email : .sms)
        let destination = chosen == .sms ? credential.phone : credential.email
        guard let destination else { throw APIError(.channelUnavailable) }
        return try await make(
            .logIn,
            user: credential.user,
            channel: chosen,
            destination: destination,
            language: credential.language
        )
    }

    /// A code for a phone that nobody has proved yet.
    func makePhoneVerification(_ phone: String) async throws -> ChallengeView {
        try await make(
            .phoneVerification,
            user: nil,
            channel: .sms,
            destination: phone,
            language: "en"
        )
    }

    private func make(
        _ purpose: ChallengePurpose,
        user: ID<User>?,
        channel: ChallengeChannel,
        destination: String,
        language: String
    ) async throws -> ChallengeView {
        let id = ID<Challenge>.new()
        let code = Self.newCode()
        let expiresAt = Instant.now().adding(seconds: Self.lifeSeconds)
        try await database.transaction { [self] transaction in
            try await coolDown(user, destination, in: transaction)
            try await transaction.execute(
                ChallengeStatements.insert,
                id,
                user,
                purpose.rawValue,
                channel.rawValue,
                destination,
                hash(code, of: id),
                expiresAt,
                language
            )
            try await send(
                code,
                by: channel,
                to: destination,
                language: language,
                user: user,
                in: transaction
            )
        }
        return ChallengeView(
            id: id,
            purpose: purpose,
            channel: channel,
            to: mask(destination),
            expiresAt: expiresAt,
            resendsLeft: Self.codesMax - 1
        )
    }

    /// Refuses one more while there have been many, however many ask at once.
    private func coolDown(
        _ user: ID<User>?,
        _ destination: String,
        in transaction: Transaction
    ) async throws {
        _ = try await transaction.queryOne(
            ChallengeStatements.lock,
            user?.text ?? destination
        )
        let recent =
            if let user {
                try await transaction.queryOne(
                    ChallengeStatements.recentCount,
                    user,
                    Self.recentSeconds
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
    }

    private func send(
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

    /// Takes an answer: counted first, compared once, consumed by one alone.
    func answer(_ id: ID<Challenge>, _ code: String) async throws -> AnsweredChallenge {
        guard let open = try await database.queryOne(ChallengeStatements.countAttempt, id) else {
            throw APIError.notFound
        }
        guard !open.isUsed else { throw APIError(.challengeExhausted) }
        guard !open.isExpired else { throw APIError(.challengeExpired) }
        let resendsLeft = Self.codesMax - Int(open.codesSent)
        // Of answers at the same time only the first is looked at: a code is tried once.
        guard open.attempts == open.codesSent else {
            if open.codesSent >= Self.codesMax { throw APIError(.challengeExhausted) }
            throw wrongCode(resendsLeft: resendsLeft)
        }
        guard equalInConstantTime(hash(code, of: id), open.codeHMAC) else {
            guard resendsLeft > 0 else { throw APIError(.challengeExhausted) }
            try await burn(open)
            throw wrongCode(resendsLeft: resendsLeft - 1)
        }
        guard
            try await database.queryOne(ChallengeStatements.consume, id, open.codeHMAC) != nil
        else { throw APIError(.challengeExhausted) }
        switch (open.purpose, open.user) {
        case ("log-in", let user?):
            guard
                let credential = try await database.queryOne(
                    UserStatements.credentialByID,
                    user
                ), credential.isEnabled
            else { throw APIError(.userDisabled) }
            return .logIn(credential)
        case ("phone-verification", _):
            return .phone(open.destination ?? "")
        default: throw APIError(.challengeExpired)
        }
    }

    private func wrongCode(resendsLeft: Int) -> APIError {
        APIError(
            .wrongCode,
            members: [JSONMember("resendsLeft", .integer(Int64(resendsLeft)))]
        )
    }

    /// Puts a new code in the place of the one that was guessed wrong, and sends it.
    private func burn(_ open: OpenChallenge) async throws {
        let code = Self.newCode()
        let expiresAt = Instant.now().adding(seconds: Self.lifeSeconds)
        try await database.transaction { [self] transaction in
            let burnt = try await transaction.queryOne(
                ChallengeStatements.burn,
                open.id,
                open.codeHMAC,
                hash(code, of: open.id),
                expiresAt
            )
            guard burnt != nil, let destination = open.destination else { return }
            try await send(
                code,
                by: ChallengeChannel(rawValue: open.channel) ?? .email,
                to: destination,
                language: open.language,
                user: open.user,
                in: transaction
            )
        }
    }

    private func hash(_ code: String, of id: ID<Challenge>) -> [UInt8] {
        HMACSHA256.code(id.bytes + Array(code.utf8), key: configuration.codeKey)
    }

    /// Six digits, each equally likely.
    private static func newCode() -> String {
        var random = SystemRandomNumberGenerator()
        let digits = String(Int.random(in: 0..<1_000_000, using: &random))
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// The destination as far as its owner needs it to know where to look.
    private func mask(_ destination: String) -> String {
        if let at = destination.firstIndex(of: "@") {
            return destination.prefix(1) + "***" + destination[at...]
        }
        return String(repeating: "*", count: max(0, destination.count - 3)) + destination.suffix(3)
    }
}
