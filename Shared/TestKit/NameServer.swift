internal import CGlibcSystem
internal import Glibc
internal import Loops
internal import Synchronization

/// A small DNS server on loopback, over UDP and TCP, that answers as a test wants it to.
public final class NameServer: Sendable {
    /// How it answers.
    public enum Manner: Sendable {
        /// By its records.
        case answers
        /// Not at all.
        case isSilent
        /// With REFUSED.
        case refuses
        /// With SERVFAIL.
        case fails
        /// With bytes that are no message.
        case talksGarbage
        /// Over UDP with nothing but «truncated».
        case truncates
    }

    private struct State {
        var records: [String: (addresses: [String], ttl: UInt32)] = [:]
        var mailHosts: [String: [String]] = [:]
        var manner = Manner.answers
        var silent: Set<String> = []
        var questions: [String] = []
    }

    /// Its address.
    public let address: String
    /// Its port, for UDP and TCP.
    public let port: UInt16
    private let state = Mutex(State())
    private let group = LoopGroup(count: 1)
    private let datagrams: Int32
    private let listener: Int32

    /// A server without records; `port` nil: a free one.
    public init(address: String = "127.0.0.1", port wanted: UInt16? = nil) throws {
        self.address = address
        var made: (Int32, Int32, UInt16)?
        for _ in 0..<50 where made == nil {
            let port = try wanted ?? FreePort.pick()
            let udp = Self.bound(SOCK_DGRAM, address, port)
            let tcp = Self.bound(SOCK_STREAM, address, port)
            if udp >= 0, tcp >= 0, listen(tcp, 16) == 0 {
                made = (udp, tcp, port)
            } else {
                close(udp)
                close(tcp)
            }
        }
        guard let made else { throw Subprocess.Failure(description: "no port for DNS") }
        (datagrams, listener, port) = made
        group.startAll()
        group.loops[0].post { [self] in
            for (socket, serve) in [(datagrams, answerDatagram), (listener, answerStream)] {
                let watch = DescriptorWatch(socket, on: group.loops[0], edgeTriggered: false)
                watch.start { _ in serve() }
            }
        }
    }

    /// A name's addresses from now on; none: the name is there, but has no address.
    public func set(_ name: String, _ addresses: [String], ttl: UInt32 = 30) {
        state.withLock { $0.records[name] = (addresses, ttl) }
    }

    /// A name's hosts of mail from now on; «.» alone: it takes none (RFC 7505).
    public func setMail(_ name: String, _ hosts: [String]) {
        state.withLock {
            $0.mailHosts[name] = hosts
            if $0.records[name] == nil { $0.records[name] = ([], 30) }
        }
    }

    /// There is no such name from now on.
    public func remove(_ name: String) {
        state.withLock {
            $0.records[name] = nil
            $0.mailHosts[name] = nil
        }
    }

    /// How it answers from now on.
    public func set(_ manner: Manner) { state.withLock { $0.manner = manner } }

    /// It has no answer for a name, and names below it, from now on: as where the server that it
    /// would ask in turn is slow.
    public func silence(_ name: String) { _ = state.withLock { $0.silent.insert(name) } }

    /// The names asked for so far; a question for IPv4 and IPv6 is two.
    public var questions: [String] { state.withLock { $0.questions } }

    /// Writes a resolv.conf that names the server at each of these addresses, and tells its path.
    public static func serversFile(_ addresses: [String], at path: String? = nil) throws -> String {
        var template = Array("/tmp/ezw-resolv-XXXXXX".utf8CString)
        let file = unsafe path.map { unsafe open($0, O_WRONLY | O_TRUNC) } ?? mkstemp(&template)
        defer { close(file) }
        let text = addresses.map { "nameserver \($0)\n" }.joined()
        guard file >= 0, unsafe write(file, text, text.utf8.count) == text.utf8.count else {
            throw Subprocess.Failure(description: "no resolv.conf")
        }
        return path ?? String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    }

    /// Ends it.
    public func stop() {
        group.stop()
        close(datagrams)
        close(listener)
    }

    private static func bound(_ kind: __socket_type, _ host: String, _ port: UInt16) -> Int32 {
        let made = socket(AF_INET, Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        unsafe _ = setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        unsafe _ = inet_pton(AF_INET, host, &address.sin_addr)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 { return made }
        close(made)
        return -1
    }

    private func answerDatagram() {
        var question = [UInt8](repeating: 0, count: 1_500)
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutablePointer(to: &peer) { peer in
            unsafe peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                let count = unsafe recvfrom(datagrams, &question, 1_500, 0, peer, &length)
                guard count > 12, let answer = answer(to: Array(question[..<count]), udp: true)
                else { return }
                unsafe _ = sendto(datagrams, answer, answer.count, 0, peer, length)
            }
        }
    }

    /// One question a connection.
    private func answerStream() {
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe _ = setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        var question = [UInt8](repeating: 0, count: 1_500)
        var count = 0
        while count < 2 || count < Int(question[0]) << 8 + Int(question[1]) + 2 {
            let got = unsafe question[count...].withUnsafeMutableBytes { rest in
                unsafe recv(connection, rest.baseAddress, rest.count, 0)
            }
            guard got > 0 else { return }
            count += got
        }
        guard let answer = answer(to: Array(question[2..<count]), udp: false) else { return }
        let framed = [UInt8(answer.count >> 8), UInt8(answer.count & 0xff)] + answer
        unsafe _ = send(connection, framed, framed.count, 0)
    }

    /// The message to answer with (RFC 1035, 4); nil: none.
    private func answer(to question: [UInt8], udp: Bool) -> [UInt8]? {
        var labels: [String] = []
        var at = 12
        while at < question.count, question[at] != 0 {
            let end = at + 1 + Int(question[at])
            guard end < question.count else { return nil }
            labels.append(String(decoding: question[at + 1..<end], as: UTF8.self))
            at = end
        }
        guard at + 5 <= question.count else { return nil }
        let kind = question[at + 2]
        let name = labels.joined(separator: ".")
        let (manner, record, hosts) = state.withLock { state in
            state.questions.append(name)
            let isSilent = state.silent.contains { name == $0 || name.hasSuffix("." + $0) }
            let manner = isSilent ? .isSilent : state.manner
            return (manner, state.records[name], state.mailHosts[name] ?? [])
        }
        var truncated = false
        var code: UInt8 = record == nil ? 3 : 0
        switch manner {
        case .isSilent: return nil
        case .talksGarbage: return Array(question.prefix(2)) + [0xff, 0x00, 0xff, 0x01, 0x02]
        case .refuses: code = 5
        case .fails: code = 2
        case .truncates: truncated = udp
        case .answers: break
        }
        let data =
            switch kind {
            case 15: hosts.map { [0, 10] + Self.encoded($0) }
            case 1, 28: (record?.addresses ?? []).compactMap { Self.encoded($0, kind) }
            default: [[UInt8]]()
            }
        let count = code == 0 && !truncated ? data.count : 0
        var message = Array(question[..<2]) + [truncated ? 0x87 : 0x85, 0x80 | code, 0, 1]
        message += [UInt8(count >> 8), UInt8(count & 0xff), 0, 0, 0, 0]
        message += question[12..<at + 5]
        for bytes in data.prefix(count) {
            message += [0xc0, 12, 0, kind, 0, 1]
            let ttl = record?.ttl ?? 0
            message += (0..<4).reversed().map { UInt8(truncatingIfNeeded: ttl >> (8 * $0)) }
            message += [0, UInt8(bytes.count)] + bytes
        }
        return message
    }

    /// An address of the family that is asked for.
    private static func encoded(_ address: String, _ kind: UInt8) -> [UInt8]? {
        guard address.contains(":") == (kind == 28) else { return nil }
        var bytes = [UInt8](repeating: 0, count: kind == 28 ? 16 : 4)
        unsafe _ = inet_pton(kind == 28 ? AF_INET6 : AF_INET, address, &bytes)
        return bytes
    }

    /// A name, label by label.
    private static func encoded(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }
}
