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

    /// Of who joins others; nil of a guest, of a group of one, and of an old event that does not
    /// say whether it is one: of that a rebuild asks.
    init?(_ joined: GroupMemberJoined) {
        guard joined.isPersonal == false, let user = joined.userID else { return nil }
        self.init(user: user, step: .group, at: joined.joinedAt)
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
    /// - Returns: of whom something was not known, or later.
    @discardableResult
    static func note(
        _ steps: [FirstStep],
        in transaction: Transaction
    ) async throws -> Set<ID<User>> {
        var first: [Name: Day] = [:]
        for step in steps { first[step.name] = min(first[step.name] ?? step.day, step.day) }
        guard !first.isEmpty else { return [] }
        // In one order, so that two who do it at once never wait in a ring.
        let rows = first.sorted {
            ($0.key.user, $0.key.step.rawValue) < ($1.key.user, $1.key.step.rawValue)
        }
        return Set(
            try await transaction.query(
                UsageStatements.step,
                rows.map(\.key.user),
                rows.map(\.key.step.rawValue),
                rows.map(\.value)
            )
        )
    }

    /// Keeps those that a rebuild was told of, but of whoever is erased.
    static func rebuild(_ steps: [FirstStep], in database: Database) async throws {
        guard !steps.isEmpty else { return }
        try await database.transaction { transaction in
            let erased = try await ErasedUsers.those(ofMany: steps.map(\.user), in: transaction)
            try await note(steps.filter { !erased.contains($0.user) }, in: transaction)
        }
    }

    /// Whose it is, and which.
    struct Name: Hashable {
        let user: ID<User>
        let step: UsageStep
    }

    var name: Name { Name(user: user, step: step) }
}

/// The steps that a process has found in the database: each is taken once, and told with every
/// booking that follows.
///
/// What stands there becomes earlier, never later, and goes with its person alone: so who is in
/// here needs no look-up. On-loop only.
final class KnownSteps {
    /// Beyond that it begins anew.
    static let countMax = 100_000
    private var days: [FirstStep.Name: Day] = [:]

    /// Keeps the earliest of each; a call a transaction.
    func note(_ steps: [FirstStep], in transaction: Transaction) async throws {
        let new = steps.filter { step in days[step.name].map { step.day < $0 } ?? true }
        let written = try await FirstStep.note(new, in: transaction)
        // What is written now may still be rolled back; what was found is committed.
        let found = new.filter { !written.contains($0.user) }
        if days.count + found.count > Self.countMax { days.removeAll() }
        for step in found.prefix(Self.countMax) {
            days[step.name] = min(days[step.name] ?? step.day, step.day)
        }
    }
}
