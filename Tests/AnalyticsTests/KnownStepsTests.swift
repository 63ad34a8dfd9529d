import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService

private let kept = Statement("select user_id, step, day from analytics.first_step") { row in
    let step: String = try row.value(1)
    return (
        user: try row.value(0, as: ID<User>.self), step: step, day: try row.value(2, as: Day.self)
    )
}

/// What a process remembers of first steps.
@Suite struct KnownStepsTests {
    private struct RolledBack: Error {}

    /// Two processes tell of the same people in whatever order; what is rolled back was not told.
    @Test func theEarliestIsKeptWhateverIsRememberedAndRolledBack() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withBench { _, bench in
            var random = SeededGenerator(seed: seed)
            let users = (0..<6).map { _ in ID<User>.new() }
            let processes = [KnownSteps(), KnownSteps()]
            var model: [FirstStep.Name: Day] = [:]
            let first = try #require(Day("2024-02-29"))
            for _ in 0..<60 {
                let count = Int.random(in: 1...5, using: &random)
                let steps = try (0..<count).map { _ in
                    let user = try #require(users.randomElement(using: &random))
                    let kind: UsageStep = Bool.random(using: &random) ? .transaction : .transfer
                    let back = Int.random(in: 0..<30, using: &random)
                    let day = try #require(first.adding(days: -back))
                    return try #require(FirstStep(user: user, step: kind, at: day.startUTC))
                }
                let isRolledBack = Int.random(in: 0..<3, using: &random) == 0
                let process = processes[Int.random(in: 0..<2, using: &random)]
                do {
                    try await bench.database.transaction { transaction in
                        try await process.note(steps, in: transaction)
                        if isRolledBack { throw RolledBack() }
                    }
                    for step in steps {
                        model[step.name] = min(model[step.name] ?? step.day, step.day)
                    }
                } catch is RolledBack {}
                var found: [FirstStep.Name: Day] = [:]
                for row in try await bench.database.query(kept) {
                    let step = try #require(UsageStep(rawValue: row.step))
                    found[.init(user: row.user, step: step)] = row.day
                }
                #expect(found == model, "seed \(seed)")
            }
        }
    }
}
