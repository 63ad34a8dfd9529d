import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// A bank's own history of an account, cut at random days into files.
private struct BankHistory {
    struct File {
        let days: Range<Int>
        let bytes: [UInt8]
        /// Nil for a CSV without balances.
        let closing: Int64?
        let opening: Int64
    }

    let opening: Int64
    /// The amounts of each day.
    var days: [[Int64]] = []
    var files: [File] = []

    init(_ random: inout SeededGenerator, overlapping: Bool) {
        opening = Int64.random(in: -5_000...5_000, using: &random)
        for _ in 0..<Int.random(in: 8...30, using: &random) {
            let count = Int.random(in: 0...3, using: &random)
            days.append((0..<count).map { _ in Int64.random(in: -9...9, using: &random) * 100 })
        }
        var start = 0
        while start < days.count {
            let end = min(days.count, start + Int.random(in: 1...8, using: &random))
            let more = overlapping ? Int.random(in: 0...4, using: &random) : 0
            let isCSV = !overlapping && Int.random(in: 0..<4, using: &random) == 0
            files.append(
                file(start..<min(days.count, end + more), isCSV, Bool.random(using: &random))
            )
            start = end
        }
    }

    func balance(before day: Int) -> Int64 {
        days.prefix(day).joined().reduce(opening, +)
    }

    private static func day(_ number: Int) -> Day {
        Day(daysSince1970: 19_783 + number) ?? .utc(.now())
    }

    private func file(_ range: Range<Int>, _ isCSV: Bool, _ isOpenedBefore: Bool) -> File {
        let rows = range.flatMap { day in
            days[day].filter { $0 != 0 }.map { (day: Self.day(day), amount: $0) }
        }
        let opening = balance(before: range.lowerBound)
        if isCSV, !rows.isEmpty {
            let lines = rows.map { row in
                let sign = row.amount < 0 ? "-" : ""
                return "\(row.day.text),Shop,\(sign)\(row.amount.magnitude / 100).00\n"
            }
            let text = "Date,Payee,Amount\n" + lines.joined()
            return File(days: range, bytes: Array(text.utf8), closing: nil, opening: opening)
        }
        let compact = { (day: Day) in String(day.text.dropFirst(2).filter { $0 != "-" }) }
        let statement = TestStatement(
            opening: opening,
            rows: rows.map { .init(day: compact($0.day), amount: $0.amount, name: "Shop") },
            from: compact(Self.day(range.lowerBound - (isOpenedBefore ? 1 : 0))),
            to: compact(Self.day(range.upperBound - 1))
        )
        return File(
            days: range,
            bytes: statement.bytes,
            closing: balance(before: range.upperBound),
            opening: opening
        )
    }

    /// What the account was opened with, by some of the files.
    func opening(by files: [File]) -> Int64 {
        let stated = files.filter { $0.closing != nil }
        guard let oldest = stated.min(by: { $0.days.lowerBound < $1.days.lowerBound }) else {
            return 0
        }
        let earlier = files.filter { $0.days.lowerBound < oldest.days.lowerBound }
        return oldest.opening - earlier.map(sum).reduce(0, +)
    }

    func sum(_ file: File) -> Int64 { days[file.days].joined().reduce(0, +) }

    /// How many of the closing balances that are looked at the account differs from.
    func differences(_ files: [File], with file: File) -> Int {
        let newest = files.filter { $0.closing != nil }.max {
            $0.days.upperBound < $1.days.upperBound
        }
        var asked = [file].filter { $0.closing != nil }
        if let newest, newest.days != file.days { asked.append(newest) }
        let opening = opening(by: files)
        return asked.count { one in
            let before = files.filter { $0.days.upperBound <= one.days.upperBound }
            return before.map(sum).reduce(opening, +) != one.closing
        }
    }
}

/// Random statements, cut at random days, in random order.
@Suite struct AccountOpeningHistoryTests {
    @Test(arguments: [1, 2, UInt64.random(in: 0...UInt64.max)])
    func overlappingFilesInAnyOrderEndInTheBanksBalance(_ seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var random = SeededGenerator(seed: seed)
            let ada = try await books.person()
            for _ in 0..<4 {
                let bank = BankHistory(&random, overlapping: true)
                let account = try await books.account(of: ada, .wallet)
                var last: ID<StatementImport>?
                for file in bank.files.shuffled(using: &random) {
                    let id = try await books.preview(file.bytes, into: account, of: ada)
                    let shown = try await books.differences(id)
                    #expect(try await books.commit(id) == "committed", "seed \(seed)")
                    #expect(try await books.differences(id) == shown, "seed \(seed)")
                    last = id
                }
                let end = bank.balance(before: bank.days.count)
                #expect(try await books.balance(account) == end, "seed \(seed)")
                if let last {
                    #expect(try await books.differences(last) == [], "seed \(seed)")
                }
            }
            try await books.check("seed \(seed)")
        }
    }

    @Test(arguments: [1, 2, UInt64.random(in: 0...UInt64.max)])
    func filesThatComeAndGoLeaveWhatTheOthersSay(_ seed: UInt64) async throws {
        try await LedgerRig().run { _, books in
            var random = SeededGenerator(seed: seed)
            let ada = try await books.person()
            let bank = BankHistory(&random, overlapping: false)
            let account = try await books.account(of: ada, .wallet)
            var standing: [Int: ID<StatementImport>] = [:]
            for step in 0..<40 {
                // The last steps bring all that is missing.
                let absent = bank.files.indices.filter { standing[$0] == nil }
                if step >= 25, absent.isEmpty { break }
                let file = step < 25 ? bank.files.indices.randomElement(using: &random) : absent[0]
                guard let file else { break }
                let note = Comment(rawValue: "seed \(seed), step \(step)")
                if let id = standing[file] {
                    #expect(try await books.withdraw(id) == "withdrawn", note)
                    standing[file] = nil
                } else {
                    let bytes = bank.files[file].bytes
                    let id = try await books.preview(bytes, into: account, of: ada)
                    let shown = try await books.differences(id)
                    #expect(try await books.commit(id) == "committed", note)
                    #expect(try await books.differences(id) == shown, note)
                    standing[file] = id
                    let files = standing.keys.map { bank.files[$0] }
                    let expected = bank.differences(files, with: bank.files[file])
                    #expect(shown.count == expected, note)
                }
                let files = standing.keys.map { bank.files[$0] }
                let held = files.map(bank.sum).reduce(bank.opening(by: files), +)
                #expect(try await books.balance(account) == held, note)
            }
            #expect(try await books.balance(account) == bank.balance(before: bank.days.count))
            try await books.check("seed \(seed)")
            for id in standing.values { #expect(try await books.withdraw(id) == "withdrawn") }
            #expect(try await books.balance(account) == 0)
            #expect(try await books.openings(of: account) == [])
        }
    }
}
