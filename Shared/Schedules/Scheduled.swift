public import WalletProtocol

/// What comes on the days of a rule, one after another.
public protocol Scheduled {
    var rule: RecurrenceRule { get }
    /// The day from which all are counted.
    var anchor: Day { get }
    /// The one to come; its day is absent behind the end.
    var nextNumber: Int { get set }
    var nextDay: Day? { get set }
    var isActive: Bool { get }
}

extension Scheduled {
    /// The days to come, none where it rests.
    public func next(_ count: Int) -> [NextOccurrence] {
        guard isActive, nextDay != nil else { return [] }
        return (nextNumber..<nextNumber + count).compactMap { number in
            rule.day(number, from: anchor).map { NextOccurrence(number: number, date: $0) }
        }
    }

    /// When a worker has to look at it: as its next day begins where its owner is.
    public func lookAt(in zone: String) -> Instant? {
        guard isActive, let nextDay else { return nil }
        return nextDay.start(in: zone)
    }

    /// Goes on to the day behind the next.
    public mutating func advance() {
        nextNumber += 1
        nextDay = rule.day(nextNumber, from: anchor)
    }

    /// Goes on behind a day by the rule as it is now; the first may be to come still.
    public mutating func goOn(after day: Day) {
        nextNumber = anchor > day ? 0 : rule.number(after: day, from: anchor)
        nextDay = rule.day(nextNumber, from: anchor)
    }

    /// Goes on from today: what has passed is not made up for, and no day comes twice.
    /// - Parameter last: the newest day that has come.
    public mutating func goOn(from today: Day, last: Day?) {
        let yesterday = today.adding(days: -1) ?? today
        goOn(after: max(last ?? yesterday, yesterday))
    }
}
