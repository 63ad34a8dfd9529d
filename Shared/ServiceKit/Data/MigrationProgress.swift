internal import Loops

/// Tells at intervals what has not ended yet, and for how long it has been under way.
final class MigrationProgress {
    private let what: String
    private let interval: UInt64
    private let loop: EventLoop
    private let report: (String) -> Void
    private let beginning = monotonicNanoseconds()
    private var timer: LoopTimer?

    init(
        of what: String,
        each interval: UInt64,
        on loop: EventLoop,
        report: @escaping (String) -> Void
    ) {
        self.what = what
        self.interval = interval
        self.loop = loop
        self.report = report
        arm()
    }

    private func arm() {
        timer = loop.schedule(afterNanoseconds: interval) { [weak self] in self?.tell() }
    }

    private func tell() {
        let seconds = (monotonicNanoseconds() - beginning) / 1_000_000_000
        report("\(what), since \(seconds) s")
        arm()
    }

    /// It has ended.
    func end() { timer?.cancel() }
}
