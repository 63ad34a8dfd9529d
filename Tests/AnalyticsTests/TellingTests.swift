import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// Forty people, of whom eight change something with each release: the same cell all of them, and
/// one another cell too, which is lost with what would tell of it.
private struct SameFew {
    private struct Row {
        let person: Int
        let division: String
        let area: String
        let from: Int64
        var until = Int64.max
        var coordinates: [String] { [division, area, "65+", "wallet", "EUR"] }
    }
    static let divisions = Coicop.allCases.map(\.rawValue)
    private var random: SeededGenerator
    private var rows: [Row] = []
    let first: TakeUp
    private(set) var telling: Telling
    private var earlier = [TakeUp.Earlier(release: 1, lost: 0)]

    init(on seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for person in 0..<40 {
            for (place, division) in Self.divisions.enumerated() {
                let area = person < 8 ? "IT-RM" : ["IT-MI", "FR-75"][(person + place) % 2]
                rows.append(Row(person: person, division: division, area: area, from: 1))
            }
        }
        first = TakeUp(Self.cube(of: rows), in: 1, after: nil, usersMin: 5)
        telling = first.telling
    }

    /// Each row is worth something else than the one in its place.
    private static func cube(of rows: [Row]) -> MonthCube {
        let space = CubeSpace(rows.map(\.coordinates))
        let bookings = rows.compactMap { row in
            space.key(of: row.coordinates).map { leaf in
                Booking(
                    person: Int64(row.person),
                    leaf: leaf,
                    value: Int128(row.from),
                    times: 1,
                    from: row.from,
                    until: row.until
                )
            }
        }
        return MonthCube(space: space, bookings: bookings)
    }

    mutating func change(_ number: Int64) throws {
        var changed = rows
        let other = Int.random(in: 1..<Self.divisions.count, using: &random)
        for (person, place) in (0..<8).map({ ($0, 0) }) + [(0, other)] {
            let division = Self.divisions[place]
            let index = changed.lastIndex { $0.person == person && $0.division == division }
            let last = try #require(index)
            changed[last].until = number
            changed.append(
                Row(person: person, division: division, area: changed[last].area, from: number)
            )
        }
        let known = TakeUp.Known(telling: telling, earlier: earlier, people: 8, usersMin: 5)
        let made = TakeUp(Self.cube(of: changed), in: number, after: known, usersMin: 5)
        guard made.isWorth else { return }
        (rows, telling) = (changed, made.telling)
        earlier.append(TakeUp.Earlier(release: number, lost: made.lost))
    }

    /// The first rows again, as after others have come, been taken up and gone.
    func again(losing lost: Int) -> TakeUp {
        let known = TakeUp.Known(
            telling: telling,
            earlier: earlier + [TakeUp.Earlier(release: 2, lost: lost)],
            people: 25,
            usersMin: 5
        )
        return TakeUp(Self.cube(of: rows), in: 3, after: known, usersMin: 5)
    }

    /// How many people there are in all cells that are told; they stay the same.
    func weight(of telling: Telling) -> Int {
        telling.told.reduce(0) { $0 + (first.users.users[$1] ?? 0) }
    }
}

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
        let lost = after.lost(after: before, of: users)
        #expect(!Telling.isWorth(losing: lost, changing: 13, of: users), "50 of 100 for 13 of 50")
        #expect(Telling.isWorth(losing: lost, changing: 25, of: users))
    }

    @Test func whatTheSameFewTakeAwayIsBoundedInAll() throws {
        var lost = 0
        for seed in [1, .random(in: 0...UInt64.max)] as [UInt64] {
            var few = SameFew(on: seed)
            for number in Int64(2)...11 { try few.change(number) }
            let (all, left) = (few.weight(of: few.first.telling), few.weight(of: few.telling))
            #expect((all - left) * 40 <= all * 8, "seed \(seed): \(left) of \(all) are left")
            lost += all - left
        }
        #expect(lost > 0)
    }

    /// Else what many have undone would be told until others change as much.
    @Test func whatTakesNothingAwayIsTakenUpWhateverWasLostBefore() {
        let made = SameFew(on: 1).again(losing: 300_000)
        #expect(made.lost == 0 && made.isWorth)
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
