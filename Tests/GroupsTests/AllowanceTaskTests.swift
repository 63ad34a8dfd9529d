import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService

/// What is noted of children's accounts, with a ledger that does or does not do it, and then does
/// not answer.
@Suite struct AllowanceTaskTests {
    /// What the ledger was asked for, as often as it was.
    private final class Asked {
        var tasks: [AllowanceTask] = []
        /// How the next calls end.
        var cuts: [Cut] = []
    }

    private enum Cut: CaseIterable {
        case beforeItActs, beforeItAnswers, never
    }

    /// Each is done once at least, before whatever was noted after it of the same child, and then
    /// never again; the others' wait for none of it.
    @Test func whatIsCutOffIsDoneInItsOrder() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run { _, harness in
            var random = SeededGenerator(seed: seed)
            for round in 0..<4 {
                let place: Comment = "seed \(seed), round \(round)"
                let asked = Asked()
                let store = AllowanceStore(
                    database: harness.database,
                    families: harness.parts.families,
                    ledger: Self.ledger(asked)
                )
                var noted: [ID<User>: [AllowanceTask.Action]] = [:]
                for _ in 0..<4 {
                    let (family, child) = (ID<Family>.new(), ID<User>.new())
                    for number in 0..<Int.random(in: 1...3, using: &random) {
                        let action: AllowanceTask.Action = number % 2 == 0 ? .open : .release
                        try await harness.database.execute(
                            FamilyStatements.insertTask,
                            family,
                            child,
                            action.rawValue,
                            Currency.eur
                        )
                        noted[child, default: []].append(action)
                    }
                }
                for _ in 0..<4 {
                    asked.cuts = (0..<5).map { _ in
                        Cut.allCases.randomElement(using: &random) ?? .never
                    }
                    try await store.finishSome()
                }
                asked.cuts = []
                try await store.finishSome()
                let count = asked.tasks.count
                try await store.finishSome()
                #expect(asked.tasks.count == count, place)
                for (child, actions) in noted {
                    let done = asked.tasks.filter { $0.child == child }
                    #expect(done.map(\.number) == done.map(\.number).sorted(), place)
                    var once: [Int64: AllowanceTask.Action] = [:]
                    for task in done { once[task.number] = task.action }
                    let inOrder = once.sorted { $0.key < $1.key }.map(\.value)
                    #expect(inOrder == actions, place)
                }
            }
        }
    }

    private static func ledger(_ asked: Asked) -> AllowanceLedger {
        func act(_ task: AllowanceTask) throws {
            let cut = asked.cuts.popLast() ?? .never
            if cut == .beforeItActs { throw APIError(.unavailable) }
            asked.tasks.append(task)
            if cut == .beforeItAnswers { throw APIError(.unavailable) }
        }
        var ledger = TestSharing.allowances
        ledger.open = { task in try act(task) }
        ledger.release = { task in try act(task) }
        return ledger
    }
}
