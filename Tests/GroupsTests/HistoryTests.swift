import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// Random histories of groups on a real server.
///
/// After each step everybody stands where a small model says, and the sums that are kept are those
/// of what is written down.
@Suite struct HistoryTests {
    @Test(arguments: [true, false])
    func balancesAreThoseOfTheModelWhateverHappens(simplifying: Bool) async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: seed)
            for round in 0..<4 {
                var history = try await GroupHistory(
                    in: harness,
                    simplifies: simplifying,
                    &random
                )
                for step in 0..<60 {
                    let place: Comment = "seed \(seed), round \(round), step \(step)"
                    try await history.act(&random, place)
                    try await history.check(place)
                }
                // With everybody back, and each guest somebody, all that the plan says is paid.
                try await history.bringEverybodyBack()
                try await history.payAsPlanned()
                let place: Comment = "seed \(seed), round \(round)"
                try await history.check(place)
                let view = try await history.view()
                let open = view.members.flatMap(\.balances)
                #expect(open.isEmpty && view.simplified.isEmpty && view.debts.isEmpty, place)
            }
        }
    }

    @Test func aSettlementThatIsTakenBackLeavesCirclesAsTheyWere() async throws {
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: 1)
            var history = try await GroupHistory(in: harness, people: 3, &random)
            let (users, members) = (history.group.users, history.group.members)
            // Each owes the next five, and the first the second ten more.
            for (payer, bearer, units) in [(1, 0, 15), (2, 1, 5), (0, 2, 5)] {
                try await history.add(
                    NewExpense(
                        name: "Round",
                        amount: Money(minorUnits: Int64(units), .eur),
                        split: Split(
                            kind: .equal,
                            parts: [SplitPart(memberID: members[bearer])]
                        )
                    ),
                    by: users[payer]
                )
            }
            let before = try await history.view()
            #expect(before.debts.count == 3 && before.simplified.count == 1)
            let made = try await history.settle(
                NewSettlement(
                    withMemberID: members[1],
                    amount: Money(minorUnits: 10, .eur)
                ),
                by: users[0]
            ).get()
            #expect(try await history.view().debts.isEmpty)
            try await history.remove(made, by: users[2])
            #expect(try await history.view() == before)
        }
    }
}
