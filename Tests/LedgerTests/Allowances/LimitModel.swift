import WalletProtocol

@testable import LedgerService

/// What children may spend, worked out without a database, cent by cent.
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
    /// A cent that counts, in the month in which it was booked.
    struct Cent: Hashable {
        let month: Int
        let category: CategoryID
    }
    /// What counts of a transaction.
    struct Counted: Hashable {
        /// In the order in which they were counted.
        var cents: [Cent] = []
        /// Cents that were renamed, in the category where they were.
        var named: [Cent] = []
    }

    let monthStart: Int
    /// The category above one.
    let parents: [CategoryID: CategoryID]
    var month = 0
    var standing: [ID<MoneyTransaction>: Line] = [:]
    var counted: [ID<MoneyTransaction>: Counted] = [:]
    var limits: [(category: CategoryID?, amount: Int64)] = []

    init(monthStart: Int, parents: [CategoryID: CategoryID]) {
        self.monthStart = monthStart
        self.parents = parents
    }

    /// A month, counted from the year zero.
    func month(of day: Day) -> Int {
        let parts = day.parts
        return parts.year * 12 + parts.month - (parts.day < monthStart ? 1 : 0)
    }

    func spent(_ category: CategoryID?, in month: Int) -> Int64 {
        var sum = 0
        for one in counted.values {
            sum += one.cents.count { $0.month == month && isBelow(category, $0.category) }
            guard let category else { continue }
            sum += one.named.count { $0.month == month && $0.category == category }
        }
        return Int64(sum)
    }

    private func isBelow(_ scope: CategoryID?, _ category: CategoryID) -> Bool {
        guard let scope else { return true }
        return category == scope || parents[category] == scope
    }

    /// What becomes of changes that stand or fall together: an edit is an end and the next version.
    mutating func decide(_ changes: [Change]) -> [PostingStatus] {
        let before = self
        for (index, change) in changes.enumerated() {
            switch change {
            case .adds(let id, let line), .revises(let id, let line):
                standing[id] = line
                count(line, of: id)
            case .ends(let id):
                standing[id] = nil
                let next = index + 1 < changes.count ? changes[index + 1] : nil
                if case .adds(id, _) = next { continue }
                counted[id] = nil
            }
            let months = Set(counted.values.flatMap { ($0.cents + $0.named).map(\.month) })
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

    private mutating func count(_ line: Line, of id: ID<MoneyTransaction>) {
        let old = counted[id] ?? Counted()
        var parts: [CategoryID: Int] = [:]
        for part in line.parts where part.amount < 0 { parts[part.category] = Int(-part.amount) }
        // What stood keeps its month, and goes before what is raised.
        let labels = [false, true].flatMap { isRaised in
            parts.keys.sorted().flatMap { category in
                let had = old.cents.count { $0.category == category }
                let (now, stood) = (parts[category] ?? 0, min(had, parts[category] ?? 0))
                return Array(repeating: category, count: isRaised ? now - stood : stood)
            }
        }
        var months = old.cents.map(\.month).sorted().prefix(labels.count)
        months += Array(repeating: month, count: labels.count - months.count)
        var new = Counted(cents: zip(months, labels).map { Cent(month: $0, category: $1) })
        let scopes = Set(old.cents.map(\.category) + old.named.map(\.category))
        for scope in scopes.union(scopes.compactMap { parents[$0] }) {
            let had =
                old.cents.count { isBelow(scope, $0.category) }
                + old.named.count { $0.category == scope }
            let has = new.cents.count { isBelow(scope, $0.category) }
            let kept = max(min(had, labels.count) - has, 0)
            new.named += months.prefix(kept).map { Cent(month: $0, category: scope) }
        }
        counted[id] = new.cents.isEmpty ? nil : new
    }
}
