import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Records transactions, alone or many together, at most once per key.
struct TransactionRecorder {
    let database: Database
    let people: People
    let batcher: PostingBatcher
    let relayBell: RelayBell
    let budgets: BudgetStore

    /// The lowest bits of a batch's ids count its transactions: from the first one's id, which is
    /// kept under the key, a replay knows the others'.
    private static let counted: UInt64 = 0x3FF

    // MARK: One

    /// Records one; with what is left of its budgets.
    /// - Throws: 422 naming every bad field, or what the posting is refused for.
    func record(
        _ body: NewTransaction,
        under scope: IdempotencyScope,
        by user: ID<User>
    ) async throws -> (view: TransactionView, isReplay: Bool) {
        let drafts = TransactionDrafts(database: database, people: people, user: user)
        let drafted = try await drafts.postings(of: [body], at: [""])
        guard var posting = drafted.first else { throw APIError(.internalError) }
        posting.operation = Posting.Operation(scope)
        posting.transaction = .new()
        let outcome = try await post(&posting, repeating: body.recurrence, of: user)
        guard outcome.status == .posted else {
            throw try await TransactionRefusal(database: database).error(
                outcome.status,
                of: posting,
                owner: user
            )
        }
        guard let made = outcome.transaction else { throw APIError(.internalError) }
        if outcome.isReplay {
            let first = TransactionStatements.versions([made], [1])
            guard let row = try await database.queryOne(first) else { throw APIError.notFound }
            return (await telling(row.view, to: user), true)
        }
        guard let view = posting.view else { throw APIError(.internalError) }
        return (await telling(view, to: user), false)
    }

    /// Posts it, together with the schedule that it begins, if any.
    private func post(
        _ posting: inout Posting,
        repeating rule: RecurrenceRule?,
        of user: ID<User>
    ) async throws -> PostingOutcome {
        let outcomes: [PostingOutcome]
        if let rule {
            let person = try await people.person(user)
            let start = try RecurrenceStart(
                rule,
                first: &posting,
                of: user,
                zone: person.timeZone,
                today: people.today(for: person)
            )
            outcomes = try await database.posting([posting], starting: [start])
            relayBell.ring()
        } else {
            outcomes = try await batcher.post(all: [posting])
        }
        guard let outcome = outcomes.first else { throw APIError(.internalError) }
        return outcome
    }

    /// The same with what is left of its budgets: it is recorded, also where that cannot be told.
    private func telling(_ view: TransactionView, to user: ID<User>) async -> TransactionView {
        let named = view.lines?.map(\.categoryID) ?? [view.categoryID]
        guard let told = try? await budgets.told(of: named, on: view.date, user: user) else {
            return view
        }
        var answer = view
        answer.budgetRemaining = told.remaining
        answer.alerts = told.alerts
        return answer
    }

    // MARK: Many

    /// Records all of them or none.
    func record(
        all bodies: [NewTransaction],
        under scope: IdempotencyScope,
        by user: ID<User>
    ) async throws -> (views: [TransactionView], isReplay: Bool) {
        let bases = bodies.indices.map { "/transactions/\($0)" }
        let drafts = TransactionDrafts(database: database, people: people, user: user)
        var postings = try await drafts.postings(of: bodies, at: bases)
        let new = ID<MoneyTransaction>.new()
        let ids = Self.ids(from: ID(high: new.high, low: new.low & ~Self.counted), postings.count)
        for index in postings.indices {
            postings[index].transaction = ids[index]
            postings[index].chain = 1
        }
        postings[0].operation = Posting.Operation(scope)
        let starts = try await starts(of: bodies, &postings, at: bases, by: user)
        // What is refused is kept under the key, too: nothing is thrown before the commit.
        let elements = postings
        let outcomes = try await database.posting(elements, starting: starts)
        relayBell.ring()
        let failed = outcomes.indices.first {
            outcomes[$0].status != .posted && outcomes[$0].status != .chainFailed
        }
        if let failed {
            throw try await refusal(outcomes, failed, of: elements, at: bases, by: user)
        }
        guard let first = outcomes.first, let made = first.transaction else {
            throw APIError(.internalError)
        }
        guard first.isReplay else { return (elements.compactMap(\.view), false) }
        let rows = try await database.query(
            TransactionStatements.versions(
                Self.ids(from: made, elements.count),
                Array(repeating: 1, count: elements.count)
            )
        )
        return (rows.map(\.view), true)
    }

    private func starts(
        of bodies: [NewTransaction],
        _ postings: inout [Posting],
        at bases: [String],
        by user: ID<User>
    ) async throws -> [RecurrenceStart] {
        let person = try await people.person(user)
        var starts: [RecurrenceStart] = []
        for (index, body) in bodies.enumerated() {
            guard let rule = body.recurrence else { continue }
            starts.append(
                try RecurrenceStart(
                    rule,
                    first: &postings[index],
                    of: user,
                    zone: person.timeZone,
                    today: people.today(for: person),
                    at: bases[index]
                )
            )
        }
        return starts
    }

    private static func ids(
        from first: ID<MoneyTransaction>,
        _ count: Int
    ) -> [ID<MoneyTransaction>] {
        (0..<UInt64(count)).map { ID(high: first.high, low: first.low | $0) }
    }

    private func refusal(
        _ outcomes: [PostingOutcome],
        _ failed: Int,
        of postings: [Posting],
        at bases: [String],
        by user: ID<User>
    ) async throws -> APIError {
        let status = outcomes[failed].status
        guard status != .keyReused else { return status.error }
        let refusal = TransactionRefusal(database: database)
        if status == .forbidden {
            try await refusal.checkRole(user, on: Array(Set(postings.map(\.account))))
        }
        let told = try await refusal.unknownReferences(
            zip(bases, postings).map { ($0, $1) },
            owner: user
        )
        if !told.isEmpty { return APIError(.invalidBody, errors: told) }
        return refusal.error(status, at: bases[failed])
    }
}
