import Schedules
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService
@testable import WalletProtocol

/// Which days of an order are due, against a model that looks at every day by itself.
@Suite struct StandingOrderDayTests {
    /// Whether a day is one of a rule's, by nothing but the calendar.
    private func isDue(_ day: Day, by rule: RecurrenceRule, from anchor: Day) -> Bool {
        guard day >= anchor, rule.until.map({ day <= $0 }) ?? true else { return false }
        let (first, this) = (anchor.parts, day.parts)
        let months = (this.year - first.year) * 12 + this.month - first.month
        let isLast = day.adding(days: 1)?.parts.month != this.month
        // The 31st is the last day of a shorter month.
        let isTheDay = this.day == first.day || (isLast && this.day < first.day)
        switch rule.unit {
        case .day: return anchor.days(to: day) % rule.every == 0
        case .week: return anchor.days(to: day) % (7 * rule.every) == 0
        case .month: return isTheDay && months % rule.every == 0
        case .year: return isTheDay && months % (12 * rule.every) == 0
        }
    }

    private func rule(
        until: Day?,
        _ random: inout SeededGenerator
    ) throws -> RecurrenceRule {
        RecurrenceRule(
            every: Int.random(in: 1...3, using: &random),
            unit: try #require(RecurrenceUnit.allCases.randomElement(using: &random)),
            until: Bool.random(using: &random) ? until : nil
        )
    }

    private func order(_ rule: RecurrenceRule, from anchor: Day) -> StoredOrder {
        var order = StoredOrder(
            id: .new(),
            user: .new(),
            from: .new(),
            to: .new(),
            isOwn: true,
            target: .eur,
            amount: Money(minorUnits: 100, .eur),
            rule: rule,
            anchor: anchor,
            isProved: true,
            createdAt: .now()
        )
        order.nextDay = rule.day(0, from: anchor)
        return order
    }

    private func change(
        _ rule: Replace<RecurrenceRule> = .unchanged,
        isPaused: Replace<Bool> = .unchanged,
        reference: Patch<String> = .unchanged
    ) -> StandingOrderChange {
        StandingOrderChange(
            amount: .unchanged,
            reference: reference,
            rule: rule,
            isPaused: isPaused
        )
    }

    /// Day by day, with downtime, pauses and other rules between: what is paid are the days that
    /// the rule of the time names, late where nobody was up, and none that passed in a pause.
    @Test(arguments: ledgerSeeds)
    func whatIsPaidAreTheDaysOfTheRule(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let begin = try #require(
                Day(daysSince1970: 20_000 + Int.random(in: 0...800, using: &random))
            )
            let anchor = try #require(begin.adding(days: Int.random(in: 0...40, using: &random)))
            let until = anchor.adding(days: Int.random(in: 0...900, using: &random))
            var order = order(try rule(until: until, &random), from: anchor)
            var (paid, wanted): ([Day], [Day]) = ([], [])
            var owed: [Day] = []
            for passed in 0..<900 {
                let today = try #require(begin.adding(days: passed))
                if order.isActive, isDue(today, by: order.rule, from: anchor) { owed.append(today) }
                // Nobody is up on one day of five.
                if Int.random(in: 0..<5, using: &random) > 0 {
                    while order.isActive, let day = order.nextDay, day <= today {
                        paid.append(day)
                        order.advance()
                    }
                    wanted += owed
                    owed = []
                }
                guard Int.random(in: 0..<30, using: &random) == 0 else { continue }
                let other = try rule(until: until, &random)
                let isPaused = Bool.random(using: &random)
                let wasActive = order.isActive
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    _ = try order.take(change(.set(other)), last: paid.last, today: today)
                    owed = []
                    if order.isActive, paid.last != today, isDue(today, by: other, from: anchor) {
                        owed = [today]
                    }
                default:
                    _ = try order.take(
                        change(isPaused: .set(isPaused)),
                        last: paid.last,
                        today: today
                    )
                    if isPaused { owed = [] }
                    if !isPaused, !wasActive, paid.last != today,
                        isDue(today, by: order.rule, from: anchor)
                    {
                        owed = [today]
                    }
                }
            }
            while order.isActive, let day = order.nextDay, let end = begin.adding(days: 899),
                day <= end
            {
                paid.append(day)
                order.advance()
            }
            wanted += owed
            #expect(paid == wanted, "seed \(seed)")
            #expect(Set(paid).count == paid.count, "seed \(seed)")
        }
    }

    @Test func aChangeOfNothingWritesNothing() throws {
        let day = try #require(Day("2026-01-31"))
        var order = order(RecurrenceRule(every: 1, unit: .month), from: day)
        #expect(try order.take(change(), last: nil, today: day) == false)
        #expect(order.next(3).map(\.date.text) == ["2026-01-31", "2026-02-28", "2026-03-31"])
    }

    /// Composed, a reference may have more characters than it was sent with.
    @Test func aReferenceIsBoundedAsItIsKept() throws {
        let day = try #require(Day("2026-01-31"))
        var order = order(RecurrenceRule(every: 1, unit: .month), from: day)
        func refer(_ text: String) -> StandingOrderChange { change(reference: .set(text)) }
        let fits = String(repeating: "a", count: 140)
        #expect(try order.take(refer(fits), last: nil, today: day) && order.reference == fits)
        #expect(throws: APIError.self) {
            try order.take(
                refer(String(repeating: "\u{1D15E}", count: 140)),
                last: nil,
                today: day
            )
        }
    }
}
