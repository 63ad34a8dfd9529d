internal import CGlibcSystem
internal import Glibc
public import Loops
internal import Synchronization

/// Bounds of a server; every one has a reason to be reached.
public struct ServerLimits: Sendable {
    /// How large a head may be.
    public var head = HeadLimits()
    /// A connection without a request.
    public var idleNanoseconds: UInt64 = 75_000_000_000
    /// A TLS handshake, whole.
    public var handshakeNanoseconds: UInt64 = 10_000_000_000
    /// A head, from its first byte to its last (slowloris).
    public var headNanoseconds: UInt64 = 10_000_000_000
    /// A body, from the head on.
    public var bodyNanoseconds: UInt64 = 60_000_000_000
    /// A body, decoded; an endpoint may take less.
    public var bodyBytesMax = 64 << 20
    /// From the head to the answer.
    public var requestNanoseconds: UInt64 = 30_000_000_000
    /// One write that the peer does not take.
    public var writeNanoseconds: UInt64 = 30_000_000_000
    /// Between two parts of a streamed answer that has an end.
    public var streamNanoseconds: UInt64 = 60_000_000_000
    /// How long what the peer still sends is read after the last answer.
    public var lingerNanoseconds: UInt64 = 1_000_000_000
    /// An unread body up to this is read over to keep the connection.
    public var drainedBytesMax = 65_536
    /// Answers of pipelined requests are gathered up to this.
    public var outBytesMax = 65_536
    /// Requests on one connection.
    public var requestsMax = 100_000
    /// Connections on all loops.
    public var connectionsMax = 10_000

    /// The defaults.
    public init() {}
}

/// The server of one loop: its connections and its handler.
final class LoopServer {
    let handler: any HTTPHandler
    let limits: ServerLimits
    let loop: EventLoop
    let pool = BufferPool()
    let outPool = OutPool()
    let gate: HandshakeGate
    var isDraining = false
    private var connections: [ServerConnection] = []
    private var sweep: LoopTimer?
    private var dateSecond: UInt64 = 0
    private var date: [UInt8] = []

    static let sweepNanoseconds: UInt64 = 100_000_000

    init(handler: any HTTPHandler, limits: ServerLimits, loop: EventLoop) {
        self.handler = handler
        self.limits = limits
        self.loop = loop
        gate = HandshakeGate(on: loop)
    }

    func serve(_ descriptor: Int32, peer: PeerAddress, tls: TLSContext?, task: ConnectionTask) async
    {
        guard let connection = begin(descriptor, peer: peer, tls: tls, task: task) else { return }
        await connection.serve()
        end(connection)
    }

    @inline(never)
    private func begin(
        _ descriptor: Int32,
        peer: PeerAddress,
        tls: TLSContext?,
        task: ConnectionTask
    ) -> ServerConnection? {
        let session = tls?.session(descriptor: descriptor, isServer: true)
        // Never in the clear where it was to be secret.
        guard tls == nil || session != nil else {
            CGlibcSystem.close(descriptor)
            return nil
        }
        let transport = Transport(descriptor: descriptor, loop: loop, tls: session)
        let connection = ServerConnection(
            transport: transport,
            peer: peer,
            isSecure: session != nil,
            server: self,
            task: task
        )
        connection.position = connections.count
        connections.append(connection)
        if sweep == nil { armSweep() }
        return connection
    }

    @inline(never)
    private func end(_ connection: ServerConnection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.position] = last
            last.position = connection.position
        }
    }

    func beginDrain() {
        isDraining = true
        for connection in connections { connection.beginDrain() }
    }

    func abort() {
        for connection in connections { connection.abort() }
    }

    private func armSweep() {
        sweep = loop.schedule(afterNanoseconds: Self.sweepNanoseconds) { [weak self] in
            // The server may go before its loop.
            guard let self else { return }
            sweep = nil
            let now = loop.now
            for connection in connections { connection.check(now: now) }
            if !connections.isEmpty { armSweep() }
        }
    }

    /// `Date`, written anew once a second.
    func dateField() -> [UInt8] {
        let second = loop.now / 1_000_000_000
        if second != dateSecond || date.isEmpty {
            dateSecond = second
            date = Array(
                "date: \(httpDate(secondsSince1970: wallMicroseconds() / 1_000_000))\r\n".utf8
            )
        }
        return date
    }
}

/// Accepts on one loop, serves on all of them.
public final class HTTPServer: Sendable {
    private struct Seat: Sendable {
        let bound: LoopBound<LoopServer>
        let actor: LoopActor
    }
    /// Why a server could not listen.
    public struct ListenError: Error, Sendable, CustomStringConvertible {
        /// The address and the system's words.
        public let description: String
    }

    private let limits: ServerLimits
    private let tls: TLSContext?
    private let seats = Mutex<[Seat]>([])
    private let counts: ConnectionCounts
    private let listener = Mutex<(bound: LoopBound<LoopListener>, actor: LoopActor)?>(nil)

    /// A server that serves nothing yet: `attach` a handler on each loop, then `listen`.
    public init(loops: LoopGroup, limits: ServerLimits = ServerLimits(), tls: TLSContext? = nil) {
        self.limits = limits
        self.tls = tls
        counts = ConnectionCounts(loops: loops.loops.count)
    }

    /// How many connections there are now.
    public var connectionCount: Int { counts.total }

    /// Makes this loop serve by `handler`.
    public func attach(_ handler: any HTTPHandler, on actor: isolated LoopActor) {
        let server = LoopServer(handler: handler, limits: limits, loop: actor.loop)
        let seat = Seat(bound: LoopBound(server, to: actor), actor: actor)
        seats.withLock { $0.append(seat) }
    }

    /// Listens on a numeric address and accepts on the loop of the caller.
    /// - Returns: the port, which the system chooses for port 0.
    @discardableResult
    public func listen(
        host: String,
        port: Int,
        on actor: isolated LoopActor
    ) throws(ListenError) -> Int {
        let (descriptor, boundPort) = try bindListener(host: host, port: port)
        let seats = self.seats.withLock { $0 }
        let listener = LoopListener(descriptor, loop: actor.loop) { [self] accepted, storage in
            take(accepted, from: storage, seats: seats)
        }
        let bound = LoopBound(listener, to: actor)
        self.listener.withLock { $0 = (bound, actor) }
        return boundPort
    }

    private func take(_ accepted: Int32, from storage: sockaddr_storage, seats: [Seat]) {
        guard counts.total < limits.connectionsMax else {
            CGlibcSystem.close(accepted)
            return
        }
        setNoDelay(accepted)
        let peer = peerAddress(storage)
        let index = counts.enterLeast()
        let seat = seats[index]
        let task = ConnectionTask()
        let tls = self.tls
        task.set(
            seat.actor.spawn { [counts] actor in
                await seat.bound.on(actor).serve(accepted, peer: peer, tls: tls, task: task)
                counts.leave(index)
            }
        )
    }

    /// Accepts what waits, stops listening, lets idle connections go and ends endless streams.
    public func beginDrain() {
        let listener = self.listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        if let listener {
            listener.actor.spawn { actor in listener.bound.on(actor).close() }
        }
        for seat in seats.withLock({ $0 }) {
            seat.actor.spawn { actor in seat.bound.on(actor).beginDrain() }
        }
    }

    /// Drains, waits until every answer under way is written, and ends after `nanoseconds` what
    /// then still lasts.
    ///
    /// Readiness went off before, for as long as the balancer takes to see it: the caller's part.
    public func drain(within nanoseconds: UInt64, on loop: EventLoop) async {
        beginDrain()
        let end = monotonicNanoseconds() &+ nanoseconds
        while connectionCount > 0, monotonicNanoseconds() < end {
            guard (try? await loop.sleep(nanoseconds: 5_000_000)) != nil else { break }
        }
        for seat in seats.withLock({ $0 }) {
            seat.actor.spawn { actor in seat.bound.on(actor).abort() }
        }
    }
}

/// A listening socket on its loop.
final class LoopListener {
    private let descriptor: Int32
    private let watch: DescriptorWatch
    private let loop: EventLoop
    private let taken: (Int32, sockaddr_storage) -> Void
    private var isOpen = true
    /// A bounded share of a turn, so that a flood of new ones cannot starve the others.
    private static let perTurnMax = 64
    private static let pauseNanoseconds: UInt64 = 100_000_000

    init(_ descriptor: Int32, loop: EventLoop, taken: @escaping (Int32, sockaddr_storage) -> Void) {
        self.descriptor = descriptor
        self.loop = loop
        self.taken = taken
        watch = DescriptorWatch(descriptor, on: loop, edgeTriggered: false)
        watch.start(whenLoopEnds: { [unowned self] in end() }) { [unowned self] _ in
            accept(atMost: Self.perTurnMax)
        }
    }

    private func accept(atMost count: Int) {
        for _ in 0..<count {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            // Safety: the storage is as large and as aligned as any address.
            let accepted = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe ezwallet_accept4(descriptor, address, &length)
                }
            }
            if accepted >= 0 {
                taken(accepted, storage)
                continue
            }
            switch errno {
            case EAGAIN: return
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pause()
            default: continue
            }
        }
    }

    /// Out of descriptors or memory: looks again a little later, not at every turn.
    private func pause() {
        watch.change(to: [])
        loop.schedule(afterNanoseconds: Self.pauseNanoseconds) { [weak self] in
            guard let self, isOpen else { return }
            watch.change(to: .readable)
        }
    }

    /// Accepts until nothing waits, for closing resets whatever does; then closes.
    func close() {
        guard isOpen else { return }
        accept(atMost: 1 << 20)
        end()
    }

    private func end() {
        guard isOpen else { return }
        isOpen = false
        watch.cancel()
        CGlibcSystem.close(descriptor)
    }
}

/// Lets a few TLS handshakes begin in each turn of the loop, so that a rush of them does not stall
/// the connections that stand.
final class HandshakeGate {
    private static let perTurnMax = 8
    private unowned let loop: EventLoop
    private var turn: UInt64 = 0
    private var passed = 0

    init(on loop: EventLoop) { self.loop = loop }

    /// Waits for a turn in which there is room.
    func pass() async {
        while true {
            if turn != loop.now {
                turn = loop.now
                passed = 0
            }
            passed += 1
            if passed <= Self.perTurnMax { return }
            guard (try? await loop.sleep(nanoseconds: 1)) != nil else { return }
        }
    }
}

/// Connections by loop.
final class ConnectionCounts: Sendable {
    private let counts: Mutex<[Int]>
    init(loops: Int) { counts = Mutex(Array(repeating: 0, count: loops)) }

    var total: Int { counts.withLock { $0.reduce(0, +) } }

    /// Counts one more on the loop that has the fewest.
    func enterLeast() -> Int {
        counts.withLock { counts in
            var least = 0
            for index in counts.indices where counts[index] < counts[least] { least = index }
            counts[least] += 1
            return least
        }
    }

    func leave(_ index: Int) { counts.withLock { $0[index] -= 1 } }
}
