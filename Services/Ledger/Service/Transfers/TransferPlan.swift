import IBANs
import Postgres
import ServiceKit
import WalletProtocol

/// Who pays whom how much.
struct TransferPlan {
    let from: ID<Account>
    let to: ID<Account>
    /// Whether both are the caller's.
    let isOwn: Bool
    let debit: Money
    let credit: Money
    var payeeName: String?
    var quote: ID<Quote>?
    var rate: ExchangeRate?
    var reference: String?
    let id = ID<Transfer>.new()

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

    /// What moves the money, or holds it until then.
    func posting(
        _ operation: Posting.Operation?,
        by user: ID<User>,
        _ person: Person,
        on day: Day,
        heldUntil: Instant?
    ) -> Posting {
        var posting = Posting(heldUntil == nil ? .transfer : .hold, operation, by: user, on: from)
        posting.counter = to
        posting.counterIsOwn = isOwn
        posting.amount = debit.minorUnits
        posting.currency = debit.currency
        posting.counterAmount = credit.minorUnits
        posting.quote = quote
        posting.transaction = .new()
        posting.counterTransaction = .new()
        posting.transfer = id
        posting.day = day
        posting.name = payeeName
        posting.counterName = isOwn ? nil : person.displayName
        posting.reference = reference
        posting.expires = heldUntil
        return posting
    }

    /// What the caller is shown of it, once it is done.
    func view(heldUntil: Instant?) -> TransferView {
        TransferView(
            id: id,
            state: heldUntil == nil ? .posted : .pending,
            fromAccountID: from,
            toAccountID: isOwn ? to : nil,
            debit: debit,
            credit: credit,
            rate: rate?.view,
            reference: reference,
            expiresAt: heldUntil,
            createdAt: id.instant
        )
    }
}

/// Finds out who pays whom how much: of many with as many statements as of one.
struct TransferPlanner {
    let database: Database
    let accounts: AccountLookup
    let registry: IBANRegistry

    /// Characters of a reference, some of which are more than one once they are composed.
    static let referenceMax = 140

    /// Whether a composed reference is no longer than that.
    static func hasRoom(for reference: String?) -> Bool {
        reference.map { $0.unicodeScalars.count <= referenceMax } ?? true
    }

    /// What is asked of the database before anything is planned.
    private struct Known {
        var quotes: [ID<Quote>: QuoteRow] = [:]
        var found = AccountLookup.Found()
        /// What those payers are to who asks that are not their own.
        var standing = AccountStanding()
    }

    /// The plan of each, or why there is none.
    func plans(
        _ bodies: [NewTransfer],
        for user: ID<User>
    ) async throws -> [Result<TransferPlan, APIError>] {
        let known = try await look(for: bodies, of: user)
        return bodies.map { body in
            do throws(APIError) { return .success(try plan(body, for: user, known)) } catch {
                return .failure(error)
            }
        }
    }

    private func look(for bodies: [NewTransfer], of user: ID<User>) async throws -> Known {
        var known = Known()
        let quotes = Set(bodies.compactMap(\.quoteID))
        var named: Set<ID<Account>> = []
        var payers: Set<ID<Account>> = []
        if !quotes.isEmpty {
            let rows = try await database.query(
                TransferStatements.quotes,
                user,
                Array(quotes)
            )
            for row in rows {
                known.quotes[row.id] = row
                named.insert(row.from)
                if let to = row.to { named.insert(to) }
            }
        }
        var ibans: Set<String> = []
        for body in bodies where body.quoteID == nil {
            guard let text = body.toIBAN else { continue }
            if let from = body.fromAccountID { payers.insert(from) }
            if let iban = registry.iban(text) { ibans.insert(iban.text) }
        }
        known.found = try await accounts.find(named.union(payers), ibans: ibans)
        // A quote's payer is the one who asked for it.
        let others = payers.filter { known.found.accounts[$0]?.owner != user }
        known.standing = try await .find(of: user, to: Array(others), in: database)
        return known
    }

    /// The same refusals, with what may be told of the accounts.
    ///
    /// Between own accounts nothing is looked up before it is posted, and the function finds
    /// first what is wrong with the one that gets: whoever names a stranger's as the one that pays
    /// is not to learn that it is there.
    func explained(
        _ refusals: [(error: APIError, plan: TransferPlan)],
        for user: ID<User>
    ) async throws -> [APIError] {
        let pointers = ["/fromAccountId", "/toAccountId"]
        func isOfAccounts(_ error: APIError) -> Bool {
            error.errors.first.map { pointers.contains($0.pointer) } == true
        }
        let refusals = refusals.map { (error: $0.error.ofTransfer, plan: $0.plan) }
        let accounts = refusals.filter { isOfAccounts($0.error) }
            .flatMap { [$0.plan.from, $0.plan.to] }
        let standing = try await AccountStanding.find(
            of: user,
            to: Array(Set(accounts)),
            in: database
        )
        return refusals.map { error, plan in
            guard isOfAccounts(error) else { return error }
            if let refusal = standing.refusal(of: plan.from, pointers[0]) { return refusal }
            guard plan.isOwn else { return error }
            return standing.refusal(of: plan.to, pointers[1]) ?? error
        }
    }

    private func plan(
        _ body: NewTransfer,
        for user: ID<User>,
        _ known: Known
    ) throws(APIError) -> TransferPlan {
        let reference = body.reference.map(composed)
        guard Self.hasRoom(for: reference) else {
            throw APIError.field("/reference", .tooLong, "is too long in normal form C")
        }
        var plan =
            body.quoteID == nil
            ? try planWithout(body, for: user, known) : try planQuoted(body, known)
        if body.hold, plan.debit.currency != plan.credit.currency {
            throw APIError(.currencyMismatch, "only what stays in one currency can be held")
        }
        plan.reference = reference
        return plan
    }

    private func planQuoted(
        _ body: NewTransfer,
        _ known: Known
    ) throws(APIError) -> TransferPlan {
        guard body.fromAccountID == nil, body.toIBAN == nil, body.toAccountID == nil else {
            throw APIError.field("/quoteId", .invalidValue, "says what the other fields would")
        }
        guard let id = body.quoteID, let quote = known.quotes[id] else {
            throw APIError.field("/quoteId", .unknownReference, "is absent or not yours")
        }
        guard let target = quote.to else {
            throw APIError.field("/quoteId", .invalidValue, "is for a deposit that is to be opened")
        }
        guard let from = known.found.accounts[quote.from], let to = known.found.accounts[target]
        else {
            throw APIError(.internalError)
        }
        let parties = Parties(from: from, to: to)
        let rate = try quote.rate?.rate(from: from.currency, to: to.currency)
        var plan = TransferPlan(parties, try quote.amounts(body.amount, parties.amounts, at: rate))
        plan.quote = id
        plan.rate = rate
        return plan
    }

    /// Within one currency nothing has to be fixed.
    private func planWithout(
        _ body: NewTransfer,
        for user: ID<User>,
        _ known: Known
    ) throws(APIError) -> TransferPlan {
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
        if let own = body.toAccountID { return TransferPlan(from: from, toOwn: own, amount) }
        guard let payer = known.found.accounts[from], payer.owner == user else {
            throw known.standing.refusal(of: from, "/fromAccountId") ?? APIError(.internalError)
        }
        guard let text = body.toIBAN, let iban = registry.iban(text),
            let payee = known.found.ibans[iban.text]
        else { throw APIError(.unknownIBAN) }
        let parties = try Parties(from: payer, to: payee).checked("/toIban")
        guard parties.from.currency == parties.to.currency else {
            throw APIError(.currencyMismatch, "across currencies a quote is needed")
        }
        return TransferPlan(parties, try parties.amounts(of: amount, at: nil))
    }
}

extension QuoteRow {
    /// The quote's amounts, or those that `convert` makes of `amount` where it has none.
    func amounts(
        _ amount: Money?,
        _ convert: (Money, ExchangeRate?) throws(APIError) -> (debit: Int64, credit: Int64),
        at rate: ExchangeRate?
    ) throws(APIError) -> (debit: Int64, credit: Int64) {
        if let debit, let credit {
            guard amount == nil else {
                throw APIError.field("/amount", .invalidValue, "the quote says it")
            }
            return (debit, credit)
        }
        guard let amount else {
            throw APIError.field("/amount", .required, "the quote does not say it")
        }
        return try convert(amount, rate)
    }
}
