internal import CGlibcSystem
internal import Glibc
public import Loops
internal import Synchronization

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
    /// Those that have asked nothing yet, by their numbers.
    private var unserved: [UInt64: ServerConnection] = [:]
    private let register: ConnectionRegister
    private var sweep: LoopTimer?
    private var dateSecond: UInt64 = 0
    private var date: [UInt8] = []

    static let sweepNanoseconds: UInt64 = 100_000_000

    init(
        handler: any HTTPHandler,
        limits: ServerLimits,
        loop: EventLoop,
        register: ConnectionRegister
    ) {
        self.handler = handler
        self.register = register
        self.limits = limits
        self.loop = loop
        gate = HandshakeGate(on: loop)
    }

    func serve(_ descriptor: Int32, peer: PeerAddress, tls: TLSContext?, task: ConnectionTask) async
    {
        defer { register.leave(task.ticket) }
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
        unserved[task.ticket.number] = connection
        if sweep == nil { armSweep() }
        return connection
    }

    @inline(never)
    private func end(_ connection: ServerConnection) {
        unserved[connection.task.ticket.number] = nil
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.position] = last
            last.position = connection.position
        }
    }

    /// A connection has asked for something.
    func served(_ connection: ServerConnection) {
        unserved[connection.task.ticket.number] = nil
        register.served(connection.task.ticket)
    }

    /// Ends one that has asked nothing, for another needs its place.
    func giveWay(_ number: UInt64) { unserved[number]?.abort() }

    func beginDrain() {
        isDraining = true
        for connection in connections { connection.beginDrain() }
    }

    func abort() {
        for connection in connections { connection.abort() }
    }

    /// Keeps the server until the sweep that finds no connection any more.
    ///
    /// A weak reference would have each retain of the server pass through a side table.
    private func armSweep() {
        sweep = loop.schedule(afterNanoseconds: Self.sweepNanoseconds) { [self] in
            checkConnections()
        }
    }

    private func checkConnections() {
        sweep = nil
        let now = loop.now
        let idle = limits.idleNanoseconds
        let earlier = register.isCrowded ? idle - min(limits.crowdedIdleNanoseconds, idle) : 0
        for connection in connections { connection.check(now: now, earlier: earlier) }
        if !connections.isEmpty { armSweep() }
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
    private let register: ConnectionRegister
    private let listener = Mutex<(bound: LoopBound<LoopListener>, actor: LoopActor)?>(nil)

    /// A server that serves nothing yet: `attach` a handler on each loop, then `listen`.
    public init(loops: LoopGroup, limits: ServerLimits = ServerLimits(), tls: TLSContext? = nil) {
        self.limits = limits
        self.tls = tls
        register = ConnectionRegister(loops: loops.loops.count, limits: limits)
    }

    /// How many connections there are now.
    public var connectionCount: Int { register.total }

    /// Makes this loop serve by `handler`.
    public func attach(_ handler: any HTTPHandler, on actor: isolated LoopActor) {
        let server = LoopServer(
            handler: handler,
            limits: limits,
            loop: actor.loop,
            register: register
        )
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
        let peer = peerAddress(storage)
        guard case .admitted(let ticket, let old) = register.admit(peer) else {
            CGlibcSystem.close(accepted)
            return
        }
        if let old {
            let seat = seats[old.loop]
            seat.actor.spawn { actor in seat.bound.on(actor).giveWay(old.number) }
        }
        setNoDelay(accepted)
        let seat = seats[ticket.loop]
        let task = ConnectionTask(ticket)
        let tls = self.tls
        task.set(
            seat.actor.spawn { actor in
                await seat.bound.on(actor).serve(accepted, peer: peer, tls: tls, task: task)
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
        // Cannot wrap: 300 s at most, by the variable's range.
        let end = monotonicNanoseconds() &+ nanoseconds
        while connectionCount > 0, monotonicNanoseconds() < end {
            guard (try? await loop.sleep(nanoseconds: 5_000_000)) != nil else { break }
        }
        for seat in seats.withLock({ $0 }) {
            seat.actor.spawn { actor in seat.bound.on(actor).abort() }
        }
    }
}
