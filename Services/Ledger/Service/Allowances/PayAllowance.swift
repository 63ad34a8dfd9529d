import Postgres
import ServiceKit
import WalletProtocol

/// Pays an allowance, once for each id: a transfer from a parent's account, else recorded income.
struct PayAllowance: Handler {
    static let endpoint = InternalAllowances.pay
    let database: Database
    let people: People
    let relayBell: RelayBell

    func handle(
        _ request: Request<NoQuery, AllowancePayment>,
        as caller: Caller
    ) async throws -> Response<AllowanceReceipt> {
        let id = try request.path.id(of: AllowanceOrder.self)
        let payment = request.body
        guard payment.amount.minorUnits > 0 else {
            throw APIError.field("/amount", .outOfRange, "must be above zero")
        }
        let child = try await people.person(payment.childID)
        let parent = try await people.person(payment.parentID)
        let day = people.today(for: payment.fromAccountID == nil ? child : parent)
        let receipt = try await database.posting { transaction in
            if let known = try await transaction.queryOne(AllowanceStatements.payment, id) {
                return known
            }
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
            guard let outcome = try outcomes.first?.posted(),
                let own = outcome.transaction
            else { throw APIError(.internalError) }
            var told = own
            if let transfer = outcome.transfer {
                let row = try await transaction.queryOne(
                    TransferStatements.sides,
                    transfer
                )
                if let row { told = row.to }
            }
            try await transaction.execute(
                AllowanceStatements.keep,
                id,
                account,
                told,
                outcome.transfer
            )
            return AllowanceReceipt(
                accountID: account,
                transactionID: told,
                transferID: outcome.transfer
            )
        }
        relayBell.ring()
        return .ok(receipt)
    }

    private func posting(
        of id: ID<AllowanceOrder>,
        _ payment: AllowancePayment,
        to account: ID<Account>,
        on day: Day
    ) -> Posting {
        let operation = Posting.Operation(work: "allowance \(id)", part: 0)
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
