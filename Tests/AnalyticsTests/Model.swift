import WalletProtocol

@testable import AnalyticsService

/// What analytics should answer, worked out from the transactions that count and nothing else.
struct Model {
    struct Person {
        var area: String?
        var dateOfBirth: Day?
    }
    /// A converted sum one way, and what has no rate.
    struct Sums: Equatable {
        var income: Int128 = 0
        var expenses: Int128 = 0
        var count = 0
        var missing: [Currency: Int128] = [:]
        /// Whether anything is in the sums, be it nothing.
        var hasConverted = false
    }
    /// What is told together, in euro.
    struct Figures: Equatable {
        /// By the month, and each value of a filter, that a sum is of.
        var parts: [[String]: [Int128]] = [:]
        var users: Set<ID<User>> = []

        /// The amounts of all parts, in order.
        var amounts: [Int128] { parts.values.flatMap(\.self).sorted() }
    }

    /// Something booked, as reports count it.
    struct Booking {
        let transaction: ID<MoneyTransaction>
        let account: ID<Account>
        let category: CategoryID
        let amount: Money
        let day: Day
    }

    var people: [ID<User>: Person] = [:]
    /// What each category stands below.
    var parents: [CategoryID: CategoryID] = [:]
    var expenses: [ID<Group>: [ID<Expense>: Booking]] = [:]
    var divisions: [CategoryID: Coicop?] = [:]
    var transactions: [ID<MoneyTransaction>: TransactionPosted] = [:]

    /// Euro's worth in minor units of a currency is `rate`; no rate is nil.
    static func rate(_ currency: Currency, _ day: Day) -> ExactDecimal? {
        // Of every other month each day has rates.
        guard day.daysSince1970 % 7 != 0 || day.month.month % 2 == 0 else { return nil }
        let wobble = Int64(day.daysSince1970 % 100)
        switch currency.code {
        case "EUR": return ExactDecimal(coefficient: 1, scale: 0)
        case "USD": return ExactDecimal(coefficient: 10_800 + wobble, scale: 4)
        case "JPY": return ExactDecimal(coefficient: 15_123 + wobble, scale: 2)
        default: return nil
        }
    }

    static func table(_ day: Day) throws(APIError) -> RateTable {
        var rates: [String: ExactDecimal] = [:]
        for code in ["USD", "JPY"] {
            guard let currency = Currency(code), let rate = rate(currency, day) else { continue }
            rates[code] = rate
        }
        guard !rates.isEmpty else { throw APIError(.rateUnavailable) }
        return RateTable(base: .eur, day: day, source: "ECB", rates: rates)
    }

    /// The amount in another currency at the day's rate, halves to even; nil without a rate.
    static func converted(_ amount: Money, to target: Currency, on day: Day) -> Int128? {
        if amount.currency == target { return Int128(amount.minorUnits) }
        guard let from = rate(amount.currency, day), let to = rate(target, day) else { return nil }
        let over = Int128(from.coefficient) * power(amount.currency.exponent + to.scale)
        let value = Int128(to.coefficient) * power(target.exponent + from.scale)
        let size = halfEven(Int128(amount.minorUnits.magnitude) * value, over: over)
        return amount.isNegative ? -size : size
    }

    /// A quotient of numbers that are not negative; halves go to the even neighbour.
    static func halfEven(_ value: Int128, over divisor: Int128) -> Int128 {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        let goesUp = rest * 2 > divisor || (rest * 2 == divisor && quotient % 2 == 1)
        return quotient + (goesUp ? 1 : 0)
    }

    private static func power(_ exponent: Int) -> Int128 {
        (0..<exponent).reduce(Int128(1)) { product, _ in product * 10 }
    }

    private func counted(_ period: Period) -> [TransactionPosted] {
        transactions.values.filter {
            !$0.isOwnTransfer && period.from <= $0.day && $0.day <= period.to
        }.flatMap(Self.parts)
    }

    /// What is split, as one transaction for each of its lines, all with its id.
    private static func parts(of whole: TransactionPosted) -> [TransactionPosted] {
        guard let lines = whole.lines else { return [whole] }
        return lines.map { line in
            TransactionPosted(
                source: JournalLine(entryID: .new(), place: 1),
                transactionID: whole.transactionID,
                version: whole.version,
                kind: whole.kind,
                userID: whole.userID,
                accountID: whole.accountID,
                accountKind: whole.accountKind,
                amount: line.amount,
                day: whole.day,
                categoryID: line.categoryID,
                coicop: line.coicop,
                transferID: whole.transferID,
                isOwnTransfer: whole.isOwnTransfer,
                recordedAt: whole.recordedAt
            )
        }
    }

    /// What counts of somebody's, or of a group's, in a report.
    private func bookings(_ scope: ReportScope) -> [Booking] {
        let all: [Booking] =
            switch scope.subject {
            case .group(let group): expenses[group].map { Array($0.values) } ?? []
            case .person(let user):
                counted(scope.period).filter { $0.userID == user }.map { posting in
                    Booking(
                        transaction: posting.transactionID,
                        account: posting.accountID,
                        category: posting.categoryID,
                        amount: posting.amount,
                        day: posting.day
                    )
                }
            }
        return all.filter { booking in
            let isIncome = !booking.amount.isNegative
            let units = Self.converted(booking.amount, to: scope.currency, on: booking.day)
            return scope.period.from <= booking.day && booking.day <= scope.period.to
                && (scope.accounts.isEmpty || scope.accounts.contains(booking.account))
                && (scope.categories.isEmpty || scope.categories.contains(booking.category))
                && (scope.direction == nil || isIncome == (scope.direction == .incoming))
                && (!scope.isByAmount || units != nil)
                && Int128(scope.least ?? 0) <= abs(units ?? 0)
                && abs(units ?? 0) <= Int128(scope.most ?? .max)
        }
    }

    func summary(_ scope: ReportScope) -> Sums { sums(bookings(scope), scope) }

    /// The same by category.
    func categories(_ scope: ReportScope) -> [CategoryID: Sums] {
        Dictionary(grouping: bookings(scope), by: \.category).mapValues { sums($0, scope) }
    }

    /// The same by category at the top.
    func tops(_ scope: ReportScope) -> [CategoryID: Sums] {
        Dictionary(grouping: bookings(scope)) { parents[$0.category] ?? $0.category }
            .mapValues { sums($0, scope) }
    }

    private func sums(_ bookings: [Booking], _ scope: ReportScope) -> Sums {
        var sums = Sums()
        for booking in bookings {
            let amount = booking.amount
            guard let units = Self.converted(amount, to: scope.currency, on: booking.day) else {
                sums.missing[amount.currency, default: 0] += Int128(amount.minorUnits)
                continue
            }
            sums.hasConverted = true
            if units > 0 { sums.income += units } else { sums.expenses -= units }
        }
        sums.count = Set(bookings.map(\.transaction)).count
        return sums
    }

    /// What an amount of a month in euro is told as in a currency: at the mean of its days' rates,
    /// of which each has one.
    static func told(_ amount: Int128, of month: Month, in currency: Currency) -> Int128 {
        let days = (0...month.firstDay.days(to: month.lastDay)).compactMap {
            month.firstDay.adding(days: $0)
        }
        let rates = days.compactMap { Self.rate(currency, $0) }
        let sum = rates.reduce(Int128(0)) { $0 + Int128($1.coefficient) * power(4 - $1.scale) }
        let over = Int128(rates.count) * power(Currency.eur.exponent + 4)
        // To twelve places.
        let mean = (sum * power(currency.exponent + 12) * 2 + over) / (over * 2)
        return halfEven(amount * mean, over: power(12))
    }

    /// - Parameter months: those that are released.
    func insights(_ scope: InsightScope, in months: [Month]) -> [[String?]: Figures] {
        var cells: [[String?]: Figures] = [:]
        for transaction in counted(scope.period)
        where !transaction.amount.isNegative == (scope.direction == .incoming)
            && months.contains(transaction.day.month)
        {
            let words = coordinates(of: transaction)
            let passes = zip(SpendingDimension.allCases, words).allSatisfy { dimension, word in
                scope.accepts(word, of: dimension)
            }
            guard passes else { continue }
            let key = zip(SpendingDimension.allCases, words).map { dimension, word in
                scope.groupBy.contains(dimension) ? word : nil
            }
            guard let units = Self.converted(transaction.amount, to: .eur, on: transaction.day)
            else { continue }
            let part = zip(SpendingDimension.allCases, words).compactMap { dimension, word in
                guard dimension != .month else { return transaction.day.month.text }
                return scope.summands(of: dimension)?.first {
                    $0 == word || word.hasPrefix($0 + "-")
                }
            }
            cells[key, default: Figures()].parts[part, default: []].append(abs(units))
            cells[key, default: Figures()].users.insert(transaction.userID)
        }
        return cells
    }

    private func coordinates(of transaction: TransactionPosted) -> [String] {
        let person = people[transaction.userID]
        let division =
            divisions[transaction.categoryID] ?? transaction.coicop
        return [
            division?.rawValue ?? "none", person?.area ?? "unknown",
            ageBand(person?.dateOfBirth, on: transaction.day), transaction.day.month.text,
            transaction.accountKind.rawValue, transaction.amount.currency.code,
        ]
    }

    private func ageBand(_ birth: Day?, on day: Day) -> String {
        guard let birth, birth <= day else { return "unknown" }
        let (born, now) = (birth.parts, day.parts)
        let hadBirthday = (now.month, now.day) >= (born.month, born.day)
        let age = now.year - born.year - (hadBirthday ? 0 : 1)
        let bands = [(65, "65+"), (55, "55-64"), (45, "45-54"), (35, "35-44"), (25, "25-34")]
        return bands.first { age >= $0.0 }?.1 ?? (age >= 18 ? "18-24" : "0-17")
    }
}
