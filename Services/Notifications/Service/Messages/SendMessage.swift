import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Takes a message from another service; the same one again changes nothing.
struct SendMessage: Handler {
    static let endpoint = InternalMessages.send
    let database: Database
    let seal: Seal
    let bell: WorkBell

    func handle(
        _ request: Request<NoQuery, NewMessage>,
        as caller: Caller
    ) async throws -> Response<MessageReceipt> {
        let message = request.body
        // Sealed anew as a whole: the recipient is nobody's business either.
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
        bell.ring()
        return .accepted(MessageReceipt(id: message.id, isNew: inserted == 1))
    }
}
