import Postgres
import ServiceKit
import WalletProtocol

/// Moves money from one account to another, at most once per key.
struct PostTransfer: Handler {
    static let endpoint = Transfers.post
    let database: Database
    let people: People
    let batcher: PostingBatcher
    let registry: IBANRegistry
    let stepUp: StepUpRule

    /// Characters of a reference, some of which are more than one once they are composed.
    static let referenceMax = 140

    func handle(
        _ request: Request<NoQuery, NewTransfer>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        let user = caller.user.id
        let person = try await people.person(user)
        guard let scope = request.idempotency else { throw APIError(.internalError) }
        let reference = request.body.reference.map(composed)
        if let reference, reference.unicodeScalars.count > Self.referenceMax {
            throw APIError.field("/reference", .tooLong, "is too long in normal form C")
        }
        let plan: Plan
        do {
            plan = try await self.plan(request.body, for: user)
            if !plan.isOwn {
                try await stepUp.check(plan.debit, under: scope, by: caller.user)
            }
        } catch let error as APIError {
            // What was posted under this key stands, though it could not be asked for any more: its
            // payee may be erased, its quote forgotten.
            guard let response = try await replayed(scope, by: user) else { throw error }
            return response
        }
        let transfer = ID<Transfer>.new()
        var posting = Posting(.transfer, Posting.Operation(scope), by: user, on: plan.from)
        posting.counter = plan.to
        posting.counterIsOwn = plan.isOwn
        posting.amount = plan.debit.minorUnits
        posting.currency = plan.debit.currency
        posting.counterAmount = plan.credit.minorUnits
        posting.quote = plan.quote
        posting.transaction = .new()
        posting.counterTransaction = .new()
        posting.transfer = transfer
        posting.day = people.today(for: person)
        posting.name = plan.payeeName
        posting.counterName = plan.isOwn ? nil : person.displayName
        posting.reference = reference
        let outcome: PostingOutcome
        do {
            outcome = try await batcher.post(posting)
        } catch let error as APIError where error.errors.first?.pointer == "/accountId" {
            throw APIError.field("/fromAccountId", .unknownReference, "is absent or not yours")
        }
        guard let made = outcome.transfer else { throw APIError(.internalError) }
        if outcome.isReplay { return try await stored(made, for: user) }
        let view = TransferView(
            id: made,
            state: .posted,
            fromAccountID: plan.from,
            toAccountID: plan.isOwn ? plan.to : nil,
            debit: plan.debit,
            credit: plan.credit,
            rate: plan.rate?.view,
            reference: posting.reference,
            createdAt: .now()
        )
        return .created(view, at: "/v1/transfers/\(made)")
    }

    /// The answer to a key under which a transfer was posted.
    private func replayed(
        _ scope: IdempotencyScope,
        by user: ID<User>
    ) async throws -> Response<TransferView>? {
        guard
            let posted = try await database.queryOne(
                TransferStatements.posted,
                scope.scope,
                scope.key
            ), let transfer = posted.transfer
        else { return nil }
        guard posted.hash == scope.requestHash else { throw APIError(.idempotencyKeyReused) }
        return try await stored(transfer, for: user)
    }

    /// A transfer that was made before, as it is stored.
    private func stored(
        _ id: ID<Transfer>,
        for user: ID<User>
    ) async throws -> Response<TransferView> {
        guard let row = try await database.queryOne(TransferStatements.find, user, id) else {
            throw APIError.notFound
        }
        return .created(try row.view(for: user), at: "/v1/transfers/\(id)").replayed()
    }

    /// Who pays whom how much.
    private struct Plan {
        let from: ID<Account>
        let to: ID<Account>
        /// Whether both are the caller's.
        let isOwn: Bool
        let debit: Money
        let credit: Money
        var payeeName: String?
        var quote: ID<Quote>?
        var rate: ExchangeRate?

        init(_ parties: Parties, _ amounts: (debit: Int64, credit: Int64)) {
            from = parties.from.id
            to = parties.to.id
            isOwn = parties.areOneOwners
            debit = Money(minorUnits: amounts.debit, parties.from.currency)
            credit = Money(minorUnits: amounts.credit, parties.to.currency)
            payeeName = isOwn ? nil : masked(parties.to.ownerName)
        }

        /// Between own accounts of one currency: whatever is wrong, the posting function says.
        init(from: ID<Account>, toOwn account: ID<Account>, _ amount: Money) {
            self.from = from
            to = account
            isOwn = true
            debit = amount
            credit = amount
        }
    }

    private func plan(_ body: NewTransfer, for user: ID<User>) async throws -> Plan {
        guard let quoteID = body.quoteID else { return try await planWithout(body, for: user) }
        guard body.fromAccountID == nil, body.toIBAN == nil, body.toAccountID == nil else {
            throw APIError.field("/quoteId", .invalidValue, "says what the other fields would")
        }
        guard let quote = try await database.queryOne(TransferStatements.findQuote, user, quoteID)
        else { throw APIError.field("/quoteId", .unknownReference, "is absent or not yours") }
        guard
            let from = try await database.queryOne(AccountStatements.reference, quote.from),
            let to = try await database.queryOne(AccountStatements.reference, quote.to)
        else { throw APIError(.internalError) }
        let parties = Parties(from: from, to: to)
        let rate = try quote.rate?.rate(from: from.currency, to: to.currency)
        let amounts: (debit: Int64, credit: Int64)
        if let debit = quote.debit, let credit = quote.credit {
            guard body.amount == nil else {
                throw APIError.field("/amount", .invalidValue, "the quote says it")
            }
            amounts = (debit, credit)
        } else {
            guard let amount = body.amount else {
                throw APIError.field("/amount", .required, "the quote does not say it")
            }
            amounts = try parties.amounts(of: amount, at: rate)
        }
        var plan = Plan(parties, amounts)
        plan.quote = quoteID
        plan.rate = rate
        return plan
    }

    /// Within one currency nothing has to be fixed.
    private func planWithout(_ body: NewTransfer, for user: ID<User>) async throws -> Plan {
        var errors: [FieldError] = []
        func require(_ isThere: Bool, _ pointer: String, _ detail: String) {
            if !isThere {
                errors.append(FieldError(pointer: pointer, code: .required, detail: detail))
            }
        }
        require(body.fromAccountID != nil, "/fromAccountId", "needed without quoteId")
        require(body.amount != nil, "/amount", "needed without quoteId")
        require(
            (body.toIBAN == nil) != (body.toAccountID == nil),
            "/toIban",
            "either toIban or toAccountId"
        )
        guard errors.isEmpty, let from = body.fromAccountID, let amount = body.amount else {
            throw APIError(.invalidBody, errors: errors)
        }
        if let own = body.toAccountID { return Plan(from: from, toOwn: own, amount) }
        let parties = try await Parties.find(
            from: from,
            toAccount: nil,
            toIBAN: body.toIBAN,
            for: user,
            in: database,
            registry
        )
        guard parties.from.currency == parties.to.currency else {
            throw APIError(.currencyMismatch, "across currencies a quote is needed")
        }
        return Plan(parties, try parties.amounts(of: amount, at: nil))
    }
}

/// One transfer, for whoever owns one of its accounts.
struct GetTransfer: Handler {
    static let endpoint = Transfers.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TransferView> {
        let id = try request.path.id(of: Transfer.self)
        guard
            let row = try await database.queryOne(TransferStatements.find, caller.user.id, id)
        else { throw APIError.notFound }
        return .ok(try row.view(for: caller.user.id))
    }
}
