import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Messages with a secret in them, on their way to notifications: sealed rows, never events.
final class MessageJobs {
    private let database: Database
    private let client: InternalClient
    private let seal: Seal

    init(database: Database, client: InternalClient, seal: Seal) {
        self.database = database
        self.client = client
        self.seal = seal
    }

    /// Puts a message in the way within the transaction of its cause.
    func add(
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
            sealedParameters: Crypto.Base64URL.encode(seal.seal(plain, context: id.bytes)),
            expiresAt: Instant.now().adding(seconds: lifeSeconds)
        )
        try await database.execute(
            MessageStatements.insert,
            id,
            seal.seal(JSON.write(message), context: id.bytes),
            message.expiresAt
        )
    }

    /// Hands over what is due; a row goes once notifications has it, or once it is of no more use.
    /// - Returns: how many rows were looked at.
    func handOver() async throws -> Int {
        let jobs = try await database.query(MessageStatements.claim)
        for job in jobs {
            if job.expiresAt > .now() {
                let plain = try seal.open(job.sealed, context: job.id.bytes)
                let message = try JSON.read(NewMessage.self, from: plain)
                // What fails here is claimed again in ten seconds.
                _ = try await client.call(InternalMessages.send, query: NoQuery(), body: message)
            }
            try await database.execute(MessageStatements.delete, job.id)
        }
        return jobs.count
    }
}
