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
        let plan = try await plan(request.body, for: user)
        let (from, to) = (plan.parties.from, plan.parties.to)
        let transfer = ID<Transfer>.new()
        var posting = Posting(.transfer, Posting.Operation(scope), by: user, on: from.id)
        posting.counter = to.id
        posting.amount = plan.debit
        posting.currency = from.currency
        posting.counterAmount = plan.credit
        posting.quote = plan.quote
        posting.transaction = .new()
        posting.counterTransaction = .new()
        posting.transfer = transfer
        posting.day = person.day()
        posting.name = plan.parties.areOneOwners ? to.name : masked(to.ownerName)
        posting.counterName = plan.parties.areOneOwners ? from.name : from.ownerName
        posting.reference = reference
        let outcome = try await batcher.post(posting)
        guard let made = outcome.transfer else { throw APIError(.internalError) }
        let location = "/v1/transfers/\(made)"
        if outcome.isReplay {
            guard let row = try await database.queryOne(TransferStatements.find, user, made) else {
                throw APIError.notFound
            }
            return .created(try row.view(for: user), at: location).replayed()
        }
        let view = TransferView(
            id: made,
            state: .posted,
            fromAccountID: from.id,
            toAccountID: to.owner == user ? to.id : nil,
            debit: Money(minorUnits: plan.debit, from.currency),
            credit: Money(minorUnits: plan.credit, to.currency),
            rate: plan.rate?.view,
            reference: posting.reference,
            createdAt: .now()
        )
        return .created(view, at: location)
    }

    /// Who pays whom how much.
    private struct Plan {
        let parties: Parties
        let debit: Int64
        let credit: Int64
        let quote: ID<Quote>?
        let rate: ExchangeRate?
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
        if let debit = quote.debit, let credit = quote.credit {
            guard body.amount == nil else {
                throw APIError.field("/amount", .invalidValue, "the quote says it")
            }
            return Plan(
                parties: parties,
                debit: debit,
                credit: credit,
                quote: quoteID,
                rate: rate
            )
        }
        guard let amount = body.amount else {
            throw APIError.field("/amount", .required, "the quote does not say it")
        }
        let amounts = try parties.amounts(of: amount, at: rate)
        return Plan(
            parties: parties,
            debit: amounts.debit,
            credit: amounts.credit,
            quote: quoteID,
            rate: rate
        )
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
        let parties = try await Parties.find(
            from: from,
            toAccount: body.toAccountID,
            toIBAN: body.toIBAN,
            for: user,
            in: database,
            registry
        )
        guard parties.from.currency == parties.to.currency else {
            throw APIError(.currencyMismatch, "across currencies a quote is needed")
        }
        let amounts = try parties.amounts(of: amount, at: nil)
        return Plan(
            parties: parties,
            debit: amounts.debit,
            credit: amounts.credit,
            quote: nil,
            rate: nil
        )
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
