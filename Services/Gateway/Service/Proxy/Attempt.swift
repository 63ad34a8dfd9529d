import HTTP
import Loops
import ServiceKit

/// One request's turn at one replica, chosen by the balancer.
struct Attempt {
    let service: UpstreamService
    let upstream: Upstream
    let index: Int
    private let started = monotonicNanoseconds()
    /// Who has not answered for so long is to blame for a deadline; who had less is not.
    static let patienceNanoseconds: UInt64 = 1_000_000_000

    /// An attempt at the replica `only`, as long as there is that one, else at one of the others.
    ///
    /// Nil: there is none.
    @inline(never)
    init?(at service: UpstreamService, only: Int?, excluding excluded: Int?, now: UInt64) {
        let index =
            only.flatMap { service.balancer.choose(only: $0, now: now) }
            ?? service.balancer.choose(excluding: excluded, now: now)
        guard let index else { return nil }
        self.service = service
        self.index = index
        upstream = service.upstreams[index]
    }

    /// Takes a whole answer into account.
    ///
    /// A 503 counts against the replica only if the replica marks it as `unfit`: other 503s are
    /// about what was asked for, and every replica gives them.
    @inline(never)
    func answered(_ status: Int, isUnfit: Bool, now: UInt64) {
        // Cannot wrap: the clock never goes back.
        let nanoseconds = monotonicNanoseconds() &- started
        let isLate = nanoseconds >= Self.patienceNanoseconds
        if status == 502 || status == 503 && isUnfit || status == 504 && isLate {
            service.balancer.failed(index, now: now)
        } else {
            service.balancer.succeeded(index, roundTripNanoseconds: nanoseconds, now: now)
        }
        service.answered.add()
        service.duration.observe(nanoseconds: nanoseconds)
    }

    /// Takes it into account that there was no whole answer.
    @inline(never)
    func ended(_ error: HTTPClientError, now: UInt64) {
        switch error {
        case .closed(afterSending: true):
            service.repeats.died(index, now: now)
            service.balancer.failed(index, now: now)
        case .cannotConnect, .closed, .framing: service.balancer.failed(index, now: now)
        // Cannot wrap: the clock never goes back.
        case .deadline(afterSending: true)
        where monotonicNanoseconds() &- started >= Self.patienceNanoseconds:
            service.balancer.failed(index, now: now)
        case .tooManyWaiting, .tooManyStreams, .deadline, .bodyTooLarge, .source:
            service.balancer.abandoned(index, now: now)
        }
    }
}
