import Loops
import TestKit
import Testing
import WalletProtocol

@testable import ServiceKit

/// Deliberately not Sendable: it is its loop's own.
private final class Source {
    let inquiry: KeyInquiry
    let loop: EventLoop
    /// What each reading finds, in turn, and the last from then on; nil: nobody can say.
    var answers: [Set<String>?]
    var known: Set<String> = []
    var readings = 0
    var outcomes: [String: Int] = [:]
    var left = 0

    init(on loop: EventLoop, _ answers: [Set<String>?]) {
        (self.loop, self.answers) = (loop, answers)
        inquiry = KeyInquiry(on: loop)
    }

    /// As a request does that has a token by this key.
    func want(_ key: String) async {
        defer { left -= 1 }
        guard !known.contains(key) else { return count("known") }
        do {
            let couldSay = try await inquiry.ask(until: { known.contains(key) }) { await read() }
            count(known.contains(key) ? "known" : couldSay ? "unknown" : "unsure")
        } catch {
            count(error.code.text)
        }
    }

    private func count(_ outcome: String) { outcomes[outcome, default: 0] += 1 }

    private func read() async -> Bool {
        readings += 1
        let answer = answers.count > 1 ? answers.removeFirst() : answers[0]
        try? await loop.sleep(nanoseconds: 5_000_000)
        guard let answer else { return false }
        known = answer
        return true
    }
}

/// Keys that a loop does not know yet.
@Suite struct KeyInquiryTests {
    /// Wants the keys all at once, and answers what became of them and how often it was read.
    private func wanting(
        _ keys: [String],
        _ answers: [Set<String>?]
    ) async throws -> (outcomes: [String: Int], readings: Int) {
        // In one second of the clock that is counted by.
        for _ in 0..<20 {
            let second = monotonicNanoseconds() / 1_000_000_000
            let found = try await wantingOnce(keys, answers)
            if monotonicNanoseconds() / 1_000_000_000 == second { return found }
        }
        struct TakesLongerThanASecond: Error {}
        throw TakesLongerThanASecond()
    }

    private func wantingOnce(
        _ keys: [String],
        _ answers: [Set<String>?]
    ) async throws -> (outcomes: [String: Int], readings: Int) {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        return try await group.loops[0].actor.run { actor in
            let source = Source(on: actor.loop, answers)
            let bound = LoopBound(source, to: actor)
            source.left = keys.count
            for key in keys {
                _ = actor.spawn { actor in await bound.on(actor).want(key) }
            }
            while source.left > 0 { try await actor.loop.sleep(nanoseconds: 2_000_000) }
            return (source.outcomes, source.readings)
        }
    }

    @Test func manyRequestsAtOnceShareOneReading() async throws {
        let found = try await wanting(Array(repeating: "new", count: 200), [["new"]])
        #expect(found.outcomes == ["known": 200] && found.readings == 1)
    }

    @Test func whoeverComesDuringAReadingSharesTheNext() async throws {
        // The first began before the key was made.
        let found = try await wanting(
            Array(repeating: "new", count: 200),
            [["old"], ["old", "new"]]
        )
        #expect(found.outcomes == ["known": 199, "unknown": 1] && found.readings == 2)
    }

    @Test func forgedKeysAreAskedForTwiceHoweverManyComeAtOnce() async throws {
        let found = try await wanting((0..<200).map { "forged \($0)" }, [["real"]])
        #expect(found.outcomes == ["unknown": 200] && found.readings == 2)
    }

    @Test func aReadingThatFailsIsMadeAgain() async throws {
        let found = try await wanting(Array(repeating: "new", count: 50), [nil, nil, ["new"]])
        #expect(found.outcomes == ["known": 48, "unsure": 2] && found.readings == 3)
    }

    @Test func whereNobodyCanSayItIsReadTenTimesASecond() async throws {
        let found = try await wanting(Array(repeating: "new", count: 50), [nil])
        #expect(found.outcomes == ["unsure": 10, "unavailable": 40] && found.readings == 10)
    }
}
