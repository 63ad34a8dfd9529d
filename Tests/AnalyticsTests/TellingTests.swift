import TestKit
import Testing

@testable import AnalyticsService

/// What follows from several releases of a month together.
@Suite struct TellingTests {
    private static func flat(_ users: [String: Int], all: Int) -> Cube {
        var cube = Cube(axisCount: 1)
        for name in users.keys.sorted() { cube.set([[name]], users: users[name] ?? 0) }
        cube.set([0], users: all)
        return cube
    }

    @Test func nothingOfFewFollowsFromAllReleasesTogether() {
        var (told, kept) = (0, 0)
        for seed in SuppressionTests.seeds where seed % 4 == 0 {
            let attack = ReleaseAttack(on: seed)
            attack.run()
            told += attack.tellings.reduce(0) { $0 + $1.told.count }
            kept += attack.keptCount
        }
        #expect(told > 1_000 && kept > 30, "\(told) told, \(kept) kept")
    }

    @Test func whatHasNotChangedIsToldAgain() {
        for seed in SuppressionTests.seeds.prefix(100) {
            var random = SeededGenerator(seed: seed)
            let cube = RandomTable.any(&random).cube
            let first = Telling(first: cube, usersMin: 5)
            let again = Telling(
                users: cube,
                changes: [Cube(axes: cube.axes)],
                before: first,
                usersMin: 5
            )
            #expect(first.told == again.told, "seed \(seed)")
        }
    }

    @Test func aChangeByManyIsTold() {
        let before = Telling(first: Self.flat(["a": 20, "b": 30], all: 50), usersMin: 10)
        let changed = Self.flat(["a": 10], all: 10)
        let after = Telling(
            users: Self.flat(["a": 30, "b": 30], all: 60),
            changes: [changed],
            before: before,
            usersMin: 10
        )
        #expect(after.told.count == 3)
    }

    @Test func aChangeByOneHidesWhatHasItAndNothingElse() {
        let users = Self.flat(["a": 20, "b": 30], all: 50)
        let before = Telling(first: users, usersMin: 10)
        let changed = Self.flat(["a": 1], all: 1)
        let after = Telling(users: users, changes: [changed], before: before, usersMin: 10)
        #expect(after.told == [[2]], "only b is as it was")
    }

    @Test func whereFewChangeMoreThanTheyAreNothingIsWorthIt() {
        let users = Self.flat(["a": 20, "b": 30], all: 50)
        let before = Telling(first: users, usersMin: 10)
        let changed = Self.flat(["a": 1, "b": 12], all: 13)
        let after = Telling(users: users, changes: [changed], before: before, usersMin: 10)
        #expect(after.told == [[0]], "of what is in b the total tells what is in a")
        #expect(!after.isWorth(changing: 13, of: users, after: before), "50 of 100 for 13 of 50")
        #expect(after.isWorth(changing: 25, of: users, after: before))
    }

    /// Raised, the number hides more than what is below it: what is left would tell of that.
    @Test func whatIsNotEnoughAnyMoreIsHiddenInCompany() {
        let users = Self.flat(["a": 11, "b": 30, "c": 14], all: 55)
        let before = Telling(first: users, usersMin: 10)
        let after = before.narrowed(to: users, usersMin: 12)
        #expect(before.told.count == 4)
        #expect(after.told == [[0], [2]], "c goes with a")
    }

    /// Where a neighbour that went with a small cell was told once both have grown, the small one
    /// would follow from the releases together.
    @Test func whatWasNotToldIsNotToldLater() {
        let before = Telling(first: Self.flat(["a": 3, "b": 30, "c": 12], all: 45), usersMin: 10)
        let after = Telling(
            users: Self.flat(["a": 15, "b": 30, "c": 12], all: 57),
            changes: [Self.flat(["a": 12], all: 12)],
            before: before,
            usersMin: 10
        )
        #expect(before.told == [[0], [2]])
        #expect(after.told == [[0], [2]])
    }
}
