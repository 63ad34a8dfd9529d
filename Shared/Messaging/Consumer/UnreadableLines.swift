internal import Postgres

extension ReadingNotes {
    /// Records the lines of a message that are no envelopes of ours, all or none.
    func buryUnreadable(
        _ lines: [[UInt8]],
        of message: IncomingMessage,
        by durable: String
    ) async throws {
        let reading = Reading(message, by: durable)
        let subject = String(message.subject.prefix(256))
        try await database.transaction { transaction in
            for line in lines {
                // As many bytes as tell what it was, without what no text may hold.
                let text = String(
                    decoding: line.prefix(65_536).map { $0 == 0 ? UInt8(ascii: "?") : $0 },
                    as: UTF8.self
                )
                try await transaction.execute(
                    InboxStatements.bury,
                    nil as String?,
                    subject,
                    Int64(clamping: message.streamSequence),
                    text,
                    "no envelope of ours"
                )
            }
            try await end(reading, in: transaction)
        }
        forget(reading)
    }
}
