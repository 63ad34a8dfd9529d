import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Slows down who guesses, per account and per address, held in the database for every replica.
///
/// Guesses at an account are counted twice: from one line (a few are free) and from everywhere
/// (more are). The owner's own lines, from which they signed in within 30 days, are not slowed down
/// by guesses from elsewhere, so that nobody is kept out by a stranger who goes on guessing; a
/// recovery forgets everything. A subject is kept as our code over it: what is typed into a name's
/// field may be a password.
struct AttemptGuard {
    /// What is counted.
    enum Subject {
        /// Guessing one account's password from one address, by one of its names.
        ///
        /// Were its names counted as one, who knows an e-mail and guesses the username would see
        /// by the count that both are somebody's.
        case guess(Account, named: SignInName, from: String)
        /// Guessing one account's password from everywhere, by one of its names.
        case account(Account, named: SignInName)
        /// Guessing the password of whom one is signed in as, within one session.
        case session(ID<Session>, of: ID<User>)
        /// The same over all sessions.
        case inside(ID<User>)
        /// Guessing an account's second factor, by who has shown the first.
        case secondFactor(ID<User>)
        /// The same from a line that the account is known on.
        case secondFactorHere(ID<User>, from: String)
        /// Guessing from one address, which may stand for many people.
        case address(String)
        /// Asking which names are taken by registering, from one address.
        case taken(String)
        /// Asking which names are taken by changing one's own.
        case takenBy(ID<User>)
        /// Having links mailed to addresses, by one user.
        case mails(ID<User>)

        var text: String {
            switch self {
            case .guess(_, let name, let address):
                "guess:\(ClientNetwork(address).line)@\(name.key)"
            case .account(_, let name): "account:" + name.key
            case .session(let session, _): "session:" + session.text
            case .inside(let user): "inside:" + user.text
            case .secondFactor(let user): "second:" + user.text
            case .secondFactorHere(let user, let address):
                "second:\(user.text)@\(ClientNetwork(address).line)"
            case .address(let address): "address:" + ClientNetwork(address).line
            case .taken(let address): "taken:" + ClientNetwork(address).line
            case .takenBy(let user): "taken-by:" + user.text
            case .mails(let user): "mails:" + user.text
            }
        }

        /// How many cost nothing yet.
        var freeCount: Int32 {
            switch self {
            case .guess, .session, .secondFactor, .secondFactorHere, .mails: 5
            case .address, .taken, .takenBy: 20
            case .account, .inside: 50
            }
        }

        /// The seconds that take one back, where many people may stand behind one subject.
        ///
        /// Whoever goes on failing there slows the others down for as long as they go on.
        var leakSeconds: Int32? {
            switch self {
            case .address, .taken: 180
            default: nil
            }
        }

        /// Whose it is, where another password forgets it: guesses at a second factor stay
        /// counted, for who sets a password has shown none.
        var owner: Account? {
            switch self {
            case .guess(let account, _, _), .account(let account, _): account
            case .session(_, let user), .inside(let user): .user(user)
            case .secondFactor, .secondFactorHere, .address, .taken, .takenBy, .mails: nil
            }
        }
    }

    /// Whose password is guessed: one account however it is named, or a name that nobody has.
    enum Account {
        case user(ID<User>)
        case nobody(folded: String)

        var text: String {
            switch self {
            case .user(let user): "user:" + user.text
            case .nobody(let name): "name:" + name
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
                subject.freeCount,
                subject.owner.map { code(over: "owner:" + $0.text) },
                subject.leakSeconds
            )
            if let counted { return counted }
            // It may have ended between the two statements.
            if let until = try await database.queryOne(AttemptStatements.block, name) {
                throw refusal(until)
            }
        }
    }

    /// Counts a guess at an account's password, from one address and from everywhere.
    /// - Returns: what was counted, and whether it has just begun to be slowed down.
    func countGuess(
        at account: Account,
        named name: SignInName,
        from address: String,
        isKnown: Bool
    ) async throws -> (subjects: [Subject], isFirstAbove: Bool) {
        let here = Subject.guess(account, named: name, from: address)
        var isFirstAbove = try await count(here) == here.freeCount + 1
        guard !isKnown else { return ([here], isFirstAbove) }
        let everywhere = Subject.account(account, named: name)
        let count = try await count(everywhere)
        isFirstAbove = isFirstAbove || count == everywhere.freeCount + 1
        return ([here, everywhere], isFirstAbove)
    }

    /// Counts an answer to an account's second factor, before it is looked at.
    ///
    /// A line that the account is known on has a count of its own, so that whoever has the password
    /// elsewhere does not keep the owner out. A right answer alone forgets what was counted.
    /// - Returns: what was counted, and whether it has just begun to be slowed down.
    func countSecondFactor(
        of user: ID<User>,
        from address: String
    ) async throws -> (subject: Subject, isFirstAbove: Bool) {
        let isKnown = try await knows(.user(user), at: address)
        let subject: Subject =
            isKnown ? .secondFactorHere(user, from: address) : .secondFactor(user)
        return (subject, try await count(subject) == subject.freeCount + 1)
    }

    /// Whether an account has signed in from there lately.
    func knows(_ account: Account, at address: String) async throws -> Bool {
        try await database.queryOne(AttemptStatements.isKnown, network(of: account, address))
            == true
    }

    /// Counts asking whether a name is taken, which a 409 tells, and takes it back where none was.
    func counting<Value>(
        _ subject: Subject,
        _ ask: () async throws -> Value
    ) async throws -> Value {
        try await count(subject)
        do {
            let value = try await ask()
            try await uncount([subject])
            return value
        } catch let error as APIError where error.code.status == 409 {
            throw error
        } catch {
            try await uncount([subject])
            throw error
        }
    }

    /// Takes back what was counted and then not looked at.
    func uncount(_ subjects: [Subject]) async throws {
        try await database.execute(AttemptStatements.uncount, subjects.map(name))
    }

    /// Forgets what was counted, for somebody has proved to be no guesser.
    func forget(_ subjects: [Subject]) async throws {
        try await database.execute(AttemptStatements.forget, subjects.map(name))
    }

    /// Somebody has shown their password: forgets guesses at it, and at nothing else.
    func forgetGuesses(of credential: Credential, from address: String) async throws {
        try await forget(guesses(at: credential, from: address))
    }

    private func guesses(at credential: Credential, from address: String) -> [Subject] {
        let account = Account.user(credential.user)
        let names = [credential.email, credential.username].map { SignInName($0) }
        return names.flatMap { name -> [Subject] in
            [.guess(account, named: name, from: address), .account(account, named: name)]
        } + [.inside(credential.user)]
    }

    /// Somebody has signed in: forgets their own guesses, and knows where they do so, in the
    /// transaction that opens the session, after the person's lock, as whatever else takes both.
    func welcome(
        _ credential: Credential,
        from address: String,
        in transaction: Transaction
    ) async throws {
        let guesses = guesses(at: credential, from: address).map(name)
        try await transaction.execute(AttemptStatements.forget, guesses)
        let network = network(of: .user(credential.user), address)
        try await transaction.execute(AttemptStatements.know, network, credential.user)
    }

    /// Keeps that somebody is at home there: what others do elsewhere does not keep them out.
    func know(_ user: ID<User>, at address: String) async throws {
        try await database.execute(
            AttemptStatements.know,
            network(of: .user(user), address),
            user
        )
    }

    /// Forgets all guesses at an account, for its owner has another password now.
    func forgetAll(of user: ID<User>, in database: some Querying) async throws {
        let owner = code(over: "owner:" + Account.user(user).text)
        try await database.execute(AttemptStatements.forgetOwner, owner)
    }

    private func refusal(_ until: Instant) -> APIError {
        let seconds = Instant.now().microseconds(to: until) / 1_000_000 + 1
        return APIError(code, retryAfterSeconds: Int(max(1, seconds)))
    }

    private func network(of account: Account, _ address: String) -> String {
        code(over: "network:\(account.text)@\(ClientNetwork(address).line)")
    }

    private func name(_ subject: Subject) -> String { code(over: subject.text) }

    private func code(over text: String) -> String {
        Base64URL.encode(HMACSHA256.code(text.utf8, key: key))
    }
}
