internal import CGlibcSystem
internal import Glibc
internal import Synchronization

private let spawning = Mutex(())

/// Programs that tests start: servers, tools, and a keeper that cleans up after the process.
@safe public struct Subprocess: Sendable {
    /// The process's id.
    public let pid: Int32

    /// It could not be started, or ended otherwise than with 0.
    public struct Failure: Error, CustomStringConvertible {
        /// What was run and how it ended.
        public let description: String
    }

    /// Starts a program in a process group of its own.
    ///
    /// Its output goes to the end of `log`; its input is `input`, else nothing.
    public init(_ arguments: [String], log: String = "/dev/null", input: Int32? = nil) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        let flags = O_WRONLY | O_CREAT | O_APPEND
        unsafe posix_spawn_file_actions_addopen(&actions, 1, log, flags, 0o644)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // A socket of another test that stayed open in here would never be seen to close.
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        var pointers = unsafe arguments.map { unsafe strdup($0) }
        defer { unsafe pointers.forEach { unsafe free($0) } }
        unsafe pointers.append(nil)
        var child: pid_t = 0
        let failed = spawning.withLock { _ in
            unsafe posix_spawnp(&child, arguments[0], &actions, &attributes, pointers, environ)
        }
        guard failed == 0 else {
            throw unsafe Failure(
                description: "\(arguments[0]): \(String(cString: strerror(failed)))"
            )
        }
        pid = child
    }

    /// Sends a signal to the process alone.
    public func signal(_ number: Int32) { _ = kill(pid, number) }

    /// Blocks until it ends; answers its exit status, or 128 and the signal.
    @discardableResult
    public func wait() -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    /// Runs a program to its end.
    public static func run(_ arguments: [String], log: String = "/dev/null") throws {
        let status = try Subprocess(arguments, log: log).wait()
        guard status == 0 else {
            throw Failure(description: "\(arguments.joined(separator: " ")) ended with \(status)")
        }
    }

    /// Runs a shell script once this process has ended, however it ended.
    ///
    /// Lines written to the answered descriptor are the script's standard input.
    public static func afterThisProcess(_ script: String) throws -> Int32 {
        var ends: [Int32] = [0, 0]
        // A program started in between would inherit the pipe and keep it open.
        try spawning.withLock { _ in
            guard unsafe pipe(&ends) == 0 else { throw Failure(description: "pipe failed") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        defer { close(ends[0]) }
        _ = try Subprocess(["/bin/sh", "-c", script], input: ends[0])
        return ends[1]
    }
}

/// Ports below 32768, where the system's own choices for outgoing connections begin.
public enum FreePort {
    /// What was handed out may not be listened on yet.
    private static let handedOut = Mutex<Set<UInt16>>([])

    /// A port of 127.0.0.1 that nobody listens on now, another one each time.
    public static func pick() throws -> UInt16 {
        for _ in 0..<200 {
            let port = UInt16.random(in: 20_000..<32_000)
            guard handedOut.withLock({ $0.insert(port).inserted }) else { continue }
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let bound = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if bound == 0 { return port }
        }
        throw Subprocess.Failure(description: "no free port")
    }
}
