internal import Loops
public import WalletProtocol

/// Removes a person's events from the stream, on erasure.
public final class EventPurge: Sendable {
    private let connection: NatsConnection
    private let stream: String
    private let pool = BlockingPool(threads: 1, queueMax: 64)

    /// Purges of this stream; one a process.
    public init(_ connection: NatsConnection, stream: StreamConfiguration = .init()) {
        self.connection = connection
        self.stream = stream.name
    }

    /// Removes everything on a subject that is older than a message.
    /// - Throws: `NatsError`; the erasure's job tries again.
    public func purge(subject: String, before sequence: UInt64) async throws {
        let (connection, stream) = (connection, stream)
        try await pool.run {
            try JetStream(connection).purge(stream: stream, subject: subject, before: sequence)
        }
    }

    /// The newest message on a subject with its place in the stream; nil where there is none.
    public func newest(of subject: String) async throws -> (sequence: UInt64, data: [UInt8])? {
        let (connection, stream) = (connection, stream)
        return try await pool.run {
            try JetStream(connection).lastMessage(of: subject, in: stream)
        }
    }

    /// The subject on which a service tells of a person.
    public static func subject(of user: ID<User>, from service: ServiceName = .auth) -> String {
        "ezwallet.\(service.rawValue).user.\(user.text)"
    }

    deinit { pool.stop() }
}
