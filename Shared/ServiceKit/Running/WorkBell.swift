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

    /// How long announced work is waited for.
    static let announcedNanoseconds: UInt64 = 2_000_000_000
    /// How often it is looked for meanwhile.
    static let soonNanoseconds: UInt64 = 20_000_000

    /// The bell of workers of this loop.
    public init(on loop: EventLoop) { self.loop = loop }

    /// There is work.
    public func ring() {
        isRung = sleepers.isEmpty
        for sleeper in sleepers { sleeper.resume(returning: ()) }
    }

    /// There will be work, once a transaction that wrote it has ended: until then nobody sees it,
    /// so the workers look again and again for a while.
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
        if let announcedAt, monotonicNanoseconds() - announcedAt < Self.announcedNanoseconds {
            pause = min(pause, Self.soonNanoseconds)
        }
        let wait = Wait<Void>(on: loop)
        sleepers.append(wait)
        let timer = loop.schedule(afterNanoseconds: pause) { wait.resume(returning: ()) }
        defer {
            timer.cancel()
            sleepers.removeAll { $0 === wait }
        }
        try? await wait.value()
    }
}
