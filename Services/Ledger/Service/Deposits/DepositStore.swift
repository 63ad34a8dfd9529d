import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Opens deposits with money in them: one element of the journal, so that neither is ever without
/// the other.
struct DepositStore {
    let database: Database
    let people: People
    let batcher: PostingBatcher
    let ibans: IBANMaker

    /// A deposit as it is answered, and whether it was opened by an earlier call.
    typealias Answer = (view: DepositView, isReplay: Bool)

    /// How long a name of our own making is looked for anew, where others take it meanwhile.
    private static let namingNanoseconds: UInt64 = 5_000_000_000

    /// Opens one, at most once under its key.
    func open(
        _ body: NewDeposit,
        under scope: IdempotencyScope,
        for user: ID<User>
    ) async throws -> Answer {
        let person = try await people.person(user)
        let plan: Plan
        do {
            plan = try await self.plan(body, for: user)
            try await AccountLimits.check(of: user, in: database)
        } catch let error as APIError {
            // What was opened under this key stands, though its quote be forgotten.
            guard let opened = try await replayed(scope, by: user) else { throw error }
            return opened
        }
        let iban = try await ibans.make()
        let end = RequestContext.deadline(within: Self.namingNanoseconds)
        repeat {
            var posting = plan.posting(Posting.Operation(scope), by: user)
            posting.day = people.today(for: person)
            posting.opens = try await opening(body, in: plan.credit.currency, iban, for: user)
            if let outcome = try await post(posting, isNamed: body.name != nil) {
                guard let transfer = outcome.transfer else { throw APIError(.internalError) }
                return (try await view(transfer, for: user), outcome.isReplay)
            }
        } while monotonicNanoseconds() < end
        throw APIError(.unavailable, retryAfterSeconds: 1)
    }

    /// The account, under the name that was chosen or one that is free now.
    private func opening(
        _ body: NewDeposit,
        in currency: Currency,
        _ iban: String?,
        for user: ID<User>
    ) async throws -> Posting.Opening {
        let name: String
        if let chosen = body.name {
            name = TextFolding.composed(chosen)
        } else {
            let base = "Deposit \(currency.code)"
            name = try await AccountNames.free(base, of: user, in: database)
        }
        return Posting.Opening(
            currency: currency,
            name: name,
            foldedName: try folded(name),
            isProposed: body.name == nil,
            iban: iban
        )
    }

    /// What became of it; nil where a name of our own making was taken since it was looked for, and
    /// nothing was done.
    private func post(_ posting: Posting, isNamed: Bool) async throws -> PostingOutcome? {
        do {
            return try await batcher.post(posting)
        } catch let error as APIError {
            guard !isNamed, error.code == .accountNameTaken else { throw error.ofTransfer }
            // Nothing is kept of it.
            return nil
        } catch let error as DatabaseError where error.violatedConstraint == "account_name_key" {
            // The same, by a call at the same time.
            if isNamed { throw APIError(.accountNameTaken) }
            return nil
        }
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
    ) async throws -> Answer? {
        guard
            let posted = try await database.queryOne(
                TransferStatements.posted,
                Posting.Operation(scope).id
            ), let transfer = posted.transfer
        else { return nil }
        try Posting.Operation(scope).check(posted.request)
        return (try await view(transfer, for: user), true)
    }

    private func view(_ transfer: ID<Transfer>, for user: ID<User>) async throws -> DepositView {
        guard let made = try await database.queryOne(TransferStatements.find, user, [transfer]),
            let account = try await database.queryOne(AccountStatements.find, user, made.to)
        else { throw APIError.notFound }
        return DepositView(account: account.view, transfer: try made.viewWhenMade(for: user))
    }
}
