import Loops
import Synchronization
import Testing

@testable import GatewayService

@Suite struct BalancerTests {
    private let second: UInt64 = 1_000_000_000

    @Test func theFasterOfTwoReplicasGetsMostRequests() {
        var balancer = Balancer(addresses: ["a", "b"], now: 100 * second, seed: 1)
        var counts = [0, 0]
        var now = 100 * second
        for _ in 0..<1_000 {
            guard let chosen = balancer.choose(now: now) else { continue }
            counts[chosen] += 1
            let roundTrip: UInt64 = chosen == 0 ? 1_000_000 : 50_000_000
            now += 2_000_000
            balancer.succeeded(chosen, roundTripNanoseconds: roundTrip, now: now)
        }
        #expect(counts[0] > 900, "\(counts)")
        #expect(counts[1] > 0, "the slow one is still tried: \(counts)")
    }

    @Test func fiveFailuresInARowOpenTheBreakerAndOneProbeMayCloseIt() {
        var breaker = CircuitBreaker()
        var now = 100 * second
        for _ in 0..<CircuitBreaker.consecutiveFailuresMax {
            let admitted = breaker.admits(now: now)
            #expect(admitted)
            breaker.failed(now: now)
        }
        let afterOpening = breaker.admits(now: now)
        #expect(!afterOpening)
        now += 2 * second
        let probe = breaker.admits(now: now)
        #expect(probe, "the probe")
        let besideProbe = breaker.admits(now: now)
        #expect(!besideProbe, "no second one beside it")
        breaker.failed(now: now)
        #expect(!breaker.wouldAdmit(now: now + second), "twice as long the second time")
        now += 3 * second
        let secondProbe = breaker.admits(now: now)
        #expect(secondProbe)
        breaker.succeeded(now: now)
        #expect(breaker.state == .closed)
    }

    @Test func halfOfAHundredFailingOpensTheBreakerThoughNeverFiveInARow() {
        var breaker = CircuitBreaker()
        for request in 0..<100 where breaker.wouldAdmit(now: 100 * second) {
            if request % 5 < 2 {
                breaker.succeeded(now: 100 * second)
            } else {
                breaker.failed(now: 100 * second)
            }
        }
        #expect(breaker.state != .closed)
    }

    @Test func whereEveryReplicaIsOutOneIsAskedAllTheSame() {
        var balancer = Balancer(addresses: ["a", "b"], now: 100 * second, seed: 3)
        balancer.observe(0, isHealthy: false, now: 100 * second)
        balancer.observe(1, isHealthy: false, now: 100 * second)
        #expect(balancer.choose(now: 100 * second) != nil)
    }

    @Test(arguments: [(1, 0), (2, 1), (3, 1), (20, 2), (30, 3)])
    func breakersOpenOnATenthOfTheReplicasAndNeverOnAll(replicas: Int, ejectedMax: Int) {
        let addresses = (0..<replicas).map { "\($0)" }
        var balancer = Balancer(addresses: addresses, now: 100 * second, seed: 9)
        for step in 0..<2_000 {
            let now = 100 * second + UInt64(step) * 1_000_000
            guard let chosen = balancer.choose(now: now) else { continue }
            balancer.failed(chosen, now: now)
        }
        let ejected = balancer.endpoints.filter { $0.breaker.state != .closed }
        #expect(ejected.count == ejectedMax)
    }

    @Test func aReplicaThatAnswersItsChecksIsAskedBeforeOneThatDoesNot() {
        var balancer = Balancer(addresses: ["a", "b", "c"], now: 100 * second, seed: 3)
        while balancer.endpoints[0].breaker.state == .closed {
            balancer.failed(0, now: 100 * second)
        }
        balancer.observe(1, isHealthy: false, now: 100 * second)
        balancer.observe(2, isHealthy: false, now: 100 * second)
        for _ in 0..<50 {
            let chosen = balancer.choose(now: 100 * second)
            #expect(chosen == 0)
        }
    }

    @Test func aRetryGoesToAnotherReplica() {
        var balancer = Balancer(addresses: ["a", "b", "c"], now: 100 * second, seed: 4)
        for _ in 0..<100 {
            let chosen = balancer.choose(excluding: 1, now: 100 * second)
            #expect(chosen != 1)
            if let chosen { balancer.abandoned(chosen, now: 100 * second) }
        }
    }

    @Test func outstandingRequestsReturnToZeroHoweverTheyEnd() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(state: seed)
        var balancer = Balancer(addresses: ["a", "b", "c"], now: 100 * second, seed: seed)
        var open: [Int] = []
        var now = 100 * second
        for _ in 0..<5_000 {
            now += random.next() % 10_000_000
            if open.isEmpty || random.next() % 2 == 0 {
                if let chosen = balancer.choose(now: now) { open.append(chosen) }
            } else {
                let index = open.remove(at: Int(random.next() % UInt64(open.count)))
                switch random.next() % 3 {
                case 0: balancer.failed(index, now: now)
                case 1: balancer.abandoned(index, now: now)
                default: balancer.succeeded(index, roundTripNanoseconds: 1_000_000, now: now)
                }
            }
        }
        for index in open { balancer.abandoned(index, now: now) }
        #expect(balancer.outstanding == 0, "seed \(seed)")
    }

    /// The replicas chosen for a request each `gap`; who is frozen answers nothing.
    private func drive(
        _ balancer: inout Balancer,
        from start: UInt64,
        for duration: UInt64,
        every gap: UInt64,
        frozen: Int? = nil
    ) -> [Int] {
        var chosen: [Int] = []
        for now in stride(from: start, to: start + duration, by: Int(gap)) {
            guard let index = balancer.choose(now: now) else { continue }
            chosen.append(index)
            if index == frozen { continue }
            balancer.succeeded(index, roundTripNanoseconds: 1_000_000, now: now + 1_000_000)
        }
        return chosen
    }

    @Test(arguments: [2_000_000, 50_000_000, 400_000_000] as [UInt64])
    func aFrozenReplicaHoldsWhatItHadAndHardlyMore(gap: UInt64) {
        for seed in 0..<50 as Range<UInt64> {
            var balancer = Balancer(addresses: ["a", "b"], now: 100 * second, seed: seed)
            _ = drive(&balancer, from: 100 * second, for: 5 * second, every: gap)
            let start = 105 * second
            let chosen = drive(&balancer, from: start, for: 12 * second, every: gap, frozen: 0)
            let held = chosen.filter { $0 == 0 }.count
            #expect(held <= 3, "\(held) of \(chosen.count), seed \(seed)")
        }
    }

    @Test func whoAnsweredLateOnceGetsItsShareAgainSoon() {
        var balancer = Balancer(addresses: ["a", "b"], now: 100 * second, seed: 5)
        _ = drive(&balancer, from: 100 * second, for: second, every: 10_000_000)
        let held = balancer.choose(only: 0, now: 101 * second)
        #expect(held == 0)
        balancer.succeeded(0, roundTripNanoseconds: 12 * second, now: 113 * second)
        let first = drive(&balancer, from: 113 * second, for: second, every: 10_000_000)
        #expect(first.filter { $0 == 0 }.count <= 1)
        let chosen = drive(&balancer, from: 114 * second, for: second, every: 10_000_000)
        #expect(chosen.filter { $0 == 0 }.count >= 30, "\(chosen)")
    }

    @Test func oneSlowRequestAmongQuickOnesIsHeldAgainstNobody() {
        var balancer = Balancer(addresses: ["a", "b"], now: 100 * second, seed: 6)
        // So long that each is known by its own answers.
        _ = drive(&balancer, from: 100 * second, for: 5 * second, every: 10_000_000)
        // A report that takes its time, and answers to others all the while.
        _ = balancer.choose(only: 0, now: 105 * second)
        var counts = [0, 0]
        for step in 0..<500 as Range<UInt64> {
            let now = 105 * second + step * 10_000_000
            // Both answer their checks.
            if step % 25 == 0 {
                for index in 0...1 { balancer.observe(index, isHealthy: true, now: now) }
            }
            let pair = [balancer.choose(now: now), balancer.choose(now: now)].compactMap(\.self)
            for index in pair {
                counts[index] += 1
                balancer.succeeded(index, roundTripNanoseconds: 1_000_000, now: now + 1_000_000)
            }
        }
        #expect(counts[0] >= 200, "\(counts)")
    }

    @Test func whoseCheckWasMissedIsNotTriedForItsSilenceAlone() {
        var balancer = Balancer(addresses: ["a", "b"], now: 100 * second, seed: 7)
        _ = drive(&balancer, from: 100 * second, for: second, every: 10_000_000)
        _ = balancer.choose(only: 0, now: 101 * second)
        balancer.succeeded(0, roundTripNanoseconds: second, now: 102 * second)
        balancer.doubt(0)
        let doubted = drive(&balancer, from: 102 * second, for: 3 * second, every: 10_000_000)
        #expect(!doubted.contains(0))
        balancer.observe(0, isHealthy: true, now: 105 * second)
        let after = drive(&balancer, from: 105 * second, for: second, every: 10_000_000)
        #expect(after.contains(0))
    }

    @Test func theRetryBudgetHoldsRetriesToAFifthOfTheRequests() {
        var budget = RetryBudget()
        var now = 100 * second
        var retries = 0
        for _ in 0..<10_000 {
            now += 1_000_000
            budget.countRequest(now: now)
            if budget.takeRetry(now: now) { retries += 1 }
        }
        #expect(retries <= 10_000 / 5 + 100)
        #expect(retries > 1_000)
    }
}

@Suite struct RateLimiterTests {
    @Test func aCallerGetsItsBurstAndThenItsRate() {
        var limiter = RateLimiter<String>(perSecond: 10, burst: 20, callersMax: 100)
        var now: UInt64 = 1_000_000_000
        var allowed = 0
        for _ in 0..<50 where limiter.take("a", now: now).isAllowed { allowed += 1 }
        #expect(allowed == 20)
        now += 1_000_000_000
        for _ in 0..<50 where limiter.take("a", now: now).isAllowed { allowed += 1 }
        #expect(allowed == 30)
        #expect(limiter.take("b", now: now).isAllowed)
    }

    @Test func theTableNeverGrowsOverItsBound() {
        var limiter = RateLimiter<Int>(perSecond: 1, burst: 2, callersMax: 50)
        for caller in 0..<1_000 { _ = limiter.take(caller, now: 1) }
        #expect(limiter.count <= 50)
    }

    @Test func allLoopsTogetherGiveACallerItsBurstAndNoMore() async throws {
        let limiter = try #require(SharedRateLimiter(perSecond: 1, burst: 100))
        let group = LoopGroup(count: 4)
        group.startAll()
        defer { group.stop() }
        let allowed = Atomic<Int>(0)
        let tasks = group.loops.map { loop in
            loop.actor.spawn { _ in
                for _ in 0..<100 where limiter.take(7, now: 1_000_000_000).isAllowed {
                    allowed.add(1, ordering: .relaxed)
                }
            }
        }
        for task in tasks { await task.value }
        let count = allowed.load(ordering: .relaxed)
        #expect(count == 100)
        #expect(limiter.take(8, now: 1_000_000_000).isAllowed)
    }
}
