internal import CLibpq
internal import Loops

// Safety: touched on its loop's thread only; a canceller on another thread posts.
/// One statement's way to the server and back, or one wait for a connection.
///
/// It has two sides. The waiter's ends once, by the answer, the deadline or cancellation. The
/// connection's goes on to the answer's end even when nobody waits any more, for the answers of a
/// pipeline come in order and none can be left out.
@safe public final class Exchange: @unchecked Sendable {
    @safe private enum State {
        case idle
        case suspended(UnsafeContinuation<Void, Never>)
        case ended
    }
    // Cannot fire: the process holds its loops to its end.
    private unowned let loop: EventLoop
    private var state: State = .idle
    private var failure: DatabaseError?

    /// When the waiter gives up.
    let deadline: UInt64
    /// When it was sent, for the latency's sum.
    var sentAt: UInt64 = 0

    // The connection's side.
    /// The statement, for its place in errors.
    var text: SQLText?
    /// A BEGIN goes before, in the same segment.
    var awaitsBegin = false
    /// A statement being prepared goes before, in the same segment.
    var candidate: PreparedStatements.Candidate?
    /// The prepared statement it uses.
    var preparedName: String?
    /// Losing the connection leaves open whether it took effect.
    var mayCommit = false
    /// What the server refused; the waiter sees it at the segment's end.
    var refusal: DatabaseError?
    /// Called at the segment's end for statements nobody waits for.
    var finished: (() -> Void)?
    /// The connection that a wait for one was given.
    var connection: Connection?
    /// The session of the connection that it was sent or promised on.
    var session: UInt64 = 0
    private(set) var result: OpaquePointer?

    init(on loop: EventLoop, deadline: UInt64) {
        self.loop = loop
        self.deadline = deadline
    }

    deinit { unsafe PQclear(result) }

    var isOver: Bool {
        if case .ended = state { true } else { false }
    }

    /// Takes over a result of the server; the last one of a segment counts.
    func keep(_ result: OpaquePointer) {
        unsafe PQclear(self.result)
        unsafe self.result = result
    }

    /// Ends the wait; false: it was over.
    @discardableResult
    func end(_ failure: DatabaseError? = nil) -> Bool {
        switch state {
        case .ended: return false
        case .idle:
            self.failure = failure
            state = .ended
        case .suspended(let continuation):
            self.failure = failure
            state = .ended
            unsafe continuation.resume()
        }
        return true
    }

    /// Waits for the end; cancellation of the task is one.
    ///
    /// Isolated by parameter, not by `nonisolated(nonsending)`: so the closure stays on the loop,
    /// where otherwise it would be taken for concurrent and hop away and back.
    func wait(isolation: isolated (any Actor)? = #isolation) async throws(DatabaseError) {
        if !isOver {
            await withTaskCancellationHandler {
                _ = isolation
                await suspend()
            } onCancel: { [self] in
                if loop.isCurrent { end(.cancelled) } else { loop.post { self.end(.cancelled) } }
            }
        }
        if let failure { throw failure }
    }

    /// Waits for the end whatever becomes of the task: COMMIT's answer has to be known.
    func waitUncancelled() async throws(DatabaseError) {
        await suspend()
        if let failure { throw failure }
    }

    private func suspend() async {
        guard !isOver else { return }
        await unsafe withUnsafeContinuation { continuation in
            // Cannot fire: who waits is isolated to the loop's actor, whatever comes in.
            precondition(loop.isCurrent, "a wait is begun on its loop")
            // A cancellation handler may have ended the wait before this ran.
            if isOver {
                unsafe continuation.resume()
            } else {
                state = unsafe .suspended(continuation)
            }
        }
    }

    // MARK: The result

    var rowCount: Int { unsafe Int(PQntuples(result)) }

    /// How many rows the statement touched.
    var touchedRows: Int {
        guard let text = unsafe PQcmdTuples(result) else { return 0 }
        return unsafe Int(String(cString: text)) ?? 0
    }

    /// The command's tag, such as `COMMIT`.
    var commandTag: String {
        guard let text = unsafe PQcmdStatus(result) else { return "" }
        return unsafe String(cString: text)
    }

    /// The rows, each made by the statement's own closure.
    func rows<Row>(of statement: Statement<Row>) throws(DatabaseError) -> [Row] {
        guard let result = unsafe result else { return [] }
        let count = rowCount
        var rows: [Row] = []
        rows.reserveCapacity(count)
        for index in 0..<count {
            let row = unsafe PostgresRow(result: result, row: index, text: statement.text)
            do {
                rows.append(try statement.decode(row))
            } catch let error as DatabaseError {
                throw error
            } catch let error as DecodingProblem {
                throw .decoding(error)
            } catch {
                throw .decoding(
                    DecodingProblem(
                        statement: statement.text.place,
                        column: "?",
                        problem: "\(type(of: error))"
                    )
                )
            }
        }
        return rows
    }
}
