internal import CGlibcSystem
internal import Glibc
internal import Synchronization

/// A real nats-server with JetStream on a free port, its data in a temporary folder.
///
/// It ends and is removed with the test's process, however that ends.
public final class NatsServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: UInt16
    private let folder: String
    private let process = Mutex<Subprocess?>(nil)
    private let keeper = Mutex<Int32>(-1)

    /// Where clients find it.
    public var url: String { "nats://127.0.0.1:\(port)" }

    /// A server that stands, or one that is to be started later (`launch`).
    public init(launched: Bool = true) throws {
        var template = Array("/tmp/ezw-nats-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw Subprocess.Failure(description: "mkdtemp failed")
        }
        folder = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        let descriptor = try Subprocess.afterThisProcess(
            """
            cat > /dev/null
            pid=$(cat '\(folder)/pid' 2> /dev/null)
            if [ -n "$pid" ]; then kill -KILL "$pid"; fi
            sleep 0.2
            rm -rf '\(folder)'
            """
        )
        keeper.withLock { $0 = descriptor }
        var chosen = try FreePort.pick()
        var server = launched ? Self.start(folder, chosen) : nil
        // Between picking a port and listening another process may have taken it.
        for _ in 0..<5 where launched && server == nil {
            chosen = try FreePort.pick()
            server = Self.start(folder, chosen)
        }
        port = chosen
        process.withLock { $0 = server }
        guard launched == (server != nil) else {
            throw Subprocess.Failure(description: "nats-server does not start")
        }
    }

    /// Starts it, after `crash` with all that it had on disk.
    public func launch() throws {
        guard let server = Self.start(folder, port) else {
            throw Subprocess.Failure(description: "nats-server does not answer on \(port)")
        }
        process.withLock { $0 = server }
    }

    private static func start(_ folder: String, _ port: UInt16) -> Subprocess? {
        let arguments = [
            "nats-server", "--addr", "127.0.0.1", "--port", String(port), "--jetstream",
            "--store_dir", folder + "/data", "--pid", folder + "/pid",
        ]
        guard let server = try? Subprocess(arguments, log: folder + "/log") else { return nil }
        for _ in 0..<1_000 {
            if answers(port) { return server }
            var status: Int32 = 0
            if unsafe waitpid(server.pid, &status, WNOHANG) == server.pid { return nil }
            usleep(10_000)
        }
        server.signal(SIGKILL)
        server.wait()
        return nil
    }

    /// Kills it (SIGKILL).
    public func crash() {
        guard let server = process.withLock({ $0.take() }) else { return }
        server.signal(SIGKILL)
        server.wait()
        unsafe _ = unlink(folder + "/pid")
    }

    /// Removes all its data; it does not run.
    public func wipe() throws {
        try Subprocess.run(["rm", "-rf", folder + "/data"])
    }

    /// Copies its data aside; it does not run.
    public func keepData() throws {
        try Subprocess.run(["rm", "-rf", folder + "/kept"])
        try Subprocess.run(["cp", "-a", folder + "/data", folder + "/kept"])
    }

    /// Puts back what `keepData` kept: what came later is lost, as after a power failure.
    public func restoreData() throws {
        try wipe()
        try Subprocess.run(["cp", "-a", folder + "/kept", folder + "/data"])
    }

    // Safety: C calls get memory that lives through the call.
    private static func answers(_ port: UInt16) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // Safety: the address lives through the call.
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    deinit {
        crash()
        // Closing the keeper's input has it remove the folder.
        keeper.withLock { _ = close($0) }
    }
}
