import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Records what was earned or spent.
struct RecordTransaction: Handler {
    static let endpoint = Transactions.record
    let database: Database
    let people: People
    let batcher: PostingBatcher

    func handle(
        _ request: Request<NoQuery, NewTransaction>,
        as caller: Caller
    ) async throws -> Response<TransactionView> {
        let user = caller.user.id
        let person = try await people.person(user)
        let body = request.body
        guard let scope = request.idempotency, let category = body.categoryID ?? person.others
        else { throw APIError(.internalError) }
        let account: ID<Account>
        if let chosen = body.accountID {
            account = chosen
        } else {
            account = try await oldestAccount(of: user)
        }
        let id = ID<MoneyTransaction>.new()
        var posting = Posting(.record, Posting.Operation(scope), by: user, on: account)
        posting.transaction = id
        posting.amount = body.amount.minorUnits
        posting.currency = body.amount.currency
        let day = body.date ?? people.today(for: person)
        posting.day = day
        posting.category = category
        posting.name = try await name(body, category, person, of: user)
        posting.description = body.description.map(composed)
        let outcome = try await batcher.post(posting)
        guard let made = outcome.transaction else { throw APIError(.internalError) }
        let location = "/v1/transactions/\(made)"
        if outcome.isReplay {
            let first = try await database.queryOne(
                TransactionStatements.first,
                user,
                made,
                Int32(1)
            )
            guard let first else { throw APIError.notFound }
            return .created(first.view, at: location).tagged("1").replayed()
        }
        let view = TransactionView(
            id: id,
            accountID: account,
            amount: body.amount,
            name: posting.name ?? "",
            date: day,
            categoryID: category,
            description: posting.description,
            version: 1,
            createdAt: id.instant
        )
        return .created(view, at: location).tagged("1")
    }

    private func oldestAccount(of user: ID<User>) async throws -> ID<Account> {
        guard let oldest = try await database.queryOne(AccountStatements.oldest, user) else {
            throw APIError.field("/accountId", .required, "no account is open")
        }
        return oldest.id
    }

    /// The name given, else the category's.
    private func name(
        _ body: NewTransaction,
        _ category: ID<WalletProtocol.Category>,
        _ person: Person,
        of user: ID<User>
    ) async throws -> String? {
        if let name = body.name { return composed(name) }
        if category == person.others { return person.othersName }
        // Where it is gone the posting is refused, unless its key was used before that.
        return try await database.queryOne(CategoryStatements.find, user, category)?.name
    }
}

/// In normal form C; plain ASCII is so already.
func composed(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 } ? text : TextFolding.composed(text)
}
