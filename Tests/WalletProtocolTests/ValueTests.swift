import Foundation
import Synchronization
import TestKit
import Testing
import WalletProtocol

@Suite struct IDTests {
    @Test func areMonotonicAndOfVersionSeven() {
        var last = ID<User>(high: 0, low: 0)
        for _ in 0..<50_000 {
            let id = ID<User>.new()
            #expect(last < id)
            #expect(id.high >> 12 & 15 == 7)
            #expect(id.low >> 62 == 2)
            last = id
        }
        let now = Instant.now().microseconds
        #expect(abs(last.instant.microseconds - now) < 60_000_000)
    }

    @Test func areMonotonicAndUniqueOverThreads() {
        let all = Mutex<[[ID<User>]]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let mine = (0..<20_000).map { _ in ID<User>.new() }
            all.withLock { $0.append(mine) }
        }
        let lists = all.withLock { $0 }
        for list in lists {
            #expect(zip(list, list.dropFirst()).allSatisfy { $0 < $1 })
        }
        let highs = lists.flatMap { $0.map(\.high) }
        #expect(Set(highs).count == highs.count)
    }

    @Test func textAndBytesGiveBackTheIdentifier() {
        let id = ID<Account>.new()
        #expect(ID<Account>(id.text) == id)
        #expect(ID<Account>(id.text.uppercased()) == id)
        #expect(ID<Account>(bytes: id.bytes) == id)
        #expect(ID<Account>(bytes: id.bytes.dropLast()) == nil)
        #expect(UUID(uuidString: id.text)?.uuidString.lowercased() == id.text)
        let text = "0190a5c2-7b1e-7c3a-9f00-1234567890ab"
        #expect(ID<Account>(text)?.text == text)
        let wrong = [
            "", "0190a5c27b1e7c3a9f001234567890ab", "{\(text)}", text + "0", " " + text.dropFirst(),
            "0190a5c2-7b1e-7c3a-9f00-1234567890ag", "0190a5c2+7b1e-7c3a-9f00-1234567890ab",
            "0190a5c-27b1e-7c3a-9f00-1234567890ab", "٠190a5c2-7b1e-7c3a-9f00-1234567890a",
        ]
        for text in wrong { #expect(ID<Account>(text) == nil, "\(text)") }
    }
}

@Suite struct CalendarTests {
    private let gregorian: Calendar = {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        return calendar
    }()

    @Test func everyDayOfFourCenturiesReadsBackAndFollowsTheOneBefore() throws {
        let first = try #require(Day("1799-12-31"))
        var last = first
        for offset in 1...146_500 {
            let day = try #require(first.adding(days: offset))
            let (year, month, number) = day.parts
            guard Day(year: year, month: month, day: number) == day, Day(day.text) == day,
                last < day, day.weekday == last.weekday % 7 + 1
            else {
                Issue.record("\(day)")
                return
            }
            last = day
        }
    }

    @Test(arguments: seeds)
    func agreesWithFoundation(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            // From 1583 on Foundation's calendar is Gregorian too.
            let days = Int.random(in: -141_000...2_932_896, using: &random)
            let day = try #require(Day(daysSince1970: days))
            let date = Date(timeIntervalSince1970: Double(days) * 86_400)
            let parts = gregorian.dateComponents([.year, .month, .day], from: date)
            #expect(day.parts.year == parts.year && day.parts.month == parts.month, "seed \(seed)")
            #expect(day.parts.day == parts.day, "seed \(seed)")
        }
    }

    @Test func daysThatAreNotThereAreRefused() {
        for text in [
            "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2026-1-01",
            "0000-01-01", "10000-01-01", "2026/01/01", "2026-01-01T", "", "-026-01-01", "20260101",
        ] {
            #expect(Day(text) == nil, "\(text)")
        }
        #expect(Day("2000-02-29") != nil)
        #expect(Day("0001-01-01")?.adding(days: -1) == nil)
        #expect(Day("9999-12-31")?.adding(days: 1) == nil)
        #expect(Day("9999-12-31")?.adding(days: .max) == nil)
        #expect(Day("2026-11-21")?.weekday == 6)
    }

    @Test func monthEndsAreKept() throws {
        let end = try #require(Day("2026-01-31"))
        #expect(end.adding(months: 1)?.text == "2026-02-28")
        #expect(end.adding(months: 2)?.text == "2026-03-31")
        #expect(end.adding(months: 25)?.text == "2028-02-29")
        #expect(end.adding(months: -2)?.text == "2025-11-30")
        #expect(end.adding(months: .max) == nil)
        #expect(Month("2026-12")?.adding(1)?.text == "2027-01")
        #expect(Month("0001-01")?.adding(-1) == nil)
        #expect(Month("9999-12")?.adding(1) == nil)
        #expect(Month("2024-02")?.lastDay.text == "2024-02-29")
        for text in ["2026-13", "2026-00", "2026-1", "2026-011", ""] { #expect(Month(text) == nil) }
    }

    @Test func instantsReadBackAndKeepTheirMicroseconds() throws {
        #expect(Instant(microseconds: 0).text == "1970-01-01T00:00:00Z")
        #expect(Instant(microseconds: -1).text == "1969-12-31T23:59:59.999999Z")
        #expect(Instant(microseconds: 1_500_000).text == "1970-01-01T00:00:01.500Z")
        #expect(Instant("2026-03-01T00:30:00+01:00")?.text == "2026-02-28T23:30:00Z")
        #expect(Instant("2026-03-01T00:00:00.123456789Z")?.text == "2026-03-01T00:00:00.123456Z")
        for text in [
            "2026-03-01T00:00:00", "2026-03-01 00:00:00Z", "2026-03-01T24:00:00Z",
            "2026-03-01T00:60:00Z", "2026-03-01T00:00:60Z", "2026-03-01T00:00:00.Z",
            "2026-03-01T00:00:00.1234567890Z", "2026-03-01T00:00:00+24:00", "",
            "2026-03-01T00:00:00z", "2026-03-01T00:00:00ZZ", "2026-02-30T00:00:00Z",
            "2026-03-01T00:00:00+0100", "2026-03-01T00:00Z",
            "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+00:01",
        ] {
            #expect(Instant(text) == nil, "\(text)")
        }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let range: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999
            let instant = Instant(microseconds: .random(in: range, using: &random))
            #expect(Instant(instant.text) == instant)
        }
        #expect(Instant(microseconds: .max).adding(seconds: 1).microseconds == .max)
        #expect(Instant(microseconds: 0).adding(seconds: .min).microseconds == .min)
        #expect(Instant(secondsSince1970: .max).microseconds == .max)
        #expect(Instant(secondsSince1970: -1).text == "1969-12-31T23:59:59Z")
        #expect(Day(utc: Instant(microseconds: -1))?.text == "1969-12-31")
        #expect(Instant(microseconds: .min).text.hasPrefix("0001-01-01"))
        #expect(Instant(microseconds: .max).text.hasPrefix("9999-12-31"))
    }
}
