import Postgres
import ServiceKit
import WalletProtocol

/// A step that somebody has taken, on a day: what the suite is first used for.
struct FirstStep: Hashable {
    let user: ID<User>
    let step: UsageStep
    let day: Day

    /// Nil of a moment that is in no year of the calendar.
    init?(user: ID<User>, step: UsageStep, at moment: Instant) {
        guard let day = Day(utc: moment) else { return nil }
        (self.user, self.step, self.day) = (user, step, day)
    }

    /// The steps that postings are: income or an expense, or a transfer, be it to oneself.
    ///
    /// What is taken back was done.
    static func all(of postings: [TransactionPosted]) -> [FirstStep] {
        postings.filter { $0.kind == .posted }.flatMap { posting -> [FirstStep] in
            var steps: [UsageStep] = []
            if !posting.isOwnTransfer, !posting.isUncounted { steps.append(.transaction) }
            if posting.transferID != nil, posting.amount.minorUnits < 0 { steps.append(.transfer) }
            return steps.compactMap {
                FirstStep(user: posting.userID, step: $0, at: posting.recordedAt)
            }
        }
    }

    /// Keeps the earliest of each person and step; writes nothing of what is known.
    static func note(_ steps: [FirstStep], in transaction: Transaction) async throws {
        var first: [Key: Day] = [:]
        for step in steps {
            let key = Key(user: step.user, step: step.step)
            first[key] = min(first[key] ?? step.day, step.day)
        }
        guard !first.isEmpty else { return }
        // In one order, so that two who do it at once never wait in a ring.
        let rows = first.sorted {
            ($0.key.user, $0.key.step.rawValue) < ($1.key.user, $1.key.step.rawValue)
        }
        try await transaction.execute(
            UsageStatements.step,
            rows.map(\.key.user),
            rows.map(\.key.step.rawValue),
            rows.map(\.value)
        )
    }

    private struct Key: Hashable {
        let user: ID<User>
        let step: UsageStep
    }
}
