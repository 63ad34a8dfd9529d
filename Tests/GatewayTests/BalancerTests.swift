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
            if let chosen { balancer.abandoned(chosen) }
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
                case 1: balancer.abandoned(index)
                default: balancer.succeeded(index, roundTripNanoseconds: 1_000_000, now: now)
                }
            }
        }
        for index in open { balancer.abandoned(index) }
        #expect(balancer.outstanding == 0, "seed \(seed)")
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
