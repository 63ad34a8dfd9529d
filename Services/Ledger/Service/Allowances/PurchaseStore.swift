import Postgres
import ServiceKit
import WalletProtocol

/// Posts what parents have approved of, each once and for all, or says why not.
///
/// Either is one row with the id that groups gave it. A transaction's commits with the money; a
/// refusal's is written once the money's transaction has ended, unless another call has posted it
/// meanwhile: whoever asks again, or late, is told the same. Only what refuses the purchase itself
/// is kept: that the child cannot be looked up just now says nothing of it.
struct PurchaseStore {
    let database: Database
    let people: People
    let relayBell: RelayBell

    /// What became of one, which is decided by now.
    /// - Throws: that it cannot be decided now.
    func post(
        _ id: ID<Approval>,
        _ purchase: ApprovedPurchase
    ) async throws -> PurchaseOutcome {
        if let known = try await database.queryOne(PurchaseStatements.find, id) { return known }
        let today = people.today(for: try await people.person(purchase.childID))
        do {
            return try await record(id, purchase, on: today)
        } catch let refusal as APIError where refusal.decides {
            return try await database.transaction { transaction in
                try await decide(id, nil, refusal.code.text, transaction)
            }
        }
    }

    private func record(
        _ id: ID<Approval>,
        _ purchase: ApprovedPurchase,
        on today: Day
    ) async throws -> PurchaseOutcome {
        let outcome = try await database.posting { transaction in
            try await ErasedUsers.hold([purchase.childID], in: transaction)
            let (family, user) = (purchase.familyID, purchase.childID)
            guard
                let account = try await transaction.queryOne(AllowanceStatements.find, family, user)
            else { throw APIError.notFound }
            let posting = posting(of: id, purchase, on: account, today)
            let made = try await decide(id, posting.transaction, nil, transaction)
            guard made.transactionID == posting.transaction else { return made }
            _ = try await transaction.postIfFree([posting]).first?.posted()
            return made
        }
        relayBell.ring()
        return outcome
    }

    /// What is decided, by this or by whoever was quicker.
    private func decide(
        _ id: ID<Approval>,
        _ posted: ID<MoneyTransaction>?,
        _ refusal: String?,
        _ transaction: Transaction
    ) async throws -> PurchaseOutcome {
        try await transaction.execute(PurchaseStatements.insert, id, posted, refusal)
        let made = try await transaction.queryOne(PurchaseStatements.find, id)
        guard let made else { throw APIError(.internalError) }
        return made
    }

    private func posting(
        of id: ID<Approval>,
        _ purchase: ApprovedPurchase,
        on account: ID<Account>,
        _ today: Day
    ) -> Posting {
        let operation = Posting.Operation(work: "purchase \(id)", part: 0)
        var posting = Posting(.record, operation, by: purchase.childID, on: account)
        posting.transaction = .new()
        posting.amount = -purchase.amount.minorUnits
        posting.currency = purchase.amount.currency
        posting.approved = purchase.amount.minorUnits
        posting.day = purchase.date ?? today
        posting.category = purchase.categoryID
        posting.name = composed(purchase.name)
        posting.description = purchase.description.map(composed)
        return posting
    }
}

extension APIError {
    /// Whether it is of what was to be posted, and not of those who could not be asked just now.
    var decides: Bool { code.status < 500 && code != .tooManyRequests }
}
