import WalletProtocol

@testable import LedgerService

/// What children may spend, told again without a database: what stands, and the limits.
struct LimitModel {
    /// What a transaction says: an amount for each category that it names.
    struct Line: Hashable {
        var day: Day
        var parts: [Part]
        var isSplit: Bool

        var amount: Int64 { parts.reduce(0) { $0 + $1.amount } }
    }
    struct Part: Hashable {
        var category: CategoryID
        var amount: Int64
    }
    /// What an element does to what stands.
    enum Change {
        case adds(ID<MoneyTransaction>, Line)
        case ends(ID<MoneyTransaction>)
        case revises(ID<MoneyTransaction>, Line)
    }

    let monthStart: Int
    var standing: [ID<MoneyTransaction>: Line] = [:]
    var limits: [(category: CategoryID?, amount: Int64)] = []

    init(monthStart: Int) { self.monthStart = monthStart }

    /// A month, counted from the year zero.
    func month(of day: Day) -> Int {
        let parts = day.parts
        return parts.year * 12 + parts.month - (parts.day < monthStart ? 1 : 0)
    }

    func spent(_ category: CategoryID?, in month: Int) -> Int64 {
        var sum: Int64 = 0
        for line in standing.values where self.month(of: line.day) == month {
            for part in line.parts where part.amount < 0 {
                if category == nil || part.category == category { sum -= part.amount }
            }
        }
        return sum
    }

    /// What becomes of changes that stand or fall together.
    mutating func decide(_ changes: [Change]) -> [PostingStatus] {
        let before = self
        for (index, change) in changes.enumerated() {
            var months: [Int] = []
            switch change {
            case .adds(let id, let line), .revises(let id, let line):
                standing[id] = line
                months = [month(of: line.day)]
            case .ends(let id): standing[id] = nil
            }
            let isOver = months.contains { month in
                limits.contains { limit in
                    let now = spent(limit.category, in: month)
                    return now > limit.amount && now > before.spent(limit.category, in: month)
                }
            }
            guard isOver else { continue }
            self = before
            return changes.indices.map { $0 == index ? .limitExceeded : .chainFailed }
        }
        return changes.map { _ in .posted }
    }
}
