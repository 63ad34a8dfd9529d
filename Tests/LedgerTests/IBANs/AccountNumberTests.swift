import Testing

@testable import LedgerService

/// Account numbers that come in no order, and none twice.
@Suite struct AccountNumberTests {
    @Test(arguments: 1...4)
    func eachNumberComesOnce(digits: Int) {
        for key in ["a", "b"] {
            let numbers = AccountNumbers(key: Array(key.utf8), digits: digits)
            let room = (0..<digits).reduce(UInt64(1)) { room, _ in room * 10 }
            let made = (0..<room).compactMap(numbers.scattered)
            #expect(made.count == Int(room))
            #expect(Set(made).count == Int(room))
            #expect(made.allSatisfy { $0 < room })
            #expect(numbers.scattered(room) == nil)
        }
    }

    @Test(arguments: [10, 18, 23])
    func neighboursAreFarFromEachOther(digits: Int) {
        let numbers = AccountNumbers(key: Array("key".utf8), digits: digits)
        let others = AccountNumbers(key: Array("another".utf8), digits: digits)
        let made = (1...2_000 as ClosedRange<UInt64>).compactMap(numbers.scattered)
        #expect(Set(made).count == 2_000)
        let sorted = made.sorted()
        #expect(made != sorted)
        // Of 2,000 in 10^10 hardly two stand side by side.
        let close = zip(sorted, sorted.dropFirst()).filter { $1 - $0 < 100 }
        #expect(close.count < 5)
        let same = zip(made, (1...2_000 as ClosedRange<UInt64>).compactMap(others.scattered))
            .filter { $0 == $1 }
        #expect(same.count < 3)
        // The leading digits are used, too.
        #expect(Set(made.map { $0 / (sorted[1_999] / 10) }).count >= 10)
    }

    /// What was handed out once is never handed out to another after an update.
    @Test func aKeyMakesTheSameNumbersForEver() {
        let numbers = AccountNumbers(key: Array("key".utf8), digits: 10)
        let expected: [UInt64] = [5_138_631_141, 9_745_222_429, 9_867_071_986]
        #expect((1...3).compactMap { numbers.scattered($0) } == expected)
    }
}
