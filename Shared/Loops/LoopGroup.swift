/// The loops of one executable: loop 0 on the calling thread, the others on threads of their own.
public struct LoopGroup: Sendable {
    /// The loops, by index.
    public let loops: [EventLoop]

    /// A group of `count` loops, at least one; none turns yet.
    public init(count: Int) {
        loops = (0..<max(1, count)).map { EventLoop(index: $0) }
    }

    /// A group of loops that stand already.
    public init(sharing loops: [EventLoop]) { self.loops = loops }

    /// Starts every loop on a thread of its own (tests, or where the main thread has other work).
    public func startAll() {
        for loop in loops { start(loop) }
    }

    /// Starts the others and turns loop 0 here until it is stopped.
    public func run() {
        for loop in loops.dropFirst() { start(loop) }
        loops[0].run()
    }

    private func start(_ loop: EventLoop) {
        loop.willTurn()
        startThread(stackBytes: 8 << 20) { loop.run() }
    }

    /// Stops every loop after the turn under way.
    ///
    /// Blocks until the loops have ended and freed what they hold, unless called on one of them.
    public func stop() {
        for loop in loops { loop.stop() }
        guard !loops.contains(where: { $0.isCurrent }) else { return }
        for loop in loops { loop.waitForEnd() }
    }
}
