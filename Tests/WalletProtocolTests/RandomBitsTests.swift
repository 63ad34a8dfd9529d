import Foundation
import Synchronization
import Testing

@testable import WalletProtocol

/// Random bits by the buffer.
@Suite struct RandomBitsTests {
    @Test func eachIsHandedOutOnceAndWiped() {
        var drawn: UInt64 = 0
        let bits = RandomBits { words in
            #expect(words.allSatisfy { $0 == 0 }, "what was handed out is wiped")
            for index in words.indices {
                drawn += 1
                words[index] = drawn
            }
        }
        var seen = Set<UInt64>()
        for turn in 1...1_000 {
            let word = bits.next()
            #expect(word > 0 && seen.insert(word).inserted, "\(turn)")
            #expect(!bits.words.contains(word), "\(turn)")
            #expect(bits.words.count { $0 != 0 } == Int(drawn) - turn, "\(turn)")
        }
        // As many as were asked for, and never fewer than a buffer.
        #expect(drawn == 1_024)
    }

    @Test func theSystemFillsTheWholeBuffer() {
        let bits = RandomBits()
        _ = bits.next()
        // That one of 255 words of 64 bits is zero has a chance of 1 in 10^16.
        #expect(bits.words.dropLast().allSatisfy { $0 != 0 })
        #expect(bits.words.last == 0)
        #expect(Set(bits.words).count == RandomBits.wordsMax)
    }

    @Test func aBufferBelongsToOneThread() {
        let all = Mutex<[ObjectIdentifier]>([])
        let group = DispatchGroup()
        let (arrived, meet) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                let one = RandomBits.ofThread
                #expect(one === RandomBits.ofThread)
                all.withLock { $0.append(ObjectIdentifier(one)) }
                arrived.signal()
                // Each lives until all have one, so that none is made where another was.
                meet.wait()
                group.leave()
            }
        }
        for _ in 0..<4 { arrived.wait() }
        for _ in 0..<4 { meet.signal() }
        group.wait()
        #expect(all.withLock { Set($0).count } == 4)
    }

    @Test func identifiersOfAllThreadsDifferAndRiseOnEach() {
        let all = Mutex<[[ID<Account>]]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let made = (0..<5_000).map { _ in ID<Account>.new() }
            all.withLock { $0.append(made) }
        }
        let made = all.withLock { $0 }
        for run in made { #expect(run == run.sorted()) }
        let ids = made.flatMap { $0 }
        #expect(Set(ids).count == 40_000)
        #expect(Set(ids.map(\.low)).count == 40_000, "the random half differs, too")
        #expect(ids.allSatisfy { $0.high >> 12 & 0xF == 7 && $0.low >> 62 == 2 }, "RFC 9562")
    }
}
