import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

@Suite struct DebtsTests {
    private func balances(_ random: inout SeededGenerator, count: Int) -> [Int64] {
        var balances = [Int64](repeating: 0, count: count)
        for _ in 0..<Int.random(in: 0...3 * count, using: &random) {
            let amount = random.amount(upTo: 1 << 50)
            balances[Int.random(in: 0..<count, using: &random)] += amount
            balances[Int.random(in: 0..<count, using: &random)] -= amount
        }
        return balances
    }

    @Test func simplifiedPaymentsClearEveryBalance() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<3_000 {
            let place: Comment = "seed \(seed), round \(round)"
            var open = balances(&random, count: Int.random(in: 1...12, using: &random))
            let openCount = open.count { $0 != 0 }
            let owed = open.filter { $0 > 0 }.reduce(0, +)
            let payments = Debts.simplified(open)
            #expect(payments == Debts.simplified(open), place)
            #expect(payments.count <= max(0, openCount - 1), place)
            #expect(payments.map(\.amount).reduce(0, +) == owed, place)
            for payment in payments {
                #expect(payment.amount > 0, place)
                // Nobody is made to pay who is owed, and nobody gets what is not theirs.
                #expect(open[payment.debtor] < 0 && open[payment.creditor] > 0, place)
                open[payment.debtor] += payment.amount
                open[payment.creditor] -= payment.amount
            }
            #expect(open.allSatisfy { $0 == 0 }, place)
        }
    }

    /// Each zero-sum circle saves one payment: the most of them, found by trying every partition.
    private func fewest(_ balances: [Int64]) -> Int {
        let open = balances.filter { $0 != 0 }
        func circles(_ left: [Int64]) -> Int {
            guard let first = left.first else { return 0 }
            let others = left.dropFirst()
            var most = 0
            for set in 0..<(1 << others.count) {
                let chosen = others.enumerated().filter { set >> $0.offset & 1 == 1 }
                guard first + chosen.map(\.element).reduce(0, +) == 0 else { continue }
                let rest = others.enumerated().filter { set >> $0.offset & 1 == 0 }
                most = max(most, 1 + circles(rest.map(\.element)))
            }
            return most
        }
        return open.count - circles(open)
    }

    @Test func noFewerPaymentsSettleAll() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let count = Int.random(in: 2...8, using: &random)
            var open = (1..<count).map { _ in Int64.random(in: -4...4, using: &random) }
            open.append(-open.reduce(0, +))
            let payments = Debts.simplified(open)
            let place: Comment = "seed \(seed), round \(round): \(open)"
            #expect(payments.count == fewest(open), place)
            // Part of one leaves no more to pay than before, and all of one leaves one fewer.
            guard let payment = payments.randomElement(using: &random) else { continue }
            let amount = Int64.random(in: 1...payment.amount, using: &random)
            open[payment.debtor] += amount
            open[payment.creditor] -= amount
            let left = Debts.simplified(open).count
            #expect(left <= payments.count - (amount == payment.amount ? 1 : 0), place)
        }
    }

    /// Whoever is even on the whole goes: the others stand as they did, and nothing names them.
    @Test func whatIsPassedOnLeavesTheOthersAsTheyStand() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<500 {
            let place: Comment = "seed \(seed), round \(round)"
            let members = (1...6).map { ID<Member>(high: 0, low: $0) }
            let leaver = members[Int.random(in: 0..<6, using: &random)]
            let others = members.filter { $0 != leaver }
            var debts: [MemberDebt] = []
            for currency in [Currency.eur, .jpy] {
                var amounts = others.dropLast().map { _ in
                    Int64.random(in: -9...9, using: &random)
                }
                amounts.append(-amounts.reduce(0, +))
                for (other, amount) in zip(others, amounts) where amount != 0 {
                    debts.append(
                        MemberDebt(
                            debtor: amount > 0 ? leaver : other,
                            creditor: amount > 0 ? other : leaver,
                            amount: Money(minorUnits: abs(amount), currency)
                        )
                    )
                }
            }
            let pairs = debts.map { debt in
                let isLow = debt.debtor < debt.creditor
                let sign: Int64 = isLow ? 1 : -1
                return PairBalance(
                    low: min(debt.debtor, debt.creditor),
                    high: max(debt.debtor, debt.creditor),
                    amount: Money(minorUnits: sign * debt.amount.minorUnits, debt.amount.currency)
                )
            }
            let after = Debts.passed(on: pairs, by: leaver)
            for currency in [Currency.eur, .jpy] {
                let own = { (all: [MemberDebt]) in all.filter { $0.amount.currency == currency } }
                // What changes leaves every sum as it is, and takes back all of the leaver's.
                let changes = try BalanceChanges(own(after))
                #expect(changes.members.allSatisfy { $0.amount == 0 }, place)
                let left = try BalanceChanges(own(debts) + own(after))
                for pair in left.pairs where pair.low == leaver || pair.high == leaver {
                    #expect(pair.amount == 0, place)
                }
            }
        }
    }

    @Test func oppositeBalancesArePaired() {
        let payments = Debts.simplified([-5, 7, 5, -7])
        let expected = [
            Debts.Payment(debtor: 0, creditor: 2, amount: 5),
            Debts.Payment(debtor: 3, creditor: 1, amount: 7),
        ]
        #expect(payments == expected)
    }

    @Test func theLargestSumsFit() {
        #expect(Debts.simplified([.max, -.max]).count == 1)
        let payments = Debts.simplified([.min, .max, 1])
        #expect(payments.count == 2)
        let paid = Debts.pairwise(paid: [.max, 0], owed: [0, .max])
        #expect(paid == [Debts.Payment(debtor: 1, creditor: 0, amount: .max)])
    }

    @Test func pairwiseDebtsAreWhatEachPaidLessWhatEachBears() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<3_000 {
            let place: Comment = "seed \(seed), round \(round)"
            let count = Int.random(in: 1...10, using: &random)
            let amount = random.amount(upTo: .max)
            func side() throws -> [Int64] {
                let weights = (0..<count).map { _ in random.amount(upTo: 9) }
                return try Division.proportional(
                    amount,
                    weights: weights.contains { $0 > 0 } ? weights : weights.map { _ in 1 },
                    turn: Division.Turn(on: Period.ever.start, amount)
                )
            }
            let (paid, owed) = (try side(), try side())
            let payments = Debts.pairwise(paid: paid, owed: owed)
            #expect(payments.count < count, place)
            var rest = zip(paid, owed).map { $0 - $1 }
            for payment in payments {
                #expect(payment.amount > 0 && payment.debtor != payment.creditor, place)
                rest[payment.debtor] += payment.amount
                rest[payment.creditor] -= payment.amount
            }
            #expect(rest.allSatisfy { $0 == 0 }, place)
        }
    }
}

@Suite struct OpenDebtsTests {
    private let people = (1...4).map { ID<Member>(high: 0, low: $0) }

    private func euros(_ units: Int64) -> Money { Money(minorUnits: units, .eur) }

    @Test func aPaymentAlongTheSimplifiedWayLeavesNoCircle() throws {
        // 0 owes 1, 2 owes 3; 0 pays 3: then 2 owes 1 and nobody else anything.
        let pairs = [
            PairBalance(low: people[0], high: people[1], amount: euros(10)),
            PairBalance(low: people[2], high: people[3], amount: euros(10)),
        ]
        let balances = zip(people, [-10, 10, -10, 10]).map {
            BalanceRow(member: $0, amount: euros($1))
        }
        let open = OpenDebts(.eur, pairs: pairs, balances: balances)
        let largest = open.largest(between: people[0], and: people[3])
        let payment = MemberDebt(debtor: people[0], creditor: people[3], amount: euros(10))
        #expect(largest == payment)
        let changes = try BalanceChanges(
            open.changes(by: payment)
                + pairs.map { MemberDebt(debtor: $0.low, creditor: $0.high, amount: $0.amount) }
        )
        let left = changes.pairs.filter { $0.amount != 0 }
        #expect(left.count == 1)
        #expect(left.first?.low == people[1] && left.first?.high == people[2])
        #expect(left.first?.amount == -10)
        let whole = open.whole(between: people[0], and: people[1])
        #expect(whole?.amount == euros(10))
    }

    @Test func nothingIsOpenBetweenTwoWhoAreBothOwed() {
        let balances = zip(people, [-20, 10, 10]).map {
            BalanceRow(member: $0, amount: euros($1))
        }
        let open = OpenDebts(.eur, pairs: [], balances: balances)
        #expect(open.largest(between: people[1], and: people[2]) == nil)
        #expect(open.whole(between: people[1], and: people[2]) == nil)
    }

    /// A large group's debts are explained by fewer each, and every debt by one.
    @Test(arguments: [(0, 100), (1, 100), (40, 100), (41, 97), (500, 8), (19_900, 1), (.max, 1)])
    func explanationsAreBoundedAsAWhole(debts: Int, each: Int) {
        #expect(ExplainedDebt.expenses(ofEach: debts) == each)
    }
}
