public import Loops

/// Tells the workers of one loop that there is work, so that they need not look all the time.
///
/// Others may have left work, too: workers look now and then in any case. On-loop only.
public final class WorkBell {
    private let loop: EventLoop
    private var sleepers: [Wait<Void>] = []
    /// Rung while nobody slept: whoever was about to had looked too early.
    private var isRung = false
    private var announcedAt: UInt64?

    /// How soon announced work is looked for.
    static let soonNanoseconds: UInt64 = 5_000_000

    /// The bell of workers of this loop.
    public init(on loop: EventLoop) { self.loop = loop }

    /// There is work.
    public func ring() {
        isRung = sleepers.isEmpty
        for sleeper in sleepers { sleeper.resume(returning: ()) }
    }

    /// There will be work, once a transaction that wrote it has ended: until then nobody sees it,
    /// so the workers look soon, and ever more seldom, until they look as they do in any case.
    public func announce() {
        announcedAt = monotonicNanoseconds()
        ring()
    }

    /// Sleeps until it rings, and so long at most; a cancelled task does not sleep.
    package func sleep(nanoseconds: UInt64) async {
        guard !isRung else {
            isRung = false
            return
        }
        var pause = nanoseconds
        if let announcedAt {
            // As long again as it has been: the end is seen after twice its time at the latest.
            pause = min(pause, max(Self.soonNanoseconds, monotonicNanoseconds() - announcedAt))
        }
        let wait = Wait<Void>(on: loop)
        sleepers.append(wait)
        defer { sleepers.removeAll { $0 === wait } }
        try? await wait.value(withinNanoseconds: pause)
    }
}
