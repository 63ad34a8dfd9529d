internal import Glibc
public import Loops

// Safety: the descriptor belongs to the object, which closes it; buffers are lent for one call;
// what is given to posix_spawn is copied by it.

/// A document that is set by a process of its own, as the service's loop sees it: of a statement
/// rows in, bytes of a PDF out, neither of them ever whole in memory; or a report, whole.
///
/// Neither the libraries nor the fonts are ever loaded here, and a text that they stumble over
/// ends that process alone.
public final class TypesettingProcess {
    /// The process ended, or could not be started.
    public struct Failure: Error, Sendable {}

    /// The document comes to more than it may.
    public struct TooLarge: Error, Sendable {}

    private let descriptor: Int32
    private let loop: EventLoop
    private let watch: DescriptorWatch
    private let child: ChildProcess
    private var readiness: Wait<Void>?
    private var input: [UInt8] = []

    /// Starts the process; `executable` is this very program where left out.
    public init(on loop: EventLoop, executable: String = "/proc/self/exe") throws(Failure) {
        var sockets: [Int32] = [-1, -1]
        guard
            unsafe socketpair(
                AF_UNIX,
                Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue),
                0,
                &sockets
            ) == 0
        else { throw Failure() }
        let (ours, theirs) = (sockets[0], sockets[1])
        let started = ChildProcess(executable, Typesetter.argument, on: theirs)
        close(theirs)
        guard let started, fcntl(ours, F_SETFL, O_NONBLOCK) == 0 else {
            close(ours)
            throw Failure()
        }
        child = started
        descriptor = ours
        self.loop = loop
        watch = DescriptorWatch(ours, on: loop, edgeTriggered: false)
    }

    deinit {
        watch.cancel()
        close(descriptor)
        child.end()
    }

    /// Begins; gives what there is of the document to `send`, as the others do.
    public func begin(
        _ title: PrintedTitle,
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        try await exchange(DocumentFrame.make(.title, title.texts), to: send)
    }

    /// Sets some rows.
    public func add(
        _ rows: [PrintedLine],
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        guard !rows.isEmpty else { return }
        try await exchange(
            DocumentFrame.make(.rows, rows.lazy.flatMap(\.texts)),
            to: send
        )
    }

    /// Ends the document.
    public func end(to send: ([UInt8]) async throws -> Void) async throws {
        try await exchange(DocumentFrame.make(.end), to: send)
    }

    /// Sets a report and nothing else.
    /// - Throws: `TooLarge` where it comes to more than `bytesMax`.
    public func set(_ report: PackedReport, bytesMax: Int) async throws -> [UInt8] {
        var document: [UInt8] = []
        try await exchange(report.frame) { bytes in
            guard document.count + bytes.count <= bytesMax else { throw TooLarge() }
            document += bytes
        }
        return document
    }

    /// The process reads a frame whole before it answers, and we its answer before the next one:
    /// neither waits for the other to read.
    private func exchange(
        _ frame: [UInt8],
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        try await write(frame)
        while true {
            let head = try await read(5)
            guard let kind = DocumentFrame.Kind(rawValue: head[4]) else { throw Failure() }
            let count = DocumentFrame.number(head[..<4])
            guard count <= DocumentFrame.bytesMax else { throw Failure() }
            switch kind {
            case .bytes: try await send(read(count))
            case .ready: return
            case .title, .rows, .end, .report: throw Failure()
            }
        }
    }

    private func write(_ bytes: [UInt8]) async throws {
        var at = 0
        while at < bytes.count {
            let sent = unsafe bytes[at...].withUnsafeBytes { rest in
                unsafe Glibc.send(
                    descriptor,
                    rest.baseAddress,
                    rest.count,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if sent > 0 {
                at += sent
            } else if errno == EAGAIN {
                try await wait(for: .writable)
            } else if errno != EINTR {
                throw Failure()
            }
        }
    }

    private func read(_ count: Int) async throws -> [UInt8] {
        while input.count < count {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let got = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if got > 0 {
                input.append(contentsOf: buffer[..<got])
            } else if got < 0, errno == EAGAIN {
                try await wait(for: .readable)
            } else if got == 0 || errno != EINTR {
                throw Failure()
            }
        }
        let taken = Array(input[..<count])
        input.removeFirst(count)
        return taken
    }

    private func wait(for interest: Readiness) async throws {
        let wait = Wait<Void>(on: loop)
        readiness = wait
        defer { readiness = nil }
        watch.start(
            for: interest,
            whenLoopEnds: { wait.resume(throwing: CancellationError()) }
        ) { _ in wait.resume(returning: ()) }
        defer { watch.change(to: []) }
        try await wait.value()
    }
}
