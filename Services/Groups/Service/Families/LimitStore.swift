import ServiceKit
import WalletProtocol

/// Who may say, and see, what a child may spend; the ledger keeps it and holds the child to it.
struct LimitStore {
    let families: FamilyStore
    let allowances: AllowanceStore
    let ledger: LimitLedger

    /// A child's limits: for parents, and for the child.
    /// - Throws: 404 without a family or such a child, `parents-only`, `member-is-parent`.
    func find(of named: ID<User>?, for user: ID<User>) async throws -> SpendingLimitsView {
        let child = named ?? user
        let family = try await family(of: child, for: user, alsoForTheChild: true)
        return try await ledger.find(family, child)
    }

    /// All limits of a child anew, by a parent.
    /// - Throws: 404 without a family or such a child, `parents-only`, `member-is-parent`, 412, or
    ///   what the ledger finds wrong.
    func set(
        _ limits: SpendingLimits,
        of named: ID<User>?,
        by user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> SpendingLimitsView {
        let child = named ?? user
        let family = try await family(of: child, for: user, alsoForTheChild: false)
        return try await ledger.set(limits, family, child, ifMatch)
    }

    /// The family, once the ledger has the child's account.
    private func family(
        of child: ID<User>,
        for user: ID<User>,
        alsoForTheChild: Bool
    ) async throws -> ID<Family> {
        let family = try await families.family(
            of: child,
            for: user,
            alsoForTheChild: alsoForTheChild
        )
        try await allowances.finish(of: child, in: family)
        return family
    }
}
