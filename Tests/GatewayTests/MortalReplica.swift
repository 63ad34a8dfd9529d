import Glibc
import Synchronization
import TestKit

/// A replica that ends all its connections at once: when it is told, or by a request that kills.
///
/// It answers `?hold` when it is let, `?kill` by its death, everything else at once; it comes back
/// at once unless it is told to stay dead.
final class MortalReplica: Sendable {
    private let open = Mutex<Set<Int32>>([])
    private let heldCount = Atomic<Int>(0)
    private let deathCount = Atomic<Int>(0)
    private let holds = Atomic<Bool>(true)
    private let own = Mutex<RawServer?>(nil)

    static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    init() {
        let server = RawServer { [self] descriptor, _ in serve(descriptor) }
        own.withLock { $0 = server }
    }

    /// The server, for the proxy.
    var server: RawServer {
        own.withLock { server in
            guard let server else { preconditionFailure("made with the replica") }
            return server
        }
    }
    /// How many requests it holds.
    var held: Int { heldCount.load(ordering: .acquiring) }
    var deaths: Int { deathCount.load(ordering: .acquiring) }

    private func serve(_ descriptor: Int32) {
        open.withLock { _ = $0.insert(descriptor) }
        while let head = readHead(descriptor) {
            if head.contains("?kill") { die() }
            if head.contains("?hold") {
                heldCount.add(1, ordering: .releasing)
                while holds.load(ordering: .acquiring), isOpen(descriptor) { usleep(1_000) }
            }
            guard isOpen(descriptor) else { break }
            RawServer.write(Self.answer, to: descriptor)
        }
        open.withLock { _ = $0.remove(descriptor) }
    }

    private func isOpen(_ descriptor: Int32) -> Bool {
        open.withLock { $0.contains(descriptor) }
    }

    private func readHead(_ descriptor: Int32) -> String? {
        var head = ""
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1 {
            head.unicodeScalars.append(UnicodeScalar(byte))
            if head.hasSuffix("\r\n\r\n") { return head }
        }
        return nil
    }

    /// Answers what it holds.
    func release() { holds.store(false, ordering: .releasing) }

    /// Ends all connections, and takes no more where it stays dead.
    func die(forGood: Bool = false) {
        deathCount.add(1, ordering: .releasing)
        if forGood { server.stop() }
        open.withLock { descriptors in
            for descriptor in descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
            descriptors.removeAll()
        }
    }
}
