public import Crypto
public import Postgres
public import WalletProtocol

extension CommonVariables {
    /// The secret of what passes between those who send messages and who delivers them.
    public static let sealingSecret = Variable(
        "EZWALLET_SEALING_SECRET",
        "secret under which codes and mails are sealed, and invitation links made; the same for "
            + "auth, groups and notifications",
        kind: .secrets,
        required: true,
        secret: true
    )
}

extension Settings {
    /// The seal of messages, for a service that has `CommonVariables.sealingSecret`.
    public func messageSeal() throws(SealBroken) -> Seal {
        let keys = secrets(CommonVariables.sealingSecret).map { SHA256.digest($0.utf8) }
        guard let seal = Seal(keys: keys) else { throw SealBroken() }
        return seal
    }
}

/// Mails and text messages on their way to notifications: sealed rows, never events.
///
/// A message commits with its cause and is handed over afterwards, at least once; its identifier
/// makes it once. Table: `message_job` in the service's schema, as README.md has it.
public final class MessageJobs {
    private let database: Database
    private let client: InternalClient
    private let seal: Seal
    private let logger: Logger
    private let begun: BegunWork
    /// Rung when a message is on its way, for the worker that hands over.
    public let bell: WorkBell

    /// The messages of a service whose seal notifications shares.
    public init(
        database: Database,
        client: InternalClient,
        seal: Seal,
        logger: Logger,
        metrics: Metrics? = nil
    ) {
        begun = BegunWork(database: database, logger: logger, metrics: metrics)
        self.database = database
        self.client = client
        self.seal = seal
        self.logger = logger
        bell = WorkBell(on: database.loop)
    }

    /// Puts a message in the way within the transaction of its cause.
    public func add(
        _ template: MessageTemplate,
        by channel: MessageChannel,
        to recipient: String,
        language: String,
        user: ID<User>?,
        parameters: [String: String],
        lifeSeconds: Int64,
        in database: some Querying
    ) async throws {
        let id = ID<OutgoingMessage>.new()
        let plain = JSON.write(
            JSONTree.object(
                parameters.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }
            )
        )
        let message = NewMessage(
            id: id,
            template: template,
            channel: channel,
            recipient: recipient,
            language: language,
            userID: user,
            sealedParameters: Base64URL.encode(seal.seal(plain, context: id.bytes)),
            expiresAt: Instant.now().adding(seconds: lifeSeconds)
        )
        try await database.execute(
            MessageJobStatements.insert,
            id,
            user,
            seal.seal(JSON.write(message), context: id.bytes),
            message.expiresAt
        )
        bell.announce()
    }

    /// Forgets what is still to be said to somebody, on erasure.
    public static func erase(
        _ user: ID<User>,
        in transaction: Transaction
    ) async throws(DatabaseError) {
        try await transaction.execute(MessageJobStatements.deleteOfUser, user)
    }

    /// Hands over what is due; a row goes once notifications has it, or once it is of no more use.
    /// - Returns: how many rows were looked at.
    public func handOver() async throws -> Int {
        let jobs = try await database.query(MessageJobStatements.claim)
        for job in jobs {
            // What fails here is claimed again in ten seconds, and holds up none of the others.
            do {
                try await begun.attempt("message", job.id) { attempt in
                    if attempt.isHopeless {
                        try await database.execute(MessageJobStatements.delete, job.id)
                    } else {
                        try await handOver(job)
                    }
                }
            } catch {
                logger.warning(
                    "message not handed over",
                    [("message", job.id.text), ("cause", String(describing: error))]
                )
            }
        }
        return jobs.count
    }

    private func handOver(_ job: MessageJob) async throws {
        if job.expiresAt > .now() {
            let plain = try seal.open(job.sealed, context: job.id.bytes)
            let message = try JSON.read(NewMessage.self, from: plain)
            _ = try await client.call(InternalMessages.send, query: NoQuery(), body: message)
        }
        try await database.execute(MessageJobStatements.delete, job.id)
    }
}
