import Postgres
import ServiceKit
import WalletProtocol

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
        let labels = nameless.compactMap { postings[$0].label }
        var names: [CategoryID: String] = [:]
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
