import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// What is told of a population that is no larger than a small installation's.
@Suite struct PopulationTests {
    /// A month of 300 people, spread evenly over regions and ages, in twelve divisions of which the
    /// first is everybody's and the last of one in three.
    private static func month(_ seed: UInt64) -> MonthCube {
        var random = SeededGenerator(seed: seed)
        let regions = ["FR-13", "FR-69", "FR-75", "IT-MI", "IT-NA", "IT-RM"]
        let bands: [AgeBand] = [.from18, .from25, .from35, .from45, .from55, .from65]
        var rows: [(person: Int64, coordinates: [String])] = []
        for person in 0..<300 {
            for (place, division) in Coicop.allCases.prefix(12).enumerated() {
                let share = 1 - Double(place) * 0.06
                guard Double.random(in: 0..<1, using: &random) < share else { continue }
                rows.append(
                    (
                        Int64(person),
                        [
                            division.rawValue, regions[person % 6], bands[person / 6 % 6].rawValue,
                            person % 4 == 0 ? "current" : "wallet", "EUR",
                        ]
                    )
                )
            }
        }
        let space = CubeSpace(rows.map(\.coordinates))
        let bookings = rows.compactMap { person, coordinates in
            space.key(of: coordinates).map {
                Booking(person: person, leaf: $0, value: 1, times: 1, from: 1, until: .max)
            }
        }
        return MonthCube(space: space, bookings: bookings)
    }

    @Test func nineInTenCellsOfPeopleEnoughAreToldInTablesOfUpToThreeDimensions() {
        for seed in [1, 2, .random(in: 0...UInt64.max)] as [UInt64] {
            let users = Self.month(seed).users(in: 1)
            let telling = Telling(first: users, usersMin: 10)
            let merged = MergedTables(users, telling)
            var (enough, told, whole) = (0, 0, 0)
            for category in 0...1 {
                for (area, age) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
                    let asked = [category, area, age, 0, 0]
                    let answered = merged.tables[asked] ?? asked
                    let cells = users.users.filter {
                        users.levels(of: $0.key) == answered && $0.value >= 10
                    }
                    let shown = cells.keys.count(where: telling.told.contains)
                    #expect(shown * 10 >= cells.count * 9, "seed \(seed): \(asked), \(answered)")
                    (enough, told) = (enough + cells.count, told + shown)
                    if category + area + age == 5 { whole = shown }
                }
            }
            #expect(told * 10 >= enough * 9, "seed \(seed): \(told) of \(enough)")
            #expect(told >= 150 && whole >= 60, "seed \(seed): \(told), \(whole)")
        }
    }

    /// Else whoever is one of ten in a hidden cell would move it.
    @Test func whatIsMergedIsAFunctionOfWhatIsTold() {
        for seed in [1, .random(in: 0...UInt64.max)] as [UInt64] {
            var random = SeededGenerator(seed: seed)
            let users = Self.month(seed).users(in: 1)
            let telling = Telling(first: users, usersMin: 10)
            var others = users
            for cell in users.users.keys where !telling.told.contains(cell) {
                others.set(cell, users: Int.random(in: 0...300, using: &random))
            }
            let merged = MergedTables(users, telling)
            #expect(!merged.tables.isEmpty && telling.told.count < users.users.count)
            #expect(MergedTables(others, telling) == merged, "seed \(seed)")
        }
    }
}
