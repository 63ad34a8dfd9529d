import WalletProtocol

/// What must hold of an expense, every breach by its field.
struct ExpenseChecks {
    let amount: Money
    let day: Day
    let members: Set<ID<Member>>
    var errors: [FieldError] = []

    mutating func fail(_ pointer: String, _ code: FieldCode, _ detail: String) {
        errors.note(pointer, code, detail)
    }

    /// What is told of one of another shape: beside that, who and what is named and is not there.
    ///
    /// No sum is looked at, and no field in which something could not be read.
    mutating func refusal(of body: NewExpense, _ faults: [FieldError]) -> APIError {
        checkMembers(body.paidBy?.map(\.memberID) ?? [], at: "/paidBy")
        checkMembers(body.split?.parts.map(\.memberID) ?? [], at: "/split/parts")
        for (index, item) in (body.split?.items ?? []).enumerated() {
            checkMembers(item.memberIDs, at: "/split/items/\(index)/memberIds", field: "")
        }
        let read = errors.filter { error in
            !faults.contains { $0.topField == error.topField }
        }
        return APIError(.invalidBody, errors: faults + read)
    }

    mutating func checkCategory(
        _ category: ID<GroupCategory>?,
        _ known: Set<ID<GroupCategory>>
    ) {
        guard let category, !known.contains(category) else { return }
        fail("/categoryId", .unknownReference, "is no category of the group")
    }

    /// It comes again, and was not to do so too often before today.
    mutating func checkRecurrence(_ rule: RecurrenceRule?, from first: Day, today: Day) {
        guard let rule else { return }
        if amount.isNegative { fail("/recurrence", .conflict, "is not for money that came back") }
        if let fault = rule.fault(from: first) { errors.append(fault) }
        if rule.number(after: today, from: first) > RecurringExpense.passedMax {
            let detail = "has more than \(RecurringExpense.passedMax) days that have passed"
            fail("/recurrence", .outOfRange, detail)
        }
    }

    /// Whoever names an account of their own has paid from it, once.
    mutating func checkLink(
        _ body: NewExpense,
        by member: ID<Member>,
        _ payments: [ExpenseDraft.Part]
    ) {
        guard body.accountID != nil else {
            if body.ownCategoryID != nil {
                fail("/ownCategoryId", .conflict, "is for what an account of yours has paid")
            }
            return
        }
        if body.rule != nil {
            fail("/accountId", .conflict, "is not for what comes again: link each that it becomes")
        } else if !payments.contains(where: { $0.member == member }) {
            fail("/accountId", .conflict, "is for who paid: you paid nothing of it")
        }
    }

    /// Everybody is in the group, and named once.
    mutating func checkMembers(
        _ named: [ID<Member>],
        at pointer: String,
        field: String = "/memberId"
    ) {
        var seen: Set<ID<Member>> = []
        for (index, member) in named.enumerated() {
            if !members.contains(member) {
                fail("\(pointer)/\(index)\(field)", .unknownReference, "is nobody in the group")
            } else if !seen.insert(member).inserted {
                fail("\(pointer)/\(index)\(field)", .duplicate, "is named above already")
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
            } else if amount.isNegative, !part.amount.isNegative {
                fail("\(pointer)/amount", .outOfRange, "must be below zero, as the expense is")
            } else if !amount.isNegative, !part.amount.isPositive {
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
        if split.kind == .itemised { return itemised(split) }
        if split.parts.isEmpty { fail("/split/parts", .required, "somebody must bear it") }
        if split.items != nil { fail("/split/items", .conflict, "are for an itemised split") }
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

    /// A part's value as whole units: minor units, billionths of a percent, hundredths of a share.
    private mutating func value(of part: SplitPart, _ index: Int, _ kind: SplitKind) -> Int64? {
        let pointer = "/split/parts/\(index)/value"
        guard let value = part.value else {
            switch kind {
            case .equal: return 1
            case .adjustment: return 0
            case .exact, .percent, .shares, .itemised:
                fail(pointer, .required, "is needed for this kind of split")
                return nil
            }
        }
        let isOfExpense = kind == .exact && amount.isNegative
        if value.coefficient < 0, kind != .adjustment, !isOfExpense {
            fail(pointer, .negative, "must not be below zero")
            return nil
        }
        if value.coefficient > 0, isOfExpense {
            fail(pointer, .outOfRange, "must not be above zero, for the expense is below it")
            return nil
        }
        switch kind {
        case .equal, .itemised: fail(pointer, .conflict, "this kind of split takes no values")
        case .exact, .adjustment:
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
            fail(pointer, .outOfRange, "must be at most 100 percent")
        case .shares:
            if let units = value.units(scale: Self.sharesScale) { return units }
            fail(pointer, .outOfRange, "must be fewer shares")
        }
        return nil
    }

    /// Values that are stored already have up to nine decimals.
    private static let percentScale = 9
    private static let sharesScale = 2
    private static let wholePercent: Int64 = 100_000_000_000

    private var turn: Division.Turn { Division.Turn(on: day, amount.minorUnits) }

    private mutating func divide(_ values: [Int64], _ split: Split) -> [Int64] {
        switch split.kind {
        case .exact:
            checkSum(values, at: "/split/parts")
            return values
        case .adjustment: return adjusted(values)
        case .percent where values.reduce(0, +) != Self.wholePercent:
            fail("/split/parts", .sumMismatch, "the percentages must sum to 100")
            return []
        case .equal, .percent, .shares, .itemised:
            do throws(Division.Failure) {
                return try Division.proportional(
                    amount.minorUnits,
                    weights: values,
                    turn: turn
                )
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

    /// The same for each of what is left without the adjustments, and theirs on top.
    private mutating func adjusted(_ adjustments: [Int64]) -> [Int64] {
        let rest = Self.sum(adjustments).map { amount.minorUnits.subtractingReportingOverflow($0) }
        guard let rest, !rest.overflow, isBorne(rest.partialValue),
            let equal = try? Division.equal(
                rest.partialValue,
                among: adjustments.count,
                turn: turn
            )
        else {
            fail("/split/parts", .sumMismatch, "the adjustments come to more than the expense")
            return []
        }
        let shares = zip(equal, adjustments).map { Self.sum([$0, $1]) }
        for (index, share) in shares.enumerated() where share.map({ !isBorne($0) }) ?? true {
            let pointer = "/split/parts/\(index)/value"
            fail(pointer, .outOfRange, "leaves them less than nothing to bear")
        }
        return shares.map { $0 ?? 0 }
    }

    /// Whether a part has the expense's sign, or is nothing.
    private func isBorne(_ part: Int64) -> Bool {
        part == 0 || (part < 0) == amount.isNegative
    }

    /// What each had, and in proportion to it what the expense is above or below the bill's lines.
    private mutating func itemised(_ split: Split) -> [ExpenseDraft.Part] {
        let before = errors.count
        let items = split.items ?? []
        if items.isEmpty { fail("/split/items", .required, "is needed for this kind of split") }
        if !split.parts.isEmpty { fail("/split/parts", .conflict, "the items say who bears it") }
        for (index, item) in items.enumerated() {
            let pointer = "/split/items/\(index)"
            if item.amount.currency != amount.currency {
                fail("\(pointer)/amount/currency", .currencyMismatch, "is not the expense's")
            }
            checkMembers(item.memberIDs, at: "\(pointer)/memberIds", field: "")
        }
        guard errors.count == before else { return [] }
        var order: [ID<Member>] = []
        var had: [ID<Member>: Int64] = [:]
        for item in items {
            let amounts = try? Division.equal(
                item.amount.minorUnits,
                among: item.memberIDs.count,
                turn: Division.Turn(on: day, item.amount.minorUnits)
            )
            for (member, part) in zip(item.memberIDs, amounts ?? []) {
                if had[member] == nil { order.append(member) }
                had[member] = Self.sum([had[member] ?? 0, part]) ?? .max
            }
        }
        if order.count > GroupStore.membersMax {
            fail("/split/items", .tooMany, "at most \(GroupStore.membersMax) bear one expense")
        }
        let parts = order.map { had[$0] ?? 0 }
        guard parts.allSatisfy({ isBorne($0) }) else {
            fail("/split/items", .outOfRange, "leave somebody less than nothing to bear")
            return []
        }
        // The one magnitude that does not fit is too much with any other.
        let weights = parts.map { Int64(clamping: $0.magnitude) }
        let shares = try? Division.proportional(amount.minorUnits, weights: weights, turn: turn)
        guard let shares else {
            fail("/split/items", .outOfRange, "come to nothing, or to too much")
            return []
        }
        return zip(order, shares).map { ExpenseDraft.Part(member: $0, amount: $1) }
    }

    private mutating func checkSum(_ amounts: [Int64], at pointer: String) {
        if Self.sum(amounts) != amount.minorUnits {
            fail(pointer, .sumMismatch, "the amounts must sum to the expense")
        }
    }

    /// Nothing where it does not fit.
    private static func sum(_ amounts: [Int64]) -> Int64? {
        var sum: Int64 = 0
        for amount in amounts {
            let (next, overflow) = sum.addingReportingOverflow(amount)
            if overflow { return nil }
            sum = next
        }
        return sum
    }
}

extension FieldError {
    /// The body's own field that it is in.
    fileprivate var topField: Substring? { pointer.split(separator: "/").first }
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
