internal import CGlibcSystem
internal import Glibc
internal import Loops

/// Why bytes could not be moved.
public enum TransportError: Error, Equatable, Sendable {
    /// The peer closed, or reset, the connection.
    case closed
    /// A wait took longer than its deadline.
    case timedOut
    /// The handshake failed, or a record was damaged.
    case tls
    /// A socket could not be made or connected.
    case cannotConnect
    /// The wait was ended because what it was for is settled.
    case answered
}

/// A non-blocking socket on its loop, plain or under TLS; owns the descriptor.
///
/// Edge-triggered: it is read and written until the kernel says that it would block. One task reads
/// and one task writes at a time. `interrupt` ends both waits from a timer of the loop.
///
/// A read that comes back short has emptied the socket, but for the peer's end, which makes no edge
/// of its own when it comes with the last bytes: `peerClosed` tells of it, and keeps reading on.
@safe final class Transport {
    let descriptor: Int32
    let loop: EventLoop
    private let watch: DescriptorWatch
    private var tls: TLSSession?
    private var readable = true
    private var writable = true
    private var readWaiter: UnsafeContinuation<Void, Never>?
    private var writeWaiter: UnsafeContinuation<Void, Never>?
    private(set) var interruption: TransportError?
    /// The peer will send no more; what it has sent may wait to be read.
    private(set) var peerClosed = false
    /// Called once when the peer closes, for who waits elsewhere.
    var whenPeerCloses: (() -> Void)?
    /// Called each time something may have come, for who waits elsewhere.
    var whenReadable: (() -> Void)?
    /// Whether cancelling the waiting task ends its wait (a client's: its request is given up).
    private let endsWithTask: Bool
    private var waitingTask: UnsafeCurrentTask?
    private(set) var isClosed = false

    init(
        descriptor: Int32,
        loop: EventLoop,
        tls: TLSSession? = nil,
        endsWithTask: Bool = false
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.tls = tls
        self.endsWithTask = endsWithTask
        watch = DescriptorWatch(descriptor, on: loop, edgeTriggered: true)
        watch.start(
            for: [.readable, .writable, .closed],
            // Cannot fire: `deinit` cancels the watch, and both with it.
            whenLoopEnds: { [unowned self] in interrupt(.closed) }
        ) { [unowned self] in became($0) }
    }

    deinit { close() }

    private func became(_ readiness: Readiness) {
        // libevent tells a reset as readable and writable, not as closed. Beside an event stream
        // nobody reads, and so meets the error: there the socket is asked for it.
        if readiness.contains(.closed) || (whenPeerCloses != nil && takeFailure()) {
            peerClosed = true
        }
        if readiness.contains(.readable) || peerClosed {
            tls?.mayHaveCome(peerClosed: peerClosed)
        }
        // Under TLS a write may wait for readability and the reverse: both look again.
        if readiness.contains(.readable) || peerClosed || tls != nil {
            readable = true
            // Safety: each continuation is taken out before it is resumed, on the loop: resumed
            // once.
            if let waiter = unsafe readWaiter.take() { unsafe waiter.resume() }
            if let whenReadable { whenReadable() }
        }
        if readiness.contains(.writable) || tls != nil {
            writable = true
            if let waiter = unsafe writeWaiter.take() { unsafe waiter.resume() }
        }
        if peerClosed, let told = whenPeerCloses.take() { told() }
    }

    /// Ends waits now and every later one at once; the owner then closes.
    func interrupt(_ reason: TransportError) {
        guard interruption == nil else { return }
        interruption = reason
        if let waiter = unsafe readWaiter.take() { unsafe waiter.resume() }
        if let waiter = unsafe writeWaiter.take() { unsafe waiter.resume() }
    }

    /// Takes an interruption back, so that an answer can still be written.
    func clearInterruption() { interruption = nil }

    /// Waits until a connection under way stands, or has failed.
    func waitConnected() async throws(TransportError) {
        // The first edge of writability is the end of the connection's making.
        writable = false
        try await waitWritable()
        if takeFailure() { throw .cannotConnect }
    }

    /// Whether the socket has failed since this was last asked: asking clears its error (SO_ERROR).
    private func takeFailure() -> Bool {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        unsafe _ = getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        return error != 0
    }

    /// Finishes the TLS handshake, if there is one to do.
    func handshake() async throws(TransportError) {
        guard let tls else { return }
        while true {
            switch tls.handshake() {
            case .done: return
            case .wantsRead:
                readable = false
                try await waitReadable()
            case .wantsWrite:
                writable = false
                try await waitWritable()
            case .closed: throw .closed
            case .failed: throw .tls
            }
        }
    }

    /// Reads what is there into the buffer's free end, waiting while nothing is.
    ///
    /// For who is owed more. A reset whose edge came before the last bytes were read makes no
    /// other, and libevent does not tell it from bytes: so the socket is looked at once more,
    /// whatever the read before has come to.
    /// - Returns: the number of bytes; 0 at the end of the stream.
    func read(into buffer: inout ReceiveBuffer) async throws(TransportError) -> Int {
        readable = true
        tls?.mayHaveCome(peerClosed: false)
        while true {
            if let count = try readNow(into: &buffer) { return count }
            try await waitReadable()
        }
    }

    /// Reads what is there without waiting; nil: nothing is.
    func readNow(into buffer: inout ReceiveBuffer) throws(TransportError) -> Int? {
        if let interruption { throw interruption }
        guard readable else { return nil }
        buffer.reserve()
        if let tls {
            switch unsafe buffer.fill({ unsafe tls.read(into: $0) }) {
            case .bytes(let count):
                if tls.isDrained { readable = false }
                return count
            case .wantsRead, .wantsWrite:
                readable = false
                return nil
            case .closed: return 0
            case .failed: throw .tls
            }
        }
        let room = buffer.room
        let count = unsafe buffer.fill { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 {
            // Less than asked for: the socket is empty, and the next edge will tell.
            if count < room, !peerClosed { readable = false }
            return count
        }
        if count == 0 { return 0 }
        switch errno {
        case EAGAIN, EINTR:
            if errno == EAGAIN { readable = false }
            return errno == EINTR ? try readNow(into: &buffer) : nil
        default: throw .closed
        }
    }

    /// Writes what is taken without waiting, mostly all of it; answers how much that was.
    func writeAtOnce(_ bytes: [UInt8]) throws(TransportError) -> Int {
        if let interruption { throw interruption }
        return try writeNow(bytes, from: 0, to: bytes.count)
    }

    /// Writes all of the bytes from `start` on, waiting while the peer does not take them.
    func write(_ bytes: [UInt8], from start: Int = 0) async throws(TransportError) {
        try await write(bytes, from: start, to: bytes.count)
    }

    /// Writes the bytes from `start` up to `end`, waiting while the peer does not take them.
    func write(_ bytes: [UInt8], from start: Int, to end: Int) async throws(TransportError) {
        var sent = start
        while sent < end {
            if let interruption { throw interruption }
            let count = try writeNow(bytes, from: sent, to: end)
            if count == 0 {
                writable = false
                try await waitWritable()
            }
            sent += count
        }
    }

    /// Writes what the kernel takes now; 0: nothing.
    private func writeNow(
        _ bytes: [UInt8],
        from start: Int,
        to end: Int
    ) throws(TransportError) -> Int {
        if let tls {
            switch tls.write(bytes, from: start, to: end) {
            case .bytes(let count): return count
            case .wantsRead, .wantsWrite: return 0
            case .closed: throw .closed
            case .failed: throw .tls
            }
        }
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe send(
                descriptor,
                buffer.baseAddress.map { unsafe $0 + start },
                end - start,
                Int32(MSG_NOSIGNAL)
            )
        }
        if count >= 0 { return count }
        if errno == EAGAIN || errno == EINTR { return 0 }
        throw .closed
    }

    // Suspending may take another turn of the loop first (a task without the loop as its preferred
    // executor hops), so each condition is looked at again once the continuation is there.

    /// Waits until there may be something to read.
    func waitReadable() async throws(TransportError) {
        if let interruption { throw interruption }
        if !readable {
            noteTask()
            await unsafe withUnsafeContinuation { continuation in
                if readable || interruption != nil {
                    unsafe continuation.resume()
                } else {
                    unsafe readWaiter = continuation
                }
            }
            unsafe waitingTask = nil
        }
        if let interruption { throw interruption }
    }

    private func waitWritable() async throws(TransportError) {
        if let interruption { throw interruption }
        if !writable {
            noteTask()
            await unsafe withUnsafeContinuation { continuation in
                if writable || interruption != nil {
                    unsafe continuation.resume()
                } else {
                    unsafe writeWaiter = continuation
                }
            }
            unsafe waitingTask = nil
        }
        if let interruption { throw interruption }
    }

    private func noteTask() {
        if endsWithTask { unsafe waitingTask = withUnsafeCurrentTask { unsafe $0 } }
    }

    /// Ends the wait under way if its task was cancelled; for the sweep of a client's connections.
    ///
    /// A handler of cancellation would take a lock twice for each wait.
    func endIfCancelled() {
        // Safety: the task is suspended in a wait, so it lives.
        if let task = unsafe waitingTask, unsafe task.isCancelled { interrupt(.timedOut) }
    }

    /// The TLS session as the next connection may take it up.
    var savedSession: SavedSession? { tls?.savedSession() }
    /// Whether the handshake took up an earlier session.
    var isResumed: Bool { tls?.isResumed ?? false }

    /// Whether an answer may have come before the request was whole.
    ///
    /// Under TLS what has come may be a record that is none, so there the peer's end alone counts.
    var hasEarlyAnswer: Bool { peerClosed || (tls == nil && readable && peek() == .bytes) }

    /// Whether the peer has closed, or sent what nobody asked for: such a connection is not reused.
    ///
    /// Costs no call of the system while nothing has come.
    func isStale() -> Bool { peerClosed || (readable && peek() != .nothing) }

    private enum Peek { case nothing, bytes, end }

    private func peek() -> Peek {
        var byte: UInt8 = 0
        let count = unsafe recv(
            descriptor,
            &byte,
            1,
            Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
        )
        if count > 0 { return .bytes }
        guard count < 0, errno == EAGAIN else { return .end }
        readable = false
        return .nothing
    }

    /// Says good-bye under TLS and closes; safe to call again.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        whenPeerCloses = nil
        whenReadable = nil
        interrupt(.closed)
        tls?.shutDown()
        tls = nil
        watch.cancel()
        CGlibcSystem.close(descriptor)
    }

    /// Closes our side for writing, so that the peer reads the answer before the reset.
    func finishWriting() {
        tls?.shutDown()
        CGlibcSystem.shutdown(descriptor, Int32(SHUT_WR))
    }
}
