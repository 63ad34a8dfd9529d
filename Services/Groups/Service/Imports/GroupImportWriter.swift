import Postgres
import ServiceKit
import WalletProtocol

/// Writes what a file's rows become by the thousand, as `ExpenseStore` and `SettlementStore` write
/// one; balances and totals are the caller's, who holds the group's row.
struct GroupImportWriter {
    /// Entries of one statement, which looks up every reference when it ends: of 100 shares each
    /// they are well within the time that a statement has.
    private static let chunk = 500

    let membership: Membership
    let transaction: Transaction

    private var group: ID<Group> { membership.group.id }

    func write(_ entries: GroupImportEntries) async throws {
        try await copyExpenses(entries.expenses)
        try await copyDebts(entries.expenses)
        try await copySettlements(entries.payments)
        try await copy(GroupImportStatements.copyImported, entries.expenses) { entry, copy in
            copy.append(
                group,
                entry.fingerprint.digest,
                entry.fingerprint.occurrence,
                entry.id,
                ID<Settlement>?.none
            )
        }
        try await copy(GroupImportStatements.copyImported, entries.payments) { payment, copy in
            copy.append(
                group,
                payment.fingerprint.digest,
                payment.fingerprint.occurrence,
                ID<Expense>?.none,
                payment.ids.first
            )
        }
    }

    private func copy<Entry>(
        _ statement: CopyStatement,
        _ entries: [Entry],
        _ append: (Entry, inout CopyRows) -> Void
    ) async throws {
        var rest = entries[...]
        while !rest.isEmpty {
            try await transaction.copyIn(statement) { copy in
                for entry in rest.prefix(Self.chunk) { append(entry, &copy) }
                return false
            }
            rest = rest.dropFirst(Self.chunk)
        }
    }

    private func copyExpenses(_ expenses: [GroupImportEntries.Entry]) async throws {
        try await copy(GroupImportStatements.copyExpenses, expenses) { entry, copy in
            let draft = entry.draft
            let sides = draft.sides
            copy.append(
                group,
                entry.id,
                draft.details.name,
                draft.details.description,
                draft.amount.minorUnits,
                draft.amount.currency,
                draft.day,
                draft.splitKind?.rawValue,
                membership.member,
                draft.details.category,
                sides.payers,
                sides.paid,
                sides.bearers,
                sides.borne,
                sides.values
            )
        }
    }

    private func copyDebts(_ expenses: [GroupImportEntries.Entry]) async throws {
        try await copy(GroupImportStatements.copyDebts, expenses) { entry, copy in
            for debt in entry.debts {
                copy.append(
                    group,
                    entry.id,
                    debt.debtor,
                    debt.creditor,
                    debt.amount.currency,
                    debt.amount.minorUnits
                )
            }
        }
    }

    private func copySettlements(_ payments: [GroupImportEntries.Payment]) async throws {
        try await copy(GroupImportStatements.copySettlements, payments) { payment, copy in
            for id in payment.ids { copy.append(group, id, membership.member, payment.day) }
        }
        try await copy(GroupImportStatements.copySettlementPayments, payments) { payment, copy in
            for (id, debt) in zip(payment.ids, payment.debts) {
                // Whoever got the money owes it to whoever paid: paid was the other way round.
                copy.append(
                    group,
                    id,
                    debt.amount.currency,
                    debt.creditor,
                    debt.debtor,
                    debt.amount.minorUnits
                )
            }
        }
    }
}
