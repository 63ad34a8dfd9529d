internal import Synchronization

/// The task of a connection, set by whoever started it and cancelled at a request's deadline.
final class ConnectionTask: Sendable {
    let ticket: ConnectionRegister.Ticket
    private let task = Mutex<Task<Void, Never>?>(nil)
    init(_ ticket: ConnectionRegister.Ticket) { self.ticket = ticket }
    func set(_ new: Task<Void, Never>) { task.withLock { $0 = new } }
    func cancel() { task.withLock { $0 }?.cancel() }
}

/// What is left to do once an answer has been gathered.
struct AnswerStep {
    var keepsAlive: Bool
    var mustFlush = false
    /// A body too large to be gathered: many connections may have the same bytes to write.
    var body: [UInt8]?
    var produce: StreamedAnswer?
}

/// An answer's body that is written as it comes.
final class StreamedAnswer {
    let length: Int?
    let isChunked: Bool
    let isDiscarded: Bool
    let isEndless: Bool
    let produce: (BodyWriter) async throws -> Void

    init(
        length: Int?,
        isChunked: Bool,
        isDiscarded: Bool,
        isEndless: Bool,
        produce: @escaping (BodyWriter) async throws -> Void
    ) {
        self.length = length
        self.isChunked = isChunked
        self.isDiscarded = isDiscarded
        self.isEndless = isEndless
        self.produce = produce
    }
}
