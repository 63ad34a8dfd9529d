import Postgres
import ServiceKit
import WalletProtocol

/// What children may spend of their accounts.
///
/// Groups says who may ask; the posting function holds them to it.
struct LimitStore {
    let database: Database
    let people: People

    /// The limits, and what was spent of them in the child's running month.
    /// - Throws: 404 where the child has no account in the family.
    func find(_ family: ID<Family>, _ child: ID<User>) async throws -> SpendingLimitsView {
        _ = try await people.person(child)
        return try await database.transaction(Self.options) { transaction in
            try await view(try await account(family, child, transaction), of: child, transaction)
        }
    }

    /// One of the child's categories.
    /// - Throws: 404 where it is none, or the child has no account in the family.
    func category(
        _ id: CategoryID,
        of child: ID<User>,
        in family: ID<Family>
    ) async throws -> LimitableCategory {
        guard try await database.queryOne(LimitStatements.account, family, child) != nil,
            let found = try await database.queryOne(LimitStatements.category, id, child)
        else { throw APIError.notFound }
        return found
    }

    /// All limits anew; above which amount a purchase is approved of stays where nothing is said.
    /// - Throws: 404 where the child has no account in the family, 412, 422 with every fault.
    func set(
        _ limits: SpendingLimits,
        _ family: ID<Family>,
        _ child: ID<User>,
        ifMatch: EntityTags? = nil
    ) async throws -> SpendingLimitsView {
        _ = try await people.person(child)
        return try await database.posting { transaction in
            try await ErasedUsers.hold([child], in: transaction)
            let account = try await account(family, child, transaction)
            // What is compared, and what stays, is what the last one has left.
            try await transaction.execute(LimitStatements.lock, account.id.text)
            let old = try await kept(account, transaction)
            try ifMatch.check(old.version)
            try await check(limits, account.currency, of: child, transaction)
            let isSet = try await transaction.queryOne(
                LimitStatements.set,
                account.id,
                limits.limits.map(\.categoryID),
                limits.limits.map(\.amount.minorUnits),
                limits.approvalAbove.applied(to: old.approvalAbove)?.minorUnits
            )
            // Let go meanwhile.
            guard isSet == true else { throw APIError.notFound }
            return try await view(account, of: child, transaction)
        }
    }

    /// One state of limits and lines.
    private static let options = TransactionOptions(isolation: .repeatableRead)

    private typealias Purse = (
        id: ID<Account>, currency: Currency, monthStart: Int16, timeZone: String
    )

    private func account(
        _ family: ID<Family>,
        _ child: ID<User>,
        _ transaction: Transaction
    ) async throws -> Purse {
        let found = try await transaction.queryOne(LimitStatements.account, family, child)
        guard let found else { throw APIError.notFound }
        return found
    }

    private func kept(_ account: Purse, _ transaction: Transaction) async throws -> KeptLimits {
        let above = try await transaction.queryOne(LimitStatements.approvalAbove, account.id)
        return KeptLimits(
            limits: try await transaction.query(LimitStatements.ofAccount, account.id),
            approvalAbove: above.map { Money(minorUnits: $0, account.currency) }
        )
    }

    private func check(
        _ limits: SpendingLimits,
        _ currency: Currency,
        of child: ID<User>,
        _ transaction: Transaction
    ) async throws {
        let named = Set(limits.limits.compactMap(\.categoryID)).sorted()
        let known = try await transaction.query(TransactionStatements.categories, child, named)
        var faults = SpendingLimit.faults(
            in: limits.limits,
            currency: currency,
            categories: Set(known.map(\.id))
        )
        if case .set(let above) = limits.approvalAbove, above.currency != currency {
            let detail = "must be the family's currency, \(currency)"
            let pointer = "/approvalAbove/currency"
            faults.append(FieldError(pointer: pointer, code: .currencyMismatch, detail: detail))
        }
        if !faults.isEmpty { throw APIError(.invalidBody, errors: faults) }
    }

    private func view(
        _ account: Purse,
        of child: ID<User>,
        _ transaction: Transaction
    ) async throws -> SpendingLimitsView {
        let kept = try await kept(account, transaction)
        let found = try await transaction.queryOne(
            LimitStatements.month,
            Instant.now(),
            account.monthStart,
            account.timeZone
        )
        guard let month = found else { throw APIError(.internalError) }
        let counted = try await transaction.query(
            LimitStatements.counted,
            account.id,
            month.begins,
            month.ends
        )
        func spent(_ category: CategoryID?) -> Total {
            Total(minorUnits: counted.total(of: category), account.currency)
        }
        return SpendingLimitsView(
            accountID: account.id,
            from: month.from,
            to: month.to,
            spent: spent(nil),
            limits: try kept.limits.map { limit in
                let most = Money(minorUnits: limit.amount, account.currency)
                return SpendingLimitView(
                    categoryID: limit.category,
                    amount: most,
                    spent: spent(limit.category),
                    left: try Total(most).subtracting(spent(limit.category))
                )
            },
            approvalAbove: kept.approvalAbove,
            categories: try await transaction.query(LimitStatements.categories, child),
            version: kept.version
        )
    }
}

/// What parents have set.
private struct KeptLimits {
    let limits: [(category: CategoryID?, amount: Int64)]
    let approvalAbove: Money?

    /// Of what was set, in whatever order; what is spent makes no other.
    var version: String {
        let lines = limits.map { "\($0.category?.text ?? "all") \($0.amount)" }.sorted()
        let above = approvalAbove.map { "\($0.minorUnits)" } ?? "none"
        let text = (lines + [above]).joined(separator: "\n")
        return ID<SpendingLimitsView>(digesting: Array(text.utf8)).text
    }
}

extension SpendingLimit {
    /// What is wrong with limits, each by its place.
    static func faults(
        in limits: [SpendingLimit],
        currency: Currency,
        categories: Set<CategoryID>
    ) -> [FieldError] {
        var faults: [FieldError] = []
        var seen: Set<CategoryID?> = []
        for (index, limit) in limits.enumerated() {
            func fail(_ field: String, _ code: FieldCode, _ detail: String) {
                faults.append(
                    FieldError(pointer: "/limits/\(index)\(field)", code: code, detail: detail)
                )
            }
            let field = limit.categoryID == nil ? "" : "/categoryId"
            if let category = limit.categoryID, !categories.contains(category) {
                fail(field, .unknownReference, "is absent or not the child's")
            }
            if !seen.insert(limit.categoryID).inserted {
                fail(field, .duplicate, "has a limit already")
            }
            if limit.amount.currency != currency {
                fail(
                    "/amount/currency",
                    .currencyMismatch,
                    "must be the family's currency, \(currency)"
                )
            }
        }
        return faults
    }
}
