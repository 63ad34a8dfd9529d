import Postgres
import ServiceKit
import WalletProtocol

/// Pays allowances.
///
/// A transfer goes to somebody else: `StepUpRule` lets it pass, with the proof that the parent had
/// when they ordered it. One that comes again is held to it each time that it is paid: who ordered
/// many without a proof gets no more through than by transfers.
struct AllowancePayments {
    let database: Database
    let people: People
    let stepUp: StepUpRule
    let relayBell: RelayBell

    /// Pays one; what was paid before is told again.
    /// - Throws: 404 where the child has no account in the family, `step-up-required`, or what the
    ///   posting says.
    func pay(
        _ id: ID<AllowanceOrder>,
        _ payment: AllowancePayment
    ) async throws -> AllowanceReceipt {
        try await pay(id, payment, on: try await day(of: payment))
    }

    /// What became of one, which is decided by now: paid, or refused for good, as a row with its id
    /// says that commits with the money, or once the money's transaction has ended.
    /// - Throws: that it cannot be decided now.
    func decide(
        _ id: ID<AllowanceOrder>,
        _ payment: AllowancePayment
    ) async throws -> AllowanceOutcome {
        if let known = try await database.queryOne(AllowanceStatements.payment, id) {
            return known.outcome
        }
        let day = try await day(of: payment)
        do {
            let receipt = try await pay(id, payment, on: day)
            return AllowancePaymentRow.paid(receipt).outcome
        } catch let refusal as APIError where refusal.decides {
            return try await database.transaction { transaction in
                try await transaction.execute(AllowanceStatements.refuse, id, refusal.code.text)
                let made = try await transaction.queryOne(AllowanceStatements.payment, id)
                guard let made else { throw APIError(.internalError) }
                return made.outcome
            }
        }
    }

    /// Whether a parent may order it, who is there.
    /// - Throws: `unknown-reference`, what a transfer is refused for whatever the account holds, or
    ///   `step-up-required`.
    func agree(_ agreement: AllowanceAgreement, by user: UserIdentity) async throws {
        let payer = try await Parties.payer(agreement.fromAccountID, of: user.id, in: database)
        guard !payer.isClosed else { throw APIError(.accountClosed) }
        guard payer.kind == .current || payer.kind == .deposit else { throw APIError(.accountKind) }
        guard payer.currency == agreement.amount.currency else { throw APIError(.currencyMismatch) }
        let operation = ID<Posting.Operation>.new()
        try await stepUp.check([agreement.amount], as: operation, by: user)
        // Nothing is posted by it.
        try await stepUp.withdraw(operation, of: user.id)
    }

    /// The day that it is where the money comes from.
    private func day(of payment: AllowancePayment) async throws -> Day {
        let child = try await people.person(payment.childID)
        let parent = try await people.person(payment.parentID)
        return people.today(for: payment.fromAccountID == nil ? child : parent)
    }

    private func pay(
        _ id: ID<AllowanceOrder>,
        _ payment: AllowancePayment,
        on day: Day
    ) async throws -> AllowanceReceipt {
        guard payment.amount.minorUnits > 0 else {
            throw APIError.field("/amount", .outOfRange, "must be above zero")
        }
        if let known = try await database.queryOne(AllowanceStatements.payment, id) {
            return try known.receipt
        }
        guard payment.fromAccountID != nil else { return try await post(id, payment, on: day) }
        let operation = Self.operation(of: id).id
        let (parent, isProved) = (payment.parentID, payment.isProved)
        try await stepUp.check([payment.amount], as: operation, by: parent, isProved: isProved)
        do {
            return try await post(id, payment, on: day)
        } catch {
            // What is not posted counts for nothing.
            try await stepUp.withdraw(operation, of: parent)
            throw error
        }
    }

    private func post(
        _ id: ID<AllowanceOrder>,
        _ payment: AllowancePayment,
        on day: Day
    ) async throws -> AllowanceReceipt {
        let receipt = try await database.posting { transaction in
            if let known = try await transaction.queryOne(AllowanceStatements.payment, id) {
                return try known.receipt
            }
            return try await post(id, payment, on: day, transaction)
        }
        relayBell.ring()
        return receipt
    }

    private func post(
        _ id: ID<AllowanceOrder>,
        _ payment: AllowancePayment,
        on day: Day,
        _ transaction: Transaction
    ) async throws -> AllowanceReceipt {
        try await ErasedUsers.hold([payment.childID, payment.parentID], in: transaction)
        guard
            let account = try await transaction.queryOne(
                AllowanceStatements.find,
                payment.familyID,
                payment.childID
            )
        else { throw APIError.notFound }
        let outcomes = try await transaction.postIfFree([
            posting(of: id, payment, to: account, on: day)
        ])
        guard let outcome = try outcomes.first?.posted(), let own = outcome.transaction else {
            throw APIError(.internalError)
        }
        var told = own
        if let transfer = outcome.transfer,
            let sides = try await transaction.queryOne(TransferStatements.sides, transfer)
        {
            told = sides.to
        }
        let kept = try await transaction.execute(
            AllowanceStatements.keep,
            id,
            account,
            told,
            outcome.transfer
        )
        // Paid, or refused for good, meanwhile: the money stays where it is.
        guard kept == 1 else { throw TryAgain() }
        return AllowanceReceipt(
            accountID: account,
            transactionID: told,
            transferID: outcome.transfer
        )
    }

    private static func operation(of id: ID<AllowanceOrder>) -> Posting.Operation {
        Posting.Operation(work: "allowance \(id)", part: 0)
    }

    private func posting(
        of id: ID<AllowanceOrder>,
        _ payment: AllowancePayment,
        to account: ID<Account>,
        on day: Day
    ) -> Posting {
        let operation = Self.operation(of: id)
        let name = payment.name.map(composed) ?? "Allowance"
        var posting: Posting
        if let from = payment.fromAccountID {
            posting = Posting(.transfer, operation, by: payment.parentID, on: from)
            posting.counter = account
            posting.transfer = .new()
            posting.counterTransaction = .new()
            posting.counterName = name
        } else {
            posting = Posting(.record, operation, by: nil, on: account)
        }
        posting.transaction = .new()
        posting.amount = payment.amount.minorUnits
        posting.currency = payment.amount.currency
        posting.day = day
        posting.name = name
        return posting
    }
}

/// What became of a payment.
enum AllowancePaymentRow: Sendable {
    case paid(AllowanceReceipt)
    case refused(String)

    /// What was paid.
    /// - Throws: why nothing was.
    var receipt: AllowanceReceipt {
        get throws(APIError) {
            switch self {
            case .paid(let receipt): return receipt
            case .refused(let code): throw APIError(ErrorCode.named(code) ?? .internalError)
            }
        }
    }

    /// As whoever pays it again and again is told.
    var outcome: AllowanceOutcome {
        switch self {
        case .paid(let receipt):
            AllowanceOutcome(
                transactionID: receipt.transactionID,
                transferID: receipt.transferID,
                refusal: nil
            )
        case .refused(let code): AllowanceOutcome(transactionID: nil, refusal: code)
        }
    }
}
