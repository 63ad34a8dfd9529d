import Postgres
import ServiceKit
import WalletProtocol

/// Records what was earned or spent.
struct RecordTransaction: Handler {
    static let endpoint = Transactions.record
    let database: Database
    let people: People
    let batcher: PostingBatcher
    let relayBell: RelayBell
    let budgets: BudgetStore

    func handle(
        _ request: Request<NoQuery, NewTransaction>,
        as caller: Caller
    ) async throws -> Response<TransactionView> {
        let user = caller.user.id
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let drafts = TransactionDrafts(database: database, people: people, user: user)
        let drafted = try await drafts.postings(of: [request.body], at: [""])
        guard var posting = drafted.first else { throw APIError(.internalError) }
        posting.operation = Posting.Operation(scope)
        posting.transaction = .new()
        let outcomes: [PostingOutcome]
        if let rule = request.body.recurrence {
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
        guard outcome.status == .posted else {
            throw try await TransactionRefusal(database: database).error(
                outcome.status,
                of: posting,
                owner: user
            )
        }
        guard let made = outcome.transaction else { throw APIError(.internalError) }
        let location = "/v1/transactions/\(made)"
        if outcome.isReplay {
            let first = TransactionStatements.versions([made], [1])
            guard let row = try await database.queryOne(first) else { throw APIError.notFound }
            let view = await telling(row.view, to: user)
            return .created(view, at: location).tagged("1").replayed()
        }
        guard let view = posting.view else { throw APIError(.internalError) }
        return .created(await telling(view, to: user), at: location).tagged("1")
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
}

/// Records many transactions: all of them or none.
struct RecordTransactions: Handler {
    static let endpoint = Transactions.recordMany
    let database: Database
    let people: People
    let relayBell: RelayBell

    /// The lowest bits of a batch's ids count its transactions: from the first one's id, which is
    /// kept under the key, a replay knows the others'.
    private static let counted: UInt64 = 0x3FF

    func handle(
        _ request: Request<NoQuery, TransactionBatch>,
        as caller: Caller
    ) async throws -> Response<TransactionBatchView> {
        let user = caller.user.id
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let bodies = request.body.transactions
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
        guard first.isReplay else {
            return .created(TransactionBatchView(items: elements.compactMap(\.view)))
        }
        let rows = try await database.query(
            TransactionStatements.versions(
                Self.ids(from: made, elements.count),
                Array(repeating: 1, count: elements.count)
            )
        )
        return .created(TransactionBatchView(items: rows.map(\.view))).replayed()
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

/// Makes postings of what is asked to be recorded.
struct TransactionDrafts {
    let database: Database
    let people: People
    let user: ID<User>

    /// Without operations and ids.
    /// - Throws: 422 naming every bad field of all of them.
    func postings(
        of bodies: [NewTransaction],
        at bases: [String]
    ) async throws -> [Posting] {
        let person = try await people.person(user)
        guard let others = person.others else { throw APIError(.internalError) }
        var errors: [FieldError] = []
        var oldest: ID<Account>?
        if bodies.contains(where: { $0.accountID == nil }) {
            oldest = try await oldestAccount()
        }
        let today = people.today(for: person)
        var postings: [Posting] = []
        for (body, base) in zip(bodies, bases) {
            guard let account = body.accountID ?? oldest else { throw APIError(.internalError) }
            var words = TransactionWords(at: base)
            var posting = Posting(.record, nil, by: user, on: account)
            posting.amount = body.amount.minorUnits
            posting.currency = body.amount.currency
            posting.day = body.date ?? today
            if let lines = body.lines {
                posting.lines = words.lines(lines, of: body.amount)
                if body.categoryID != nil {
                    words.fail("/categoryId", .conflict, "is in the lines")
                }
            } else {
                posting.category = body.categoryID ?? others
            }
            posting.name = body.name.map(composed)
            posting.description = body.description.map(composed)
            posting.tags = words.tags(body.tags ?? [])
            posting.foldedTags = Posting.folded(posting.tags)
            posting.location = body.location.map(Posting.Location.init)
            posting.placeName = body.location?.label.map(composed)
            posting.folder = body.folderID
            errors += words.errors
            postings.append(posting)
        }
        if !errors.isEmpty {
            let told = Array(errors.prefix(JSONReading.errorsMax))
            throw APIError(.invalidBody, errors: told)
        }
        try await name(&postings, person)
        return postings
    }

    private func oldestAccount() async throws -> ID<Account> {
        guard let oldest = try await database.queryOne(AccountStatements.oldest, user) else {
            throw APIError.field("/accountId", .required, "no account is open")
        }
        return oldest.id
    }

    /// Who has no name gets the category's.
    private func name(_ postings: inout [Posting], _ person: Person) async throws {
        let nameless = postings.indices.filter { postings[$0].name == nil }
        let labels = nameless.compactMap { postings[$0].label }.filter { $0 != person.others }
        var names: [CategoryID: String] = [:]
        if let others = person.others { names[others] = person.othersName }
        if !labels.isEmpty {
            let wanted = Array(Set(labels))
            for known in try await database.query(TransactionStatements.categories, user, wanted) {
                names[known.id] = known.name
            }
        }
        // Where it is gone the posting is refused, unless its key was used before that.
        for index in nameless { postings[index].name = postings[index].label.flatMap { names[$0] } }
    }
}

/// A schedule that begins with a transaction.
struct RecurrenceStart: Sendable {
    private let recurring: Recurring
    private let first: ID<MoneyTransaction>
    private let zone: String

    /// Names the schedule in its first posting.
    init(
        _ rule: RecurrenceRule,
        first posting: inout Posting,
        of user: ID<User>,
        zone: String,
        today: Day,
        at base: String = ""
    ) throws(APIError) {
        posting.recurrence = .new()
        guard let amount = posting.amount, let currency = posting.currency, let day = posting.day,
            let transaction = posting.transaction, let label = posting.label
        else { throw APIError(.internalError) }
        do throws(APIError) {
            recurring = try Recurring(
                rule,
                first: posting,
                day,
                amount: Money(minorUnits: amount, currency),
                category: label,
                of: user,
                today: today
            )
        } catch {
            var error = error
            error.errors = error.errors.map {
                FieldError(pointer: base + $0.pointer, code: $0.code, detail: $0.detail)
            }
            throw error
        }
        first = transaction
        self.zone = zone
    }

    func insert(in transaction: Transaction) async throws {
        try await RecurrenceStore.insert(recurring, first: first, zone: zone, in: transaction)
    }
}

extension Database {
    /// Posts elements with the schedules that begin with them.
    ///
    /// What is refused is kept under its key, so that nothing is thrown for it before the commit.
    func posting(
        _ postings: [Posting],
        starting starts: [RecurrenceStart]
    ) async throws -> [PostingOutcome] {
        try await posting { transaction in
            let outcomes = try await transaction.postIfFree(postings)
            if outcomes.allSatisfy({ $0.status == .posted && !$0.isReplay }) {
                for start in starts { try await start.insert(in: transaction) }
            }
            return outcomes
        }
    }
}
