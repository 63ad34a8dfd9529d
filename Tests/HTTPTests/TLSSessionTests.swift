import Glibc
import Loops
import TestKit
import Testing

@testable import HTTP

/// Two sessions, and between them what each has sent: nothing passes but by `deliver`.
private final class Wire {
    /// One end: a session over a socket, and the other side of that socket.
    final class End {
        let session: TLSSession
        private let inner: Int32
        private var outer: Int32

        init(_ context: TLSContext, isServer: Bool) throws {
            var pair: [Int32] = [0, 0]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            #expect(socketpair(AF_UNIX, kind, 0, &pair) == 0)
            (inner, outer) = (pair[0], pair[1])
            session = try #require(context.session(descriptor: inner, isServer: isServer))
        }

        deinit {
            close(inner)
            hangUp()
        }

        /// What the session has sent.
        func sent() -> [UInt8] {
            var all: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(outer, &chunk, chunk.count, 0)
                if count <= 0 { return all }
                all += chunk[0..<count]
            }
        }

        /// Puts bytes into the session's socket; the loop tells of them, unless it is late.
        func deliver(_ bytes: some Collection<UInt8>, edge: Bool = true) {
            let bytes = Array(bytes)
            #expect(bytes.isEmpty || send(outer, bytes, bytes.count, 0) == bytes.count)
            if edge { session.mayHaveCome(peerClosed: false) }
        }

        /// The peer ends without a word.
        func hangUp() {
            if outer >= 0 { close(outer) }
            outer = -1
        }

        func write(_ bytes: [UInt8]) -> Int? {
            guard case .bytes(let count) = session.write(bytes, from: 0, to: bytes.count) else {
                return nil
            }
            return count
        }

        /// What there is, in reads of so many bytes, and why there is no more.
        func read(by room: Int = 65_536) -> (bytes: [UInt8], end: TLSSession.Progress) {
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: room)
            while true {
                let progress = buffer.withUnsafeMutableBytes { session.read(into: $0) }
                guard case .bytes(let count) = progress else { return (all, progress) }
                all += buffer[0..<count]
            }
        }
    }

    let client: End
    let server: End

    init(_ certificate: Certificate) throws {
        server = try End(
            TLSContext(
                certificateFile: certificate.certificateFile,
                keyFile: certificate.keyFile
            ),
            isServer: true
        )
        client = try End(
            TLSContext(trusting: certificate.certificateFile),
            isServer: false
        )
    }

    /// Shakes hands, in pieces of so many bytes.
    func shakeHands(by size: Int = .max) {
        var isDone = (client: false, server: false)
        for _ in 0..<10 where !(isDone.client && isDone.server) {
            if case .done = client.session.handshake() { isDone.client = true }
            step(client.sent(), to: server, by: size) {
                if case .done = server.session.handshake() { isDone.server = true }
            }
            step(server.sent(), to: client, by: size) {
                // Once it is done, tickets come.
                if isDone.client { return #expect(client.read().bytes.isEmpty) }
                if case .done = client.session.handshake() { isDone.client = true }
            }
        }
        #expect(isDone.client && isDone.server)
        #expect(client.read().bytes.isEmpty)
    }

    private func step(_ bytes: [UInt8], to end: End, by size: Int, _ handshake: () -> Void) {
        var rest = bytes[...]
        while !rest.isEmpty {
            end.deliver(rest.prefix(size))
            rest = rest.dropFirst(size)
            handshake()
        }
    }
}

extension TLSSession.Progress {
    fileprivate var wantsMore: Bool { if case .wantsRead = self { true } else { false } }
    fileprivate var isClosed: Bool { if case .closed = self { true } else { false } }
    fileprivate var isFailed: Bool { if case .failed = self { true } else { false } }
}

private func noise(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
}

/// What a session makes of bytes that come as they like.
@Suite(.serialized) struct TLSSessionTests {
    private let certificate: Certificate
    init() throws { certificate = try Certificate() }

    @Test func aRecordMayBeSplitAtEveryByte() throws {
        let wire = try Wire(certificate)
        wire.shakeHands()
        let message = noise(40)
        var split = 0
        while true {
            #expect(wire.client.write(message) == message.count)
            let record = wire.client.sent()
            if split > record.count { break }
            wire.server.deliver(record[..<split])
            let first = wire.server.read()
            wire.server.deliver(record[split...])
            let second = wire.server.read()
            #expect(first.bytes + second.bytes == message, "split at \(split)")
            #expect(first.end.wantsMore && second.end.wantsMore, "split at \(split)")
            #expect(wire.server.session.isDrained, "split at \(split)")
            split += 1
        }
        #expect(split > message.count)
    }

    @Test func aHandshakeMayComeByteForByte() throws {
        let wire = try Wire(certificate)
        wire.shakeHands(by: 1)
        #expect(wire.client.write([1, 2, 3]) == 3)
        wire.server.deliver(wire.client.sent())
        #expect(wire.server.read().bytes == [1, 2, 3])
    }

    @Test func aRequestMayComeWithTheEndOfTheHandshake() throws {
        let wire = try Wire(certificate)
        _ = wire.client.session.handshake()
        wire.server.deliver(wire.client.sent())
        _ = wire.server.session.handshake()
        wire.client.deliver(wire.server.sent())
        guard case .done = wire.client.session.handshake() else {
            Issue.record("the client is not done")
            return
        }
        #expect(wire.client.write([1, 2, 3]) == 3)
        wire.server.deliver(wire.client.sent())
        guard case .done = wire.server.session.handshake() else {
            Issue.record("the server is not done")
            return
        }
        // All of it has left the socket: no edge will tell of it.
        #expect(!wire.server.session.isDrained)
        #expect(wire.server.read().bytes == [1, 2, 3])
    }

    @Test func manyRecordsAreReadAtOnce() throws {
        let wire = try Wire(certificate)
        wire.shakeHands()
        let message = noise(100)
        for _ in 0..<50 { #expect(wire.client.write(message) == 100) }
        wire.server.deliver(wire.client.sent())
        var buffer = [UInt8](repeating: 0, count: 8_192)
        let progress = buffer.withUnsafeMutableBytes { wire.server.session.read(into: $0) }
        guard case .bytes(5_000) = progress else {
            Issue.record("\(progress) in place of 5,000 bytes")
            return
        }
        #expect(Array(buffer[0..<5_000]) == (0..<50).flatMap { _ in message })
        #expect(wire.server.session.isDrained)
    }

    @Test func aRecordMayBeLargerThanTheBuffer() throws {
        let wire = try Wire(certificate)
        wire.shakeHands()
        let message = noise(5 * 16_384)
        var written = 0
        while written < message.count {
            written += wire.client.write(Array(message[written...])) ?? message.count
        }
        wire.server.deliver(wire.client.sent())
        var buffer = [UInt8](repeating: 0, count: 1_000)
        var all: [UInt8] = []
        // What is left unread is told of, for no edge will.
        while !wire.server.session.isDrained {
            let progress = buffer.withUnsafeMutableBytes { wire.server.session.read(into: $0) }
            guard case .bytes(let count) = progress else { break }
            all += buffer[0..<count]
        }
        #expect(all == message)
        #expect(wire.server.session.isDrained)
    }

    /// Its transport then waits for an edge without one more call of the system.
    @Test func aSessionWhoseRecordsAreReadIsDrained() throws {
        let wire = try Wire(certificate)
        wire.shakeHands()
        for round in 0..<3 {
            #expect(wire.client.write([1]) == 1)
            wire.server.deliver(wire.client.sent())
            #expect(!wire.server.session.isDrained, "\(round)")
            #expect(wire.server.read().bytes == [1], "\(round)")
            #expect(wire.server.session.isDrained, "\(round)")
        }
    }

    @Test func aPeerThatStopsInTheMiddleIsWaitedForAndItsEndIsAFault() throws {
        let wire = try Wire(certificate)
        wire.shakeHands()
        #expect(wire.client.write(noise(100)) == 100)
        let record = wire.client.sent()
        wire.server.deliver(record[..<50])
        for _ in 0..<3 { #expect(wire.server.read().end.wantsMore) }
        wire.server.hangUp()
        wire.server.session.mayHaveCome(peerClosed: true)
        let last = wire.server.read()
        #expect(last.bytes.isEmpty && last.end.isFailed)
        // Nor is more waited for later.
        #expect(!wire.server.read().end.wantsMore)
    }

    @Test func theLastBytesAndTheEndMayComeTogether() throws {
        for isPolite in [true, false] {
            let wire = try Wire(certificate)
            wire.shakeHands()
            #expect(wire.client.write(noise(100)) == 100)
            if isPolite { wire.client.session.shutDown() }
            wire.server.deliver(wire.client.sent(), edge: false)
            wire.server.hangUp()
            wire.server.session.mayHaveCome(peerClosed: true)
            let all = wire.server.read()
            #expect(all.bytes == noise(100))
            #expect(isPolite ? all.end.isClosed : !all.end.wantsMore)
        }
    }

    @Test func aDamagedRecordEndsTheConnection() throws {
        let wire = try Wire(certificate)
        wire.shakeHands()
        #expect(wire.client.write(noise(100)) == 100)
        var record = wire.client.sent()
        record[60] ^= 1
        wire.server.deliver(record)
        let all = wire.server.read()
        #expect(all.bytes.isEmpty && all.end.isFailed)
    }

    @Test func whatThePeerDoesNotTakeIsWrittenLater() throws {
        let wire = try Wire(certificate)
        wire.shakeHands()
        let message = noise(1 << 20)
        var (written, turns) = (0, 0)
        var all: [UInt8] = []
        while written < message.count {
            // The bytes move between two tries, as those of a connection do.
            if let count = wire.client.write(Array(message[written...])) {
                written += count
                continue
            }
            turns += 1
            let taken = wire.client.sent()
            for start in stride(from: 0, to: taken.count, by: 50_000) {
                wire.server.deliver(taken[start..<min(taken.count, start + 50_000)])
                all += wire.server.read(by: 4_096).bytes
            }
        }
        wire.server.deliver(wire.client.sent())
        all += wire.server.read().bytes
        #expect(turns > 1)
        #expect(all == message)
    }

    @Test(arguments: [1, 2, 3, UInt64.random(in: 0...UInt64.max)])
    func whateverComesInPiecesIsReadWhole(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let wire = try Wire(certificate)
        wire.shakeHands(by: Int.random(in: 1...400, using: &random))
        var (sent, read): ([UInt8], [UInt8]) = ([], [])
        for _ in 0..<200 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let large = Int.random(in: 0..<10, using: &random) == 0
                let message = noise(Int.random(in: 1...(large ? 16_384 : 300), using: &random))
                #expect(wire.client.write(message) == message.count, "seed \(seed)")
                sent += message
            }
            var rest = wire.client.sent()[...]
            while !rest.isEmpty {
                let size = Int.random(in: 1...20_000, using: &random)
                wire.server.deliver(rest.prefix(size))
                rest = rest.dropFirst(size)
                let part = wire.server.read(by: Int.random(in: 1...9_000, using: &random))
                #expect(part.end.wantsMore, "seed \(seed)")
                read += part.bytes
            }
        }
        #expect(read == sent, "seed \(seed)")
    }
}
