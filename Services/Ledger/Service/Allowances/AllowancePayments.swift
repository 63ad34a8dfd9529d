import Postgres
import ServiceKit
import WalletProtocol

/// Pays allowances.
struct AllowancePayments {
    let database: Database
    let people: People
    let relayBell: RelayBell

    /// Pays one; what was paid before is told again.
    /// - Throws: 404 where the child has no account in the family, or what the posting says.
    func pay(
        _ id: ID<AllowanceOrder>,
        _ payment: AllowancePayment
    ) async throws -> AllowanceReceipt {
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
