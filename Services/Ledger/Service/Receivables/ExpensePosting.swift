import ServiceKit
import WalletProtocol

extension ExpensePosting {
    /// What the others owe for it, in minor units; below zero, what is owed to them.
    var claim: Int64 { paid.minorUnits - share.minorUnits }

    /// - Throws: 422 naming every bad field.
    func check() throws(APIError) {
        var errors: [FieldError] = []
        if share.currency != paid.currency {
            errors.append(
                FieldError(
                    pointer: "/share/currency",
                    code: .currencyMismatch,
                    detail: "is not that of what was paid"
                )
            )
        } else if !(min(0, paid.minorUnits)...max(0, paid.minorUnits)).contains(share.minorUnits) {
            errors.append(
                FieldError(
                    pointer: "/share/amount",
                    code: .outOfRange,
                    detail: "must be between zero and what was paid"
                )
            )
        }
        if !errors.isEmpty { throw APIError(.invalidBody, errors: errors) }
    }
}

extension TransactionRow {
    /// The same as what it is posted as from now on; words of its owner's stay, and so does the
    /// category where none is named.
    mutating func take(
        _ expense: ExpensePosting,
        in category: CategoryID,
        receivable: ID<Account>?
    ) {
        (account, currency) = (expense.accountID, expense.paid.currency)
        amount = -expense.paid.minorUnits
        claim = -expense.claim
        self.receivable = receivable
        day = expense.date
        name = composed(expense.name)
        self.category = category
        // A line of its own even where nothing is shared: by it the next edit finds the expense.
        lines = expense.share.isZero ? [] : [Posting.Line(category: category, amount: share)]
    }
}
