import Foundation
import TestKit
import Testing

@testable import AnalyticsService

@Suite struct SuppressionTests {
    /// Two small opposite corners of a table that is hidden as a whole.
    static let oppositeCorners: UInt64 = 4_476_482_887_358_438_684
    /// One that once failed, some that are always tried, and as many that never were;
    /// `EZWALLET_TEST_ROUNDS` asks for more of the latter.
    static let seeds: [UInt64] = {
        let rounds = ProcessInfo.processInfo.environment["EZWALLET_TEST_ROUNDS"].flatMap(Int.init)
        return [oppositeCorners] + Array(1...300)
            + (0..<(rounds ?? 300)).map { _ in .random(in: 0...UInt64.max) }
    }()

    @Test func noSmallCellFollowsFromWhatIsTold() {
        for seed in Self.seeds {
            var attack = Attack(on: seed)
            attack.run()
        }
    }

    /// What is promised ends here: either corner is kept, and their sum, which no figure can be of,
    /// is not.
    @Test func ofOppositeCornersNeitherFollowsButTheirSumDoes() {
        let attack = Attack(on: Self.oppositeCorners)
        let corners = [[0, 1, 1], [1, 0, 0]]
        let numbers = corners.compactMap { attack.finest[$0] }
        #expect(numbers.count == 2)
        for number in numbers {
            let isKnown = attack.known.tells([number])
            #expect(!isKnown)
        }
        let isSumKnown = attack.known.tells(numbers)
        #expect(isSumKnown)
    }

    @Test func everythingIsToldWhereAllCellsHaveUsersEnough() {
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let table = RandomTable.any(&random)
            let fewest = table.cube.users.values.min() ?? 0
            let suppression = Suppression(table.cube, usersMin: fewest)
            #expect(suppression.hidden.isEmpty, "seed \(seed)")
        }
    }

    @Test func oneSmallCellCostsTheSmallestOfTheOthers() {
        var cube = Cube(axisCount: 1)
        cube.set([[]], users: 12)
        for (name, users) in [("01", 12), ("07", 11), ("10", 3)] {
            cube.set([[name]], users: users)
        }
        let suppression = Suppression(cube, usersMin: 10)
        let names = Set(suppression.hidden.map { cube.axes[0].names[$0[0]] })
        #expect(names == ["07", "10"])
    }

    @Test func aLargeTableIsDecidedInTime() {
        var random = SeededGenerator(seed: 7)
        let table = RandomTable(
            axes: [RandomTable.flat("a", 40), RandomTable.flat("b", 40)],
            peopleMax: 60,
            density: 0.9,
            using: &random
        )
        let clock = ContinuousClock()
        let time = clock.measure { _ = Suppression(table.cube, usersMin: 10) }
        #expect(time < .seconds(20))
    }
}
