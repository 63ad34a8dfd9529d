internal import Glibc
public import Loops
internal import Synchronization
internal import WalletProtocol

/// How much a line of the log matters.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    /// Debug is the least.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

/// JSON lines on standard output, by way of a bounded ring and one writer thread.
///
/// A loop never waits for a slow terminal: where the ring is full the line is dropped and counted,
/// and the count is told with the next line that goes out. Callers put route templates in it, never
/// raw paths, and nothing secret or personal.
public final class Logger: Sendable {
    private struct Ring {
        var lines: [[UInt8]] = []
        var dropped = 0
        var isStopped = false
    }
    static let linesMax = 4_096

    private let service: String
    private let replica: String
    private let level: LogLevel
    private let descriptor: Int32
    private let ring = Mutex(Ring())
    private let wake = Semaphore()
    private let finished = Semaphore()

    /// A logger that writes lines of at least `level`.
    /// - Parameter replica: the host and the port of this replica.
    public init(
        service: String,
        replica: String = "",
        level: LogLevel = .info,
        descriptor: Int32 = 1
    ) {
        self.service = service
        self.replica = replica
        self.level = level
        self.descriptor = descriptor
        startThread { [self] in writeLines() }
    }

    /// Logs a line with the request that the task serves.
    public func log(
        _ level: LogLevel,
        _ message: String,
        _ fields: [(String, String)] = [],
        of request: RequestContext? = RequestContext.current
    ) {
        guard level >= self.level else { return }
        var members = head(level, message)
        if let context = request {
            members.append(JSONMember("requestId", .string(context.requestID)))
            if let trace = context.traceparent, let parsed = TraceParent(trace) {
                members.append(JSONMember("traceId", .string(parsed.traceID)))
            }
        }
        for (name, value) in fields { members.append(JSONMember(name, .string(value))) }
        var bytes = JSON.write(JSONTree.object(members))
        bytes.append(0x0a)
        let wasEmpty = ring.withLock { ring -> Bool in
            guard ring.lines.count < Self.linesMax, !ring.isStopped else {
                ring.dropped += 1
                return false
            }
            ring.lines.append(bytes)
            return ring.lines.count == 1
        }
        if wasEmpty { wake.signal() }
    }

    private func head(_ level: LogLevel, _ message: String) -> [JSONMember] {
        [
            JSONMember("ts", .string(Instant.now().text)),
            JSONMember("level", .string(level.rawValue)),
            JSONMember("service", .string(service)),
            JSONMember("replica", .string(replica)),
            JSONMember("message", .string(message)),
        ]
    }

    /// Logs at `info`.
    public func info(_ message: String, _ fields: [(String, String)] = []) {
        log(.info, message, fields)
    }
    /// Logs at `warning`.
    public func warning(_ message: String, _ fields: [(String, String)] = []) {
        log(.warning, message, fields)
    }
    /// Logs at `error`.
    public func error(_ message: String, _ fields: [(String, String)] = []) {
        log(.error, message, fields)
    }

    /// Writes what is left and ends the thread; whoever reads the log has so long to take it.
    public func flush(withinSeconds seconds: Int = 5) {
        ring.withLock { $0.isStopped = true }
        wake.signal()
        // Passed on, so that another caller finds it ended as well.
        if finished.wait(atMostSeconds: seconds) { finished.signal() }
    }

    /// How many lines wait to be written.
    var waiting: Int { ring.withLock { $0.lines.count } }

    private func writeLines() {
        while true {
            let (lines, dropped, isStopped) = ring.withLock { ring in
                let taken = (ring.lines, ring.dropped, ring.isStopped)
                ring.lines = []
                ring.dropped = 0
                return taken
            }
            if lines.isEmpty {
                if isStopped { break }
                wake.wait()
                continue
            }
            writeText(
                String(decoding: lines.joined(), as: UTF8.self),
                to: descriptor
            )
            if dropped > 0 {
                let count = JSONMember("count", .integer(Int64(dropped)))
                let line = JSONTree.object(head(.warning, "log lines dropped") + [count])
                writeText(JSON.text(line) + "\n", to: descriptor)
            }
        }
        finished.signal()
    }
}

// Safety: a POSIX semaphore at a fixed address, used through its functions only.
@safe private final class Semaphore: @unchecked Sendable {
    private let pointer = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init() { unsafe sem_init(pointer, 0, 0) }
    func signal() { unsafe _ = sem_post(pointer) }
    func wait() { while unsafe sem_wait(pointer) != 0 {} }
    /// Whether it was signalled in time.
    func wait(atMostSeconds seconds: Int) -> Bool {
        var end = timespec()
        unsafe _ = clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += seconds
        while unsafe sem_timedwait(pointer, &end) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
    deinit {
        unsafe sem_destroy(pointer)
        unsafe pointer.deallocate()
    }
}
