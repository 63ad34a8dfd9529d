import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Takes a message from another service; the same one again changes nothing.
struct SendMessage: Handler {
    static let endpoint = InternalMessages.send
    let messages: MessageStore

    func handle(
        _ request: Request<NoQuery, NewMessage>,
        as caller: Caller
    ) async throws -> Response<MessageReceipt> {
        .accepted(try await messages.keep(request.body))
    }
}

/// Keeps messages until they are sent.
struct MessageStore {
    let database: Database
    let seal: Seal
    let bell: WorkBell

    /// Keeps one, sealed anew as a whole: the recipient is nobody's business either.
    func keep(_ message: NewMessage) async throws -> MessageReceipt {
        let isNew = try await keep(message, in: database)
        bell.ring()
        return MessageReceipt(id: message.id, isNew: isNew)
    }

    /// The same, of which the bell is rung by whoever commits it.
    /// - Returns: whether it was not kept before.
    func keep(_ message: NewMessage, in database: some Querying) async throws -> Bool {
        let sealed = seal.seal(JSON.write(message), context: message.id.bytes)
        let inserted = try await database.execute(
            MessageStatements.insert,
            message.id,
            message.channel.rawValue,
            message.template.rawValue,
            message.userID,
            sealed,
            message.expiresAt
        )
        return inserted == 1
    }
}
