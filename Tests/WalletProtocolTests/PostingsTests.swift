import TestKit
import Testing

@testable import WalletProtocol

/// Postings travel in columns, and come out as the rows that went in.
@Suite struct PostingsTests {
    private func line(
        _ place: Int64,
        _ random: inout SeededGenerator
    ) throws -> TransactionPosted {
        let currency = try #require(Currency.all.randomElement(using: &random))
        let units = Int64.random(in: .min + 1 ... .max, using: &random)
        let isSplit = Int.random(in: 0..<4, using: &random) == 0
        return TransactionPosted(
            source: JournalLine(
                entryID: .new(),
                place: place,
                sequence: Bool.random(using: &random) ? units.magnitude > 9 ? 9 : 1 : nil,
                traceParent: Bool.random(using: &random) ? "00-\(place)-b7ad6b7169203331-01" : nil
            ),
            transactionID: .new(),
            version: Int.random(in: 1...1_000_000, using: &random),
            kind: Bool.random(using: &random) ? .posted : .reversed,
            userID: .new(),
            accountID: .new(),
            accountKind: try #require(AccountKind.allCases.randomElement(using: &random)),
            amount: Money(minorUnits: units, currency),
            day: try #require(Day(daysSince1970: Int.random(in: 0...40_000, using: &random))),
            categoryID: .new(),
            coicop: Bool.random(using: &random) ? Coicop.allCases.randomElement() : nil,
            transferID: Bool.random(using: &random) ? .new() : nil,
            isOwnTransfer: Bool.random(using: &random),
            lines: isSplit
                ? [PostedLine(categoryID: .new(), amount: Money(minorUnits: 5, currency))] : nil,
            isUncounted: !isSplit && Bool.random(using: &random),
            recordedAt: Instant(
                microseconds: Int64.random(in: 0...4_000_000_000_000_000, using: &random)
            )
        )
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func whatGoesInComesOut(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var rows: [TransactionPosted] = []
        var place: Int64 = 0
        for _ in 0..<Int.random(in: 0...30, using: &random) {
            place += Int64.random(in: 0...3, using: &random)
            place = max(place, 1)
            rows.append(try line(place, &random))
        }
        let covers = place > 0 ? [1...place + 2] : []
        let body = Postings(covers: covers, rows: rows)
        let read = try JSON.read(Postings.self, from: JSON.write(body))
        #expect(read == body, "seed \(seed)")
        #expect(try read.rows() == rows, "seed \(seed)")
        #expect(try read.covers() == covers, "seed \(seed)")
    }

    @Test func columnsOfDifferentLengthsAreNoPostings() throws {
        var random = SeededGenerator(seed: 1)
        let body = Postings(covers: [3...4], rows: [try line(3, &random), try line(4, &random)])
        let tree = try JSON.read(JSONTree.self, from: JSON.write(body))
        for name in ["entryId", "amount", "ownTransfer", "recordedAt", "day"] {
            let odd = try JSON.read(
                Postings.self,
                from: JSON.write(tree.setting(name, .array([])))
            )
            #expect(throws: APIError.self) { try odd.rows() }
        }
    }

    @Test func aPostingOutsideOfWhatIsCoveredOrOutOfOrderIsNone() throws {
        var random = SeededGenerator(seed: 2)
        let rows = [try line(3, &random), try line(5, &random)]
        let odd: [[ClosedRange<Int64>]] = [[3...4], [1...2, 4...9], []]
        for covers in odd {
            #expect(throws: APIError.self) { try Postings(covers: covers, rows: rows).rows() }
        }
        let turned = Postings(covers: [1...9], rows: rows.reversed())
        #expect(throws: APIError.self) { try turned.rows() }
        #expect(try Postings(covers: [3...3, 5...7], rows: rows).rows() == rows)
    }

    @Test func coversAscendAndLeaveOneAnotherAlone() throws {
        for (from, through) in [([0], [1]), ([4], [3]), ([1, 2], [2, 3]), ([1], [1, 2])] {
            let body = Postings(covers: [], rows: [])
            let tree = try JSON.read(JSONTree.self, from: JSON.write(body))
                .setting("coversFrom", JSONTree.array(from.map { .integer(Int64($0)) }))
                .setting("coversThrough", JSONTree.array(through.map { .integer(Int64($0)) }))
            let odd = try JSON.read(Postings.self, from: JSON.write(tree))
            #expect(throws: APIError.self) { try odd.covers() }
        }
    }
}
