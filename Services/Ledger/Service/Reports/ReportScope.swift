import Postgres
import ServiceKit
import WalletProtocol

/// Which accounts and categories a report is of, once it is known that they are the person's.
struct ReportScope: Sendable {
    let user: ID<User>
    /// What may be in it: without a choice, all that the person sees.
    var accounts: [ReportAccount]
    /// Whether they were chosen by name.
    let isChosen: Bool
    /// Any of them; all where there are none.
    let categories: [CategoryID]

    /// Whose balances are told: chosen ones, or all of one's own, for what others share is theirs.
    var held: [ReportAccount] { isChosen ? accounts : accounts.filter(\.isOwn) }

    /// Reads what is named.
    ///
    /// What is absent, or another's, is noted, all of it under the name of its parameter; nobody
    /// learns which of the two it is.
    static func read(
        _ subject: ReportSubject,
        accounts chosen: [ID<Account>],
        categories: [CategoryID],
        _ transaction: Transaction,
        noting errors: inout [FieldError]
    ) async throws -> ReportScope {
        var accounts = try await transaction.query(ReportStatements.accounts, subject.user)
        if subject.isOfChild { accounts.removeAll { !$0.isOwn } }
        if !chosen.isEmpty {
            note("accountId", chosen, known: accounts.map(\.id), &errors)
            accounts.removeAll { !chosen.contains($0.id) }
        }
        if !categories.isEmpty {
            let known = try await transaction.query(
                ReportStatements.categories,
                subject.user,
                categories
            )
            note("categoryId", categories, known: known, &errors)
        }
        return ReportScope(
            user: subject.user,
            accounts: accounts,
            isChosen: !chosen.isEmpty,
            categories: Set(categories).sorted()
        )
    }

    private static func note<Thing>(
        _ name: String,
        _ named: [ID<Thing>],
        known: [ID<Thing>],
        _ errors: inout [FieldError]
    ) {
        let known = Set(known)
        for (index, id) in named.enumerated() where !known.contains(id) {
            errors.note(name, .unknownReference, "number \(index + 1) is absent or not yours")
        }
    }
}
