import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Opens a deposit with money in it: one element of the journal, so that neither is ever without
/// the other.
struct OpenDeposit: Handler {
    static let endpoint = Deposits.open
    let database: Database
    let people: People
    let batcher: PostingBatcher
    let ibans: IBANMaker

    /// How long a name of our own making is looked for anew, where others take it meanwhile.
    private static let namingNanoseconds: UInt64 = 5_000_000_000

    func handle(
        _ request: Request<NoQuery, NewDeposit>,
        as caller: Caller
    ) async throws -> Response<DepositView> {
        let user = caller.user.id
        let person = try await people.person(user)
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let plan: Plan
        do {
            plan = try await self.plan(request.body, for: user)
            try await AccountLimits.check(of: user, in: database)
        } catch let error as APIError {
            // What was opened under this key stands, though its quote be forgotten.
            guard let response = try await replayed(scope, by: user) else { throw error }
            return response
        }
        let iban = try await ibans.make()
        let end = RequestContext.deadline(within: Self.namingNanoseconds)
        repeat {
            let name: String
            if let chosen = request.body.name {
                name = TextFolding.composed(chosen)
            } else {
                let base = "Deposit \(plan.credit.currency.code)"
                name = try await AccountNames.free(base, of: user, in: database)
            }
            var posting = plan.posting(Posting.Operation(scope), by: user)
            posting.day = people.today(for: person)
            posting.opens = Posting.Opening(
                currency: plan.credit.currency,
                name: name,
                foldedName: try folded(name),
                isProposed: request.body.name == nil,
                iban: iban
            )
            do {
                let outcome = try await batcher.post(posting)
                guard let transfer = outcome.transfer else { throw APIError(.internalError) }
                return try await answer(transfer, for: user, isReplay: outcome.isReplay)
            } catch let error as APIError {
                // Taken since it was looked for: nothing was done, and nothing is kept of it.
                guard request.body.name == nil, error.code == .accountNameTaken else {
                    throw error.ofTransfer
                }
            } catch let error as DatabaseError
                where error.violatedConstraint == "account_name_key"
            {
                // The same, by a call at the same time.
                if request.body.name != nil { throw APIError(.accountNameTaken) }
            }
        } while monotonicNanoseconds() < end
        throw APIError(.unavailable, retryAfterSeconds: 1)
    }

    /// Who pays how much into what.
    private struct Plan {
        let from: ID<Account>
        let debit: Money
        let credit: Money
        let quote: ID<Quote>?

        func posting(_ operation: Posting.Operation, by user: ID<User>) -> Posting {
            var posting = Posting(.deposit, operation, by: user, on: from)
            posting.counter = .new()
            posting.counterIsOwn = true
            posting.amount = debit.minorUnits
            posting.currency = debit.currency
            posting.counterAmount = credit.minorUnits
            posting.quote = quote
            posting.transaction = .new()
            posting.counterTransaction = .new()
            posting.transfer = .new()
            return posting
        }
    }

    private func plan(_ body: NewDeposit, for user: ID<User>) async throws -> Plan {
        if let quoteID = body.quoteID { return try await plan(body, quoteID, for: user) }
        var errors: [FieldError] = []
        for (isThere, pointer) in [
            (body.fromAccountID != nil, "/fromAccountId"), (body.currency != nil, "/currency"),
            (body.amount != nil, "/amount"),
        ] where !isThere {
            errors.append(
                FieldError(pointer: pointer, code: .required, detail: "needed without quoteId")
            )
        }
        guard errors.isEmpty, let from = body.fromAccountID, let amount = body.amount,
            let currency = body.currency
        else { throw APIError(.invalidBody, errors: errors) }
        let payer = try await Parties.payer(from, of: user, in: database)
        guard payer.currency == currency else {
            throw APIError(.currencyMismatch, "across currencies a quote is needed")
        }
        guard amount.currency == currency else { throw APIError(.currencyMismatch) }
        return Plan(from: from, debit: amount, credit: amount, quote: nil)
    }

    private func plan(
        _ body: NewDeposit,
        _ quoteID: ID<Quote>,
        for user: ID<User>
    ) async throws -> Plan {
        guard body.fromAccountID == nil, body.currency == nil else {
            throw APIError.field("/quoteId", .invalidValue, "says what the other fields would")
        }
        guard
            let quote = try await database.queryOne(TransferStatements.quotes, user, [quoteID])
        else { throw APIError.field("/quoteId", .unknownReference, "is absent or not yours") }
        guard let currency = quote.toCurrency else {
            throw APIError.field("/quoteId", .invalidValue, "is not for a deposit")
        }
        let payer = try await Parties.payer(quote.from, of: user, in: database)
        let conversion = Conversion(from: payer.currency, to: currency)
        let rate = try quote.rate?.rate(from: payer.currency, to: currency)
        let amounts = try quote.amounts(body.amount, conversion.amounts, at: rate)
        return Plan(
            from: payer.id,
            debit: Money(minorUnits: amounts.debit, payer.currency),
            credit: Money(minorUnits: amounts.credit, currency),
            quote: quoteID
        )
    }

    private func replayed(
        _ scope: IdempotencyScope,
        by user: ID<User>
    ) async throws -> Response<DepositView>? {
        guard
            let posted = try await database.queryOne(
                TransferStatements.posted,
                scope.scope,
                scope.key
            ), let transfer = posted.transfer
        else { return nil }
        guard posted.hash == scope.requestHash else { throw APIError(.idempotencyKeyReused) }
        return try await answer(transfer, for: user, isReplay: true)
    }

    private func answer(
        _ transfer: ID<Transfer>,
        for user: ID<User>,
        isReplay: Bool
    ) async throws -> Response<DepositView> {
        guard let made = try await database.queryOne(TransferStatements.find, user, [transfer]),
            let account = try await database.queryOne(AccountStatements.find, user, made.to)
        else { throw APIError.notFound }
        let view = DepositView(account: account.view, transfer: try made.viewWhenMade(for: user))
        let answer = Response.created(view, at: "/v1/accounts/\(account.id)")
        return isReplay ? answer.replayed() : answer
    }
}
