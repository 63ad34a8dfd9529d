import WalletProtocol

/// An expense that has been read and divided: who paid and who bears how much, each side summing to
/// the amount.
struct ExpenseDraft: Sendable, Hashable {
    /// One member's part of a side.
    struct Part: Sendable, Hashable {
        let member: ID<Member>
        let amount: Int64
        /// What a share was made from, as written.
        var value: ExactDecimal?
    }
    let name: String
    let description: String?
    let amount: Money
    let day: Day
    let splitKind: SplitKind?
    let payments: [Part]
    let shares: [Part]

    /// Reads an expense that a member of a group writes down.
    /// - Throws: 422 naming every bad field.
    init(
        _ body: NewExpense,
        by member: ID<Member>,
        members: Set<ID<Member>>,
        today: Day
    ) throws(APIError) {
        var checks = ExpenseChecks(amount: body.amount, members: members)
        name = body.name
        description = body.description
        amount = body.amount
        day = body.date ?? today
        splitKind = body.split?.kind
        payments = checks.payments(body.paidBy, by: member)
        shares = body.split.map { checks.shares($0) } ?? payments
        guard checks.errors.isEmpty else { throw APIError(.invalidBody, errors: checks.errors) }
    }

    /// What it makes each owe each.
    var debts: [MemberDebt] {
        let members = Array(Set((payments + shares).map(\.member))).sorted()
        var paid = [Int64](repeating: 0, count: members.count)
        var owed = paid
        for (index, member) in members.enumerated() {
            paid[index] = payments.first { $0.member == member }?.amount ?? 0
            owed[index] = shares.first { $0.member == member }?.amount ?? 0
        }
        return Debts.pairwise(paid: paid, owed: owed).map { payment in
            MemberDebt(
                debtor: members[payment.debtor],
                creditor: members[payment.creditor],
                amount: Money(minorUnits: payment.amount, amount.currency)
            )
        }
    }
}

/// What must hold of an expense, every breach by its field.
private struct ExpenseChecks {
    let amount: Money
    let members: Set<ID<Member>>
    var errors: [FieldError] = []

    mutating func fail(_ pointer: String, _ code: FieldCode, _ detail: String) {
        errors.append(FieldError(pointer: pointer, code: code, detail: detail))
    }

    /// Everybody is in the group, and named once.
    mutating func checkMembers(_ named: [ID<Member>], at pointer: String) {
        var seen: Set<ID<Member>> = []
        for (index, member) in named.enumerated() {
            if !members.contains(member) {
                fail("\(pointer)/\(index)/memberId", .unknownReference, "is nobody in the group")
            } else if !seen.insert(member).inserted {
                fail("\(pointer)/\(index)/memberId", .duplicate, "is named above already")
            }
        }
    }

    mutating func payments(
        _ paidBy: [MemberAmount]?,
        by member: ID<Member>
    ) -> [ExpenseDraft.Part] {
        guard let paidBy else {
            return [ExpenseDraft.Part(member: member, amount: amount.minorUnits)]
        }
        let before = errors.count
        checkMembers(paidBy.map(\.memberID), at: "/paidBy")
        for (index, part) in paidBy.enumerated() {
            let pointer = "/paidBy/\(index)/amount"
            if part.amount.currency != amount.currency {
                fail("\(pointer)/currency", .currencyMismatch, "is not the expense's")
            } else if !part.amount.isPositive {
                fail("\(pointer)/amount", .notPositive, "must be above zero")
            }
        }
        if errors.count == before {
            checkSum(paidBy.map(\.amount.minorUnits), at: "/paidBy")
        }
        return paidBy.map {
            ExpenseDraft.Part(member: $0.memberID, amount: $0.amount.minorUnits)
        }
    }

    mutating func shares(_ split: Split) -> [ExpenseDraft.Part] {
        let before = errors.count
        checkMembers(split.parts.map(\.memberID), at: "/split/parts")
        var values: [Int64] = []
        for (index, part) in split.parts.enumerated() {
            values.append(value(of: part, index, split.kind) ?? 0)
        }
        guard errors.count == before else { return [] }
        let amounts = divide(values, split)
        return zip(split.parts, amounts).map { part, amount in
            ExpenseDraft.Part(member: part.memberID, amount: amount, value: part.value)
        }
    }

    /// A part's value as whole units: minor units, billionths of a percent, shares.
    private mutating func value(of part: SplitPart, _ index: Int, _ kind: SplitKind) -> Int64? {
        let pointer = "/split/parts/\(index)/value"
        guard let value = part.value else {
            if kind != .equal { fail(pointer, .required, "is needed for this kind of split") }
            return 1
        }
        if value.coefficient < 0 {
            fail(pointer, .negative, "must not be below zero")
            return nil
        }
        switch kind {
        case .equal: fail(pointer, .conflict, "an equal split takes no values")
        case .exact:
            if let money = value.money(in: amount.currency), !money.isBeyondSent {
                return money.minorUnits
            }
            value.scale > amount.currency.exponent
                ? fail(pointer, .invalidAmount, "has more digits than the currency")
                : fail(pointer, .amountTooLarge, Money.tooLarge)
        case .percent:
            if let units = value.units(scale: Self.percentScale), units <= Self.wholePercent {
                return units
            }
            fail(pointer, .outOfRange, "must be a percentage of at most 9 decimals")
        case .shares:
            if value.scale == 0 { return value.coefficient }
            fail(pointer, .notWhole, "must be a whole number of shares")
        }
        return nil
    }

    private static let percentScale = 9
    private static let wholePercent: Int64 = 100_000_000_000

    private mutating func divide(_ values: [Int64], _ split: Split) -> [Int64] {
        switch split.kind {
        case .exact:
            checkSum(values, at: "/split/parts")
            return values
        case .percent where values.reduce(0, +) != Self.wholePercent:
            fail("/split/parts", .sumMismatch, "the percentages must sum to 100")
            return []
        case .equal, .percent, .shares:
            do throws(Division.Failure) {
                return try Division.proportional(amount.minorUnits, weights: values)
            } catch {
                switch error {
                case .noWeight: fail("/split/parts", .outOfRange, "somebody must bear it")
                case .negative(let index):
                    fail("/split/parts/\(index)/value", .negative, "must not be below zero")
                case .overflow: fail("/split/parts", .outOfRange, "too many shares")
                }
                return []
            }
        }
    }

    private mutating func checkSum(_ amounts: [Int64], at pointer: String) {
        var sum: Int64? = 0
        for amount in amounts {
            let (next, overflow) = (sum ?? 0).addingReportingOverflow(amount)
            sum = overflow || sum == nil ? nil : next
        }
        if sum != amount.minorUnits {
            fail(pointer, .sumMismatch, "the amounts must sum to the expense")
        }
    }
}

extension ExactDecimal {
    /// So many units of 10 to minus `scale`; nil where it has more decimals, or does not fit.
    fileprivate func units(scale: Int) -> Int64? {
        guard self.scale <= scale else { return nil }
        var units = coefficient
        for _ in self.scale..<scale {
            let (product, overflow) = units.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            units = product
        }
        return units
    }
}
