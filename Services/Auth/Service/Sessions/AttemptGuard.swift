import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Slows down who guesses, per account and per address, held in the database for every replica.
///
/// A subject is kept as our code over it: what is typed into a name's field may be a password.
struct AttemptGuard {
    /// What is counted.
    enum Subject {
        /// Guessing one account's password or codes.
        case account(String)
        /// Guessing from one address, which may stand for many people.
        case address(String)
        /// Asking which names are taken, from one address.
        case taken(String)
        /// Having codes sent to phones, from one address.
        case phones(String)
        /// Having links mailed to addresses, by one user.
        case mails(ID<User>)

        var text: String {
            switch self {
            case .account(let name): "account:" + name
            case .address(let address): "address:" + address
            case .taken(let address): "taken:" + address
            case .phones(let address): "phones:" + address
            case .mails(let user): "mails:" + user.text
            }
        }

        /// How many cost nothing yet.
        var freeCount: Int32 {
            switch self {
            case .account, .mails: 5
            case .address, .taken, .phones: 20
            }
        }
    }

    private let database: Database
    private let key: [UInt8]
    private let code: ErrorCode

    /// - Parameter code: the 429 that is thrown.
    init(database: Database, configuration: AuthConfiguration, refusingBy code: ErrorCode) {
        self.database = database
        key = configuration.subjectKey
        self.code = code
    }

    /// - Throws: 429 with the seconds left while the subject is slowed down.
    func check(_ subject: Subject) async throws {
        if let until = try await database.queryOne(AttemptStatements.block, name(subject)) {
            throw refusal(until)
        }
    }

    /// Counts an attempt before its outcome is known.
    /// - Returns: how many there have been.
    /// - Throws: 429 while the subject is slowed down.
    @discardableResult
    func count(_ subject: Subject) async throws -> Int32 {
        let name = name(subject)
        while true {
            let counted = try await database.queryOne(
                AttemptStatements.count,
                name,
                subject.freeCount
            )
            if let counted { return counted }
            // It may have ended between the two statements.
            if let until = try await database.queryOne(AttemptStatements.block, name) {
                throw refusal(until)
            }
        }
    }

    /// Forgets what was counted, for somebody has proved to be no guesser.
    func forget(_ subjects: [Subject]) async throws {
        try await database.execute(AttemptStatements.forget, subjects.map(name))
    }

    private func refusal(_ until: Instant) -> APIError {
        let seconds = Instant.now().microseconds(to: until) / 1_000_000 + 1
        return APIError(code, retryAfterSeconds: Int(max(1, seconds)))
    }

    private func name(_ subject: Subject) -> String {
        Crypto.Base64URL.encode(HMACSHA256.code(subject.text.utf8, key: key))
    }
}
