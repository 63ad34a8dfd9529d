import IBANs
import Loops
import Postgres
import Schedules
import ServiceKit
import WalletProtocol

/// Makes standing orders.
struct StandingOrderMaker {
    let database: Database
    let people: People
    let registry: IBANRegistry
    let rates: RateStore
    let blocking: BlockingPool
    let proof: StandingOrderProof
    /// After how many days a rate makes no price any more; nil: never.
    let rateDaysMax: Int?

    /// As many may one person have.
    static let perPersonMax: Int64 = 500

    /// An order that whoever asks may make, and what it is announced as until it stands.
    /// - Throws: what is wrong with the fields, all of them at once; then what a transfer at once
    ///   would be refused for, whatever there is in the account; then `step-up-required`.
    func plan(
        _ body: NewStandingOrder,
        by user: UserIdentity
    ) async throws -> (order: StoredOrder, announced: ID<Posting.Operation>?) {
        let person = try await people.person(user.id)
        let first = body.startDate ?? people.today(for: person)
        let reference = body.reference.map(composed)
        try check(body, from: first, today: people.today(for: person), reference)
        let parties = try await Parties.find(
            from: body.fromAccountID,
            toAccount: body.toAccountID,
            toIBAN: body.toIBAN,
            for: user.id,
            in: database,
            registry
        )
        try parties.checkState()
        try await checkAmount(body.amount, of: parties)
        let order = StoredOrder(
            body,
            of: parties,
            from: first,
            reference: reference,
            isProved: user.hasFreshProof
        )
        return (order, try await proof.check(order, by: user))
    }

    private func check(
        _ body: NewStandingOrder,
        from first: Day,
        today: Day,
        _ reference: String?
    ) throws(APIError) {
        var errors: [FieldError] = []
        func require(_ holds: Bool, _ pointer: String, _ code: FieldCode, _ detail: String) {
            if !holds { errors.append(FieldError(pointer: pointer, code: code, detail: detail)) }
        }
        require(
            (body.toIBAN == nil) != (body.toAccountID == nil),
            "/toIban",
            .required,
            "either toIban or toAccountId"
        )
        require(first >= today, "/startDate", .outOfRange, "must not have passed")
        errors += StoredOrder.faults(of: body.rule, from: first, reference)
        guard errors.isEmpty else { throw APIError(.invalidBody, errors: errors) }
    }

    /// In the payer's currency, and worth something in the payee's.
    private func checkAmount(_ amount: Money, of parties: Parties) async throws {
        let (source, target) = (parties.from.currency, parties.to.currency)
        guard amount.currency == source else { throw APIError(.currencyMismatch) }
        guard source != target else { return }
        let history = try await rates.history(on: blocking)
        _ = try OrderPrice(amount, in: target, by: history, daysMax: rateDaysMax)
    }

    /// Writes it.
    /// - Throws: `.tooManyStandingOrders`.
    func insert(
        _ order: StoredOrder,
        in transaction: Transaction
    ) async throws -> StandingOrderRow {
        try await ErasedUsers.hold([order.user], in: transaction)
        guard let person = try await transaction.queryOne(PeopleStatements.find, order.user)
        else { throw APIError(.unauthenticated) }
        guard
            let count = try await transaction.queryOne(StandingOrderStatements.count, order.user),
            count < Self.perPersonMax
        else { throw APIError(.tooManyStandingOrders) }
        try await transaction.execute(
            StandingOrderStatements.insert,
            order.id,
            order.user,
            order.from,
            order.to,
            order.isOwn,
            order.amount.currency.code,
            order.target.code,
            order.amount.minorUnits,
            order.reference,
            Int32(order.rule.every),
            order.rule.unit.rawValue,
            order.rule.until,
            order.anchor,
            Int32(order.nextNumber),
            order.nextDay,
            order.isProved,
            order.lookAt(in: person.timeZone),
            order.createdAt
        )
        guard
            let row = try await transaction.queryOne(
                StandingOrderStatements.find,
                order.user,
                order.id
            )
        else { throw APIError(.internalError) }
        return row
    }
}
