import WalletProtocol

/// Changes, summed by the cell that they are of, and in it by day; in the order of cells.
struct MonthSums {
    /// What a month's cell is found by.
    struct Key: Hashable {
        let owner: ID<CellOwner>
        let currency: Currency
        let month: Day
        let category: CategoryID
        let account: ID<Account>
        let isIncome: Bool
    }

    struct Sum: Equatable {
        var amount: Int128 = 0
        var parts: Int64 = 0
        var transactions: Int64 = 0

        static func += (left: inout Sum, right: Sum) {
            left.amount += right.amount
            left.parts += right.parts
            left.transactions += right.transactions
        }
    }

    struct Cell {
        let key: Key
        var sum: Sum
        /// Where its days stand, from 1.
        var days: ClosedRange<Int32>
    }

    /// Those of which something changes.
    private(set) var cells: [Cell] = []
    /// Of each day which of the month it is, amount, parts and transactions.
    private(set) var days: [Int64] = []

    init(_ changes: [CellChange]) {
        let changes = changes.map { (key: Key($0), day: $0.day, sum: Sum($0)) }
            .sorted { ($0.key, $0.day) < ($1.key, $1.day) }
        var next = 0
        while next < changes.count {
            let (key, day, _) = changes[next]
            var sum = Sum()
            while next < changes.count, changes[next].day == day, changes[next].key == key {
                sum += changes[next].sum
                next += 1
            }
            if sum != Sum() { append(sum, on: day, of: key) }
        }
    }

    private mutating func append(_ sum: Sum, on day: Day, of key: Key) {
        let (number, low) = (Int64(day.parts.day), Int32(days.count + 1))
        // What 64 bits do not hold stands there in pieces.
        var rest = sum.amount
        repeat {
            let piece = Int64(clamping: rest)
            rest -= Int128(piece)
            days += [number, piece]
            days += rest == 0 ? [sum.parts, sum.transactions] : [0, 0]
        } while rest != 0
        let high = Int32(days.count)
        if let last = cells.indices.last, cells[last].key == key {
            cells[last].sum += sum
            cells[last].days = cells[last].days.lowerBound...high
        } else {
            cells.append(Cell(key: key, sum: sum, days: low...high))
        }
    }
}

extension MonthSums.Key: Comparable {
    init(_ change: CellChange) {
        owner = change.owner
        currency = change.amount.currency
        month = change.day.month.firstDay
        category = change.category
        account = change.account
        isIncome = change.amount.minorUnits >= 0
    }

    /// As the index has it, whoever writes.
    static func < (left: Self, right: Self) -> Bool {
        if left.owner != right.owner { return left.owner < right.owner }
        if left.currency != right.currency { return left.currency < right.currency }
        if left.month != right.month { return left.month < right.month }
        if left.category != right.category { return left.category < right.category }
        if left.account != right.account { return left.account < right.account }
        return !left.isIncome && right.isIncome
    }
}

extension MonthSums.Sum {
    init(_ change: CellChange) {
        amount = Int128(change.amount.minorUnits) * Int128(change.sign)
        parts = Int64(change.sign)
        transactions = change.part == 0 ? Int64(change.sign) : 0
    }
}
