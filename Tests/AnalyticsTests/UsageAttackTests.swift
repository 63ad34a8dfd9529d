import Foundation
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

/// An attacker has all that is told of a month's usage and adds and subtracts it: the cohort and
/// who is there of it, the steps of the funnel, every table and its margins.
@Suite struct UsageAttackTests {
    private static let usersMin = 5
    /// `EZWALLET_TEST_ROUNDS` asks for more.
    static let seeds: [UInt64] = {
        let rounds = ProcessInfo.processInfo.environment["EZWALLET_TEST_ROUNDS"].flatMap(Int.init)
        return Array(1...8) + (0..<(rounds ?? 8)).map { _ in .random(in: 0...UInt64.max) }
    }()

    private static let areas = ["IT-RM", "IT-MI", "FR-75", "unknown"]
    private static let ages = ["18-24", "65+"]
    private static let languages = ["en", "it"]

    private func row(
        _ path: [String],
        _ people: (String, String, String),
        _ users: Int
    ) -> UsageRow {
        UsageRow(
            path: path,
            area: people.0,
            ageBand: people.1,
            language: people.2,
            figures: UsageFigures(users: Int64(users))
        )
    }

    /// Rows on random paths: few people in many, so that little is told without a fight.
    private func rows(
        on paths: [[String]],
        _ random: inout SeededGenerator,
        upTo most: Int
    ) -> [UsageRow] {
        let languages = Bool.random(using: &random) ? Self.languages : ["it"]
        let density = Double.random(in: 0.3...1, using: &random)
        var rows: [UsageRow] = []
        for path in paths {
            for area in Self.areas {
                for age in Self.ages {
                    for language in languages
                    where Double.random(in: 0..<1, using: &random) < density {
                        let users =
                            Bool.random(using: &random)
                            ? Int.random(in: 1...4, using: &random)
                            : Int.random(in: 1...most, using: &random)
                        rows.append(row(path, (area, age, language), users))
                    }
                }
            }
        }
        return rows
    }

    /// The finest cells that a cell is the sum of: of those that there are, or of all that anybody
    /// could name where the finest table is closed.
    private struct Unknowns {
        let leaves: [UsageCells.Place]

        init(_ cells: UsageCells, _ paths: [[String]], alsoClosed: Set<[Int]> = []) {
            let finest = cells.figures.keys.filter { $0.map(\.count) == [paths[0].count, 2, 1, 1] }
            let closed = cells.closed.union(alsoClosed)
            guard closed.contains([paths[0].count, 2, 1, 1]) else {
                leaves = Array(finest)
                return
            }
            leaves = paths.flatMap { path in
                UsageAttackTests.areas.flatMap { area in
                    UsageAttackTests.ages.flatMap { age in
                        UsageAttackTests.languages.map {
                            [path, [CubeTables.country(of: area), area], [age], [$0]]
                        }
                    }
                }
            }
        }

        func parts(of place: UsageCells.Place) -> [Int] {
            leaves.indices.filter { index in
                zip(place, leaves[index]).allSatisfy { $1.starts(with: $0) }
            }
        }
    }

    @Test func nobodysStepFollowsFromTheFunnel() {
        let paths = [
            ["none", "none", "none"], ["transaction", "none", "none"],
            ["transaction", "group", "none"], ["transaction", "group", "transfer"],
        ]
        var toldCount = 0
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let rows = self.rows(on: paths, &random, upTo: 30)
            let funnel = UsageCells(.funnel, rows, usersMin: Self.usersMin)
            let sizes = UsageCells(.cohort, rows.map { $0.on([]) }, usersMin: Self.usersMin)
            // Those that registered are told of by themselves, before.
            #expect(funnel.told.filter { $0[0].isEmpty } == sizes.told, "seed \(seed)")
            let later = UsageCells(.funnel, rows, under: sizes.told, usersMin: Self.usersMin)
            #expect(later.told == funnel.told && later.closed == funnel.closed, "seed \(seed)")
            let unknowns = Unknowns(funnel, paths)
            var span = LinearSpan(width: unknowns.leaves.count)
            for place in funnel.told { span.know(unknowns.parts(of: place)) }
            for (place, figures) in funnel.figures where figures.users < Self.usersMin {
                let follows = span.tells(unknowns.parts(of: place))
                #expect(!follows, "seed \(seed): \(place)")
            }
            // A step less the next is a cell of those that went no further, which is told so.
            for step in [["transaction"], ["transaction", "group"]] {
                for place in funnel.told where place[0] == step {
                    let further = step + [step.count == 1 ? "group" : "transfer"]
                    let next = [further] + place.dropFirst()
                    guard funnel.told.contains(next) else { continue }
                    let counts = [place, next].map { funnel.figures[$0]?.users ?? 0 }
                    let users = counts[0] - counts[1]
                    #expect(!(1..<Int64(Self.usersMin)).contains(users), "seed \(seed): \(place)")
                    toldCount += 1
                }
            }
        }
        #expect(toldCount > 50, "\(toldCount)")
    }

    @Test func neitherWhoIsThereNorWhoStaysAwayFollowsFromTheCohorts() {
        let months = ["2024-01", "2024-02", "2024-03"]
        var (toldCount, awayCount) = (0, 0)
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let sizes = self.rows(on: months.map { [$0] }, &random, upTo: 40)
            let active = sizes.compactMap { size -> UsageRow? in
                let all = Int(size.figures.users)
                let users =
                    [all, all - 1, Int.random(in: 0...all, using: &random), 0]
                    .randomElement(using: &random) ?? 0
                return users > 0
                    ? row(size.path, (size.area, size.ageBand, size.language), users) : nil
            }
            let made = UsageRelease.cells(
                of: Month(year: 2_024, month: 3) ?? UsageHistory.months[2],
                sizes,
                active,
                ([], []),
                usersMin: Self.usersMin
            )
            let registered = UsageCells.sums(of: sizes)
            let activity = made[1]
            let unknowns = Unknowns(activity, months.map { [$0] })
            var span = LinearSpan(width: unknowns.leaves.count)
            for place in activity.told { span.know(unknowns.parts(of: place)) }
            for (place, figures) in activity.figures {
                let away = (registered[place]?.users ?? 0) - figures.users
                let isAway = (1..<Int64(Self.usersMin)).contains(away)
                if isAway { awayCount += 1 }
                if activity.told.contains(place) { toldCount += 1 }
                guard figures.users < Self.usersMin || isAway else { continue }
                // All sizes are known, so that who is away follows as who is there does.
                let follows = span.tells(unknowns.parts(of: place))
                #expect(!follows, "seed \(seed): \(place)")
            }
        }
        #expect(toldCount > 50 && awayCount > 50, "\(toldCount), \(awayCount)")
    }

    /// What the operator has hidden after it was told goes in company, too.
    @Test func nobodyBelowARaisedNumberFollowsFromWhatIsLeft() {
        let (months, steps) = (["2024-01", "2024-02", "2024-03"], ["none", "transaction"])
        var (leftCount, goneCount) = (0, 0)
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let sizes = rows(on: months.map { [$0] }, &random, upTo: 40)
            let active = sizes.compactMap { size -> UsageRow? in
                let users = Int.random(in: 0...Int(size.figures.users), using: &random)
                return users > 0
                    ? row(size.path, (size.area, size.ageBand, size.language), users) : nil
            }
            let funnel = rows(on: steps.map { [$0, "none", "none"] }, &random, upTo: 40)
            let usersMin = Self.usersMin
            let made = [
                UsageCells(.cohort, funnel.map { $0.on([]) }, usersMin: usersMin),
                UsageCells(.funnel, funnel, usersMin: usersMin),
                UsageCells(
                    .activity,
                    active,
                    partOf: UsageCells.sums(of: sizes),
                    usersMin: usersMin
                ),
            ]
            let kept = made.map { cells in
                let rows = cells.rows.map {
                    KeptUsageRow(
                        place: $0.place,
                        number: 0,
                        users: $0.figures.users,
                        isTold: $0.isTold
                    )
                }
                return UsageCells(cells.kind, kept: rows)
            }
            let raised = usersMin + Int.random(in: 1...10, using: &random)
            let narrowed = UsageNarrowing.narrowed(kept, sizes, usersMin: raised)
            let late = UsageCells(.funnel, funnel, under: narrowed[0].told, usersMin: raised)
            #expect(late.told.filter { $0[0].isEmpty }.isSubset(of: narrowed[0].told))
            #expect(
                narrowed[1].told.filter { $0[0].isEmpty } == narrowed[0].told,
                "seed \(seed)"
            )
            let registered = UsageCells.sums(of: sizes)
            for (before, left) in zip(made + [made[1]], narrowed + [late]) {
                let paths =
                    switch before.kind {
                    case .activity: months.map { [$0] }
                    case .funnel: steps.map { [$0, "none", "none"] }
                    default: [[]] as [[String]]
                    }
                let unknowns = Unknowns(before, paths, alsoClosed: left.closed)
                var span = LinearSpan(width: unknowns.leaves.count)
                for place in left.told { span.know(unknowns.parts(of: place)) }
                for (place, figures) in before.figures {
                    let away =
                        before.kind == .activity
                        ? (registered[place]?.users ?? 0) - figures.users : 0
                    guard
                        figures.users < Int64(raised) || (1..<Int64(raised)).contains(away)
                    else { continue }
                    let follows = span.tells(unknowns.parts(of: place))
                    #expect(!follows, "seed \(seed), \(raised): \(before.kind) \(place)")
                }
                leftCount += left.told.count
                goneCount += before.told.subtracting(left.told).count
            }
        }
        #expect(leftCount > 50 && goneCount > 50, "\(leftCount), \(goneCount)")
    }

    @Test func whoTookNoFileDoesNotFollowFromWhoWasThere() {
        let formats = [["csv"], ["ofx"], ["several"]]
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let sizes = self.rows(on: [["2024-03"]], &random, upTo: 30)
            let files = sizes.flatMap { size -> [UsageRow] in
                var left = Int(size.figures.users)
                let people = (size.area, size.ageBand, size.language)
                return formats.compactMap { path -> UsageRow? in
                    let users = Int.random(in: 0...left, using: &random)
                    left -= users
                    return users > 0 ? row(path, people, users) : nil
                }
            }
            let made = UsageRelease.cells(
                of: Month(year: 2_024, month: 3) ?? UsageHistory.months[2],
                sizes,
                sizes,
                (files, []),
                usersMin: Self.usersMin
            )
            let present = UsageCells.sums(of: sizes.map { $0.on([]) })
            let unknowns = Unknowns(made[2], formats)
            var span = LinearSpan(width: unknowns.leaves.count)
            for place in made[2].told { span.know(unknowns.parts(of: place)) }
            for (place, figures) in made[2].figures {
                let others = (present[[[]] + place.dropFirst()]?.users ?? 0) - figures.users
                guard
                    figures.users < Self.usersMin
                        || (1..<Int64(Self.usersMin)).contains(others)
                else { continue }
                let follows = span.tells(unknowns.parts(of: place))
                #expect(!follows, "seed \(seed): \(place)")
            }
        }
    }
}
