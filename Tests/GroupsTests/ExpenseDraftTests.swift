import JSONCodec
import Testing
import WalletProtocol

@testable import GroupsService

@Suite struct ExpenseDraftTests {
    private let members = (1...4).map { ID<Member>(high: 0, low: $0) }
    private let stranger = ID<Member>(high: 0, low: 9)

    private func draft(
        _ amount: Int64,
        paid: [(ID<Member>, Int64)]? = nil,
        _ kind: SplitKind? = nil,
        _ parts: [(ID<Member>, String?)] = []
    ) throws(APIError) -> ExpenseDraft {
        let body = NewExpense(
            name: "Rent",
            amount: Money(minorUnits: amount, .eur),
            paidBy: paid?.map {
                MemberAmount(memberID: $0.0, amount: Money(minorUnits: $0.1, .eur))
            },
            split: kind.map { kind in
                Split(
                    kind: kind,
                    parts: parts.map {
                        SplitPart(memberID: $0.0, value: $0.1.flatMap { ExactDecimal($0) })
                    }
                )
            }
        )
        return try ExpenseDraft(
            body,
            by: .inTests(as: members[0]),
            members: Set(members),
            today: Period.ever.start
        )
    }

    private func faults(_ make: () throws(APIError) -> ExpenseDraft) -> [String] {
        do throws(APIError) {
            _ = try make()
            return []
        } catch { return error.errors.map { "\($0.pointer) \($0.code.text)" } }
    }

    @Test func withoutASplitThePayersBearIt() throws {
        let mine = try draft(100)
        #expect(mine.payments == mine.shares && mine.debts.isEmpty)
        let ours = try draft(100, paid: [(members[1], 60), (members[2], 40)])
        #expect(ours.shares.map(\.amount) == [60, 40] && ours.debts.isEmpty)
    }

    @Test func everyKindOfSplitSumsToTheAmount() throws {
        let all = members.map { ($0, String?.none) }
        let equal = try draft(1_001, .equal, all)
        // 0001-01-01 is day -719162; with 1001, the fourth begins.
        #expect(equal.shares.map(\.amount) == [250, 250, 250, 251])
        let exact = try draft(1_000, .exact, [(members[0], "2.5"), (members[1], "7.50")])
        #expect(exact.shares.map(\.amount) == [250, 750])
        let percent = try draft(
            1_000,
            .percent,
            [
                (members[0], "33.333333"), (members[1], "33.333333"),
                (members[2], "33.333334"),
            ]
        )
        #expect(percent.shares.map(\.amount) == [333, 333, 334])
        let shares = try draft(
            1_000,
            .shares,
            [(members[0], "2"), (members[1], "1"), (members[2], "0")]
        )
        #expect(shares.shares.map(\.amount) == [667, 333, 0])
        #expect(shares.debts.map(\.amount.minorUnits) == [333])
        let halves = try draft(1_000, .shares, [(members[0], "0.5"), (members[1], "1.25")])
        #expect(halves.shares.map(\.amount) == [286, 714])
    }

    @Test func partsOfMoneyThatCameBackHaveItsSign() throws {
        let (one, two) = (members[0], members[1])
        let equal = try draft(-100, .equal, members.prefix(3).map { ($0, String?.none) })
        #expect(equal.shares.map(\.amount).sorted() == [-34, -33, -33])
        #expect(equal.debts.allSatisfy { $0.debtor == one && $0.amount.isPositive })
        let adjusted = try draft(-100, .adjustment, [(one, "-0.20"), (two, nil)])
        #expect(adjusted.shares.map(\.amount) == [-60, -40])
        let apart = faults { () throws(APIError) in
            try draft(-100, .adjustment, [(one, "0.60"), (two, nil)])
        }
        #expect(apart == [])
        let turned = faults { () throws(APIError) in
            try draft(-100, .adjustment, [(one, "1.20"), (two, nil)])
        }
        #expect(turned == ["/split/parts/0/value out-of-range"])
        let exact = faults { () throws(APIError) in
            try draft(-100, paid: [(one, 100)], .exact, [(one, "1.00"), (two, "0.00")])
        }
        #expect(
            exact == ["/paidBy/0/amount/amount out-of-range", "/split/parts/0/value out-of-range"]
        )
    }

    @Test func decimalsOfAValueAreLimited() {
        func faults(_ kind: String, _ value: String) -> [String] {
            let body = """
                {"name": "Rent", "amount": {"amount": "1.00", "currency": "EUR"}, "split": {
                "kind": "\(kind)", "parts": [{"memberId": "\(members[0].text)",
                "value": "\(value)"}]}}
                """
            do throws(JSONFault) {
                _ = try JSON.value(of: Array(body.utf8)) as NewExpense
            } catch {
                guard case .invalid(let errors) = error else { return ["malformed"] }
                return errors.map { "\($0.pointer) \($0.code.text) \($0.detail)" }
            }
            return []
        }
        let pointer = "/split/parts/0/value invalid-decimal"
        #expect(faults("shares", "0.25") == [])
        #expect(faults("shares", "0.255") == ["\(pointer) must have at most 2 decimals"])
        #expect(faults("percent", "99.999999") == [])
        #expect(faults("percent", "1.0000001") == ["\(pointer) must have at most 6 decimals"])
        #expect(faults("exact", "0.1234567") == [])
    }

    @Test func editOfWordsMovesNoOddUnit() throws {
        let parts = members.map { ($0, String?.none) }
        let made = try draft(1_001, .equal, parts)
        let old = ExpenseView(
            id: ID(high: 0, low: 1),
            groupID: ID(high: 0, low: 1),
            name: "Rent",
            amount: made.amount,
            date: made.day,
            paidBy: [MemberAmount(memberID: members[0], amount: made.amount)],
            split: Split(kind: .equal, parts: members.map { SplitPart(memberID: $0) }),
            shares: zip(members, [251, 250, 250, 250]).map { member, units in
                MemberAmount(memberID: member, amount: Money(minorUnits: units, .eur))
            },
            categoryID: .others(of: ID(high: 0, low: 1)),
            addedBy: members[0],
            version: 1,
            createdAt: .now()
        )
        let renamed = ExpenseChange(name: .set("Flat")).applied(to: old)
        #expect(made.keepingShares(of: old, under: renamed).shares.map(\.amount)[0] == 251)
        let turned = ExpenseChange(split: .set(Split(kind: .equal, parts: []))).applied(to: old)
        #expect(made.keepingShares(of: old, under: turned) == made)
    }

    /// More debts than a removal would take back whole.
    @Test func aBillFallsOnNoMoreThanAGroupHas() throws {
        let many = (1...201).map { ID<Member>(high: 1, low: $0) }
        func bill(_ count: Int) throws(APIError) -> ExpenseDraft {
            let items = many.prefix(count).map {
                SplitItem(name: nil, amount: Money(minorUnits: 1, .eur), memberIDs: [$0])
            }
            return try ExpenseDraft(
                NewExpense(
                    name: "Feast",
                    amount: Money(minorUnits: Int64(count), .eur),
                    split: Split(kind: .itemised, parts: [], items: items)
                ),
                by: .inTests(as: many[0]),
                members: Set(many),
                today: Period.ever.start
            )
        }
        #expect(try bill(200).shares.count == 200)
        #expect(faults { () throws(APIError) in try bill(201) } == ["/split/items too-many"])
    }

    @Test func everyBadFieldIsNamed() {
        let (one, two) = (members[0], members[1])
        let unknown = faults { () throws(APIError) in
            try draft(
                100,
                paid: [(stranger, 100)],
                .equal,
                [(one, nil), (one, nil), (stranger, nil)]
            )
        }
        let expected = [
            "/paidBy/0/memberId unknown-reference", "/split/parts/1/memberId duplicate",
            "/split/parts/2/memberId unknown-reference",
        ]
        #expect(unknown == expected)
        let sums = faults { () throws(APIError) in
            try draft(100, paid: [(one, 99)], .exact, [(one, "0.99")])
        }
        #expect(sums == ["/paidBy sum-mismatch", "/split/parts sum-mismatch"])
        let percent = faults { () throws(APIError) in
            try draft(100, .percent, [(one, "99.9"), (two, "0.0")])
        }
        #expect(percent == ["/split/parts sum-mismatch"])
        let values = faults { () throws(APIError) in
            try draft(100, .shares, [(one, "0.555"), (two, "-1"), (members[2], nil)])
        }
        let expectedValues = [
            "/split/parts/0/value out-of-range", "/split/parts/1/value negative",
            "/split/parts/2/value required",
        ]
        #expect(values == expectedValues)
        let zero = faults { () throws(APIError) in try draft(100, .shares, [(one, "0")]) }
        #expect(zero == ["/split/parts out-of-range"])
        let digits = faults { () throws(APIError) in try draft(100, .exact, [(one, "0.999")]) }
        #expect(digits == ["/split/parts/0/value invalid-amount"])
        let equal = faults { () throws(APIError) in try draft(100, .equal, [(one, "1")]) }
        #expect(equal == ["/split/parts/0/value conflict"])
        let large = faults { () throws(APIError) in
            try draft(100, .exact, [(one, "10000000000000.00"), (two, "0.01")])
        }
        #expect(large == ["/split/parts sum-mismatch"])
        let larger = faults { () throws(APIError) in
            try draft(100, .exact, [(one, "92233720368547758.07"), (two, "10000000000000.01")])
        }
        #expect(
            larger == [
                "/split/parts/0/value amount-too-large", "/split/parts/1/value amount-too-large",
            ]
        )
    }
}
