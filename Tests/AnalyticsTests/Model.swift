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
    }
    struct Figures: Equatable {
        var amounts: [Int128] = []
        var users: Set<ID<User>> = []
    }

    var people: [ID<User>: Person] = [:]
    var divisions: [CategoryID: Coicop?] = [:]
    var transactions: [ID<MoneyTransaction>: TransactionPosted] = [:]

    /// Euro's worth in minor units of a currency is `rate`; no rate is nil.
    static func rate(_ currency: Currency, _ day: Day) -> ExactDecimal? {
        guard day.daysSince1970 % 7 != 0 else { return nil }
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

    func summary(_ scope: ReportScope) -> Sums {
        sums(scope) { _ in true }
    }

    private func sums(
        _ scope: ReportScope,
        where isWanted: (TransactionPosted) -> Bool
    ) -> Sums {
        var sums = Sums()
        var seen: Set<ID<MoneyTransaction>> = []
        for transaction in counted(scope.period)
        where transaction.userID == scope.user && isWanted(transaction)
            && (scope.accounts.isEmpty || scope.accounts.contains(transaction.accountID))
            && (scope.categories.isEmpty || scope.categories.contains(transaction.categoryID))
        {
            if seen.insert(transaction.transactionID).inserted { sums.count += 1 }
            let amount = transaction.amount
            guard
                let units = Self.converted(amount, to: scope.currency, on: transaction.day)
            else {
                sums.missing[amount.currency, default: 0] += Int128(amount.minorUnits)
                continue
            }
            if units > 0 { sums.income += units } else { sums.expenses -= units }
        }
        return sums
    }

    /// Each category's sum one way, of what has a rate.
    func categories(_ scope: ReportScope, _ direction: Direction) -> [CategoryID: Int128] {
        var totals: [CategoryID: Int128] = [:]
        for transaction in transactions.values.flatMap(Self.parts) {
            let id = transaction.categoryID
            guard totals[id] == nil else { continue }
            let sums = sums(scope) {
                $0.categoryID == id && !$0.amount.isNegative == (direction == .incoming)
            }
            let missing = sums.missing.isEmpty ? 0 : sums.missing.count
            guard sums.count > missing || (sums.income + sums.expenses) > 0 else { continue }
            totals[id] = sums.income + sums.expenses
        }
        return totals
    }

    func insights(_ scope: InsightScope) -> [[String?]: Figures] {
        var cells: [[String?]: Figures] = [:]
        for transaction in counted(scope.period)
        where !transaction.amount.isNegative == (scope.direction == .incoming) {
            let words = coordinates(of: transaction)
            let passes = zip(SpendingDimension.allCases, words).allSatisfy { dimension, word in
                scope.accepts(word, of: dimension)
            }
            guard passes else { continue }
            let key = zip(SpendingDimension.allCases, words).map { dimension, word in
                scope.groupBy.contains(dimension) ? word : nil
            }
            guard
                let units = Self.converted(
                    transaction.amount,
                    to: scope.currency,
                    on: transaction.day
                )
            else { continue }
            cells[key, default: Figures()].amounts.append(abs(units))
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
