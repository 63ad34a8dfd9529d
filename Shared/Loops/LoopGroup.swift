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
        for loop in loops { startThread(stackBytes: 8 << 20) { loop.run() } }
    }

    /// Starts the others and turns loop 0 here until it is stopped.
    public func run() {
        for loop in loops.dropFirst() { startThread(stackBytes: 8 << 20) { loop.run() } }
        loops[0].run()
    }

    /// Stops every loop after the turn under way.
    public func stop() {
        for loop in loops { loop.stop() }
    }
}
