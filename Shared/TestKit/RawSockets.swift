internal import CGlibcSystem
internal import Glibc
internal import Loops
internal import Synchronization
internal import _StringProcessing

// Safety: addresses and buffers are passed to the system for the length of a call, each with its
// size.
/// Programs that other tests start do not inherit it: they would keep it open.
private let streamSocket = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

/// A client of raw bytes, on a blocking socket.
public final class RawPeer {
    private let descriptor: Int32
    private var isOpen = true

    /// Connects to a port of this machine.
    public init(port: Int) {
        descriptor = socket(AF_INET, streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        _ = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // A test that waits for what never comes fails rather than hangs.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, 16)
    }

    deinit { close() }

    /// Ends the connection.
    public func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    /// Ends the connection by a reset, without a word.
    public func reset() {
        RawServer.endByReset(descriptor)
        close()
    }

    /// Sends all of the text.
    public func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }

    /// What has come, at least a byte of it; empty at the end.
    public func read() -> String {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
        return count > 0 ? String(decoding: chunk[0..<count], as: UTF8.self) : ""
    }

    /// What comes up to and with `end`, and whatever has come with that.
    public func read(until end: String) -> String {
        var text = ""
        while !text.contains(end) {
            let more = read()
            if more.isEmpty { break }
            text += more
        }
        return text
    }

    /// What comes until the other side ends.
    public func readAll() -> String {
        var text = ""
        while true {
            let more = read()
            if more.isEmpty { return text }
            text += more
        }
    }
}

/// A server that answers what a test tells it, on a thread of its own.
public final class RawServer: Sendable {
    /// What happens on one accepted connection: the descriptor, and its number from 0.
    public typealias Script = @Sendable (Int32, Int) -> Void
    /// The port, which the system has chosen.
    public let port: Int
    /// The listening socket; nil once it is closed and its number may be another's.
    private let listening: Mutex<Int32?>
    private let count = Atomic<Int>(0)

    /// How many connections came.
    public var connections: Int { count.load(ordering: .relaxed) }

    /// Serves each connection by `script`, on a thread of its own.
    public init(_ script: @escaping Script) {
        let descriptor = socket(AF_INET, streamSocket, 0)
        listening = Mutex(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe bind(descriptor, $0, length)
                _ = unsafe getsockname(descriptor, $0, &length)
            }
        }
        listen(descriptor, 16)
        port = Int(UInt16(bigEndian: address.sin_port))
        startThread { [self] in
            while true {
                let accepted = accept(descriptor, nil, nil)
                if accepted < 0 {
                    return listening.withLock { listening in
                        listening = nil
                        close(descriptor)
                    }
                }
                let number = count.add(1, ordering: .relaxed).oldValue
                startThread {
                    script(accepted, number)
                    close(accepted)
                }
            }
        }
    }

    /// Takes no more connections; safe to call again.
    ///
    /// The thread that accepts closes: else it could go on with a number that is another's by now.
    public func stop() {
        listening.withLock { listening in
            if let listening { shutdown(listening, Int32(SHUT_RDWR)) }
        }
    }

    /// Reads up to the end of one head; false when the peer closed instead.
    @discardableResult
    public static func readHead(_ descriptor: Int32) -> Bool {
        var last: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe recv(descriptor, &byte, 1, 0) == 1 {
            last.append(byte)
            if last.suffix(4) == [13, 10, 13, 10] { return true }
        }
        return false
    }

    /// Sends all of the text.
    public static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes {
            unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Has the connection end by a reset, without a word, once it is closed.
    public static func endByReset(_ descriptor: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, 8)
    }

    /// Reads until the other side ends.
    public static func waitForEnd(_ descriptor: Int32) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while unsafe recv(descriptor, &chunk, chunk.count, 0) > 0 {}
    }
}
