import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// What children ask for: asked, read and withdrawn.
///
/// `ApprovalDecisions` decides.
struct ApprovalStore {
    let database: Database
    let families: FamilyStore
    let allowances: AllowanceStore
    let limits: LimitLedger

    /// What the category that is named is called, once all that a child asks for is there.
    /// - Throws: 404 without a family, `member-is-parent`, 422 with every fault.
    func check(_ body: NewApproval, by user: ID<User>) async throws -> String? {
        let family = try await families.find(for: user)
        guard family.role == .child else { throw APIError(.memberIsParent) }
        try await allowances.finish(of: user, in: family.id)
        let known = try await limits.find(family.id, user)
        var category: LimitableCategory?
        if let id = body.categoryID { category = try await limits.category(id, user, family.id) }
        var faults: [FieldError] = []
        func fail(_ pointer: String, _ code: FieldCode, _ detail: String) {
            faults.append(FieldError(pointer: pointer, code: code, detail: detail))
        }
        if let account = body.accountID, account != known.accountID {
            fail("/accountId", .unknownReference, "is not your account for allowances")
        }
        if body.amount.currency != family.currency {
            let detail = "must be the family's currency, \(family.currency)"
            fail("/amount/currency", .currencyMismatch, detail)
        }
        if body.categoryID != nil, category == nil {
            fail("/categoryId", .unknownReference, "is absent or not yours")
        }
        if !faults.isEmpty { throw APIError(.invalidBody, errors: faults) }
        return category?.name
    }

    /// Asks, and tells every parent.
    /// - Throws: 404 without a family, `too-many-approvals`, `too-many-requests`.
    func ask(
        _ body: NewApproval,
        categoryName: String?,
        by user: ID<User>,
        in transaction: Transaction
    ) async throws -> ApprovalView {
        try await ErasedUsers.hold([user], in: transaction)
        let family = try await FamilyStore.lock(user, transaction)
        guard family.role == .child else { throw APIError(.memberIsParent) }
        let counts = try await transaction.queryOne(ApprovalStatements.counts, family.id, user)
        if let counts, counts.pending >= Approvals.pendingMax {
            throw APIError(.tooManyApprovals)
        }
        if let counts, counts.today >= Approvals.dayMax {
            throw APIError(.tooManyRequests, retryAfterSeconds: 3_600)
        }
        let id = ID<Approval>.new()
        try await transaction.execute(
            ApprovalStatements.insert,
            id,
            family.id,
            user,
            body.amount.minorUnits,
            body.amount.currency,
            body.name,
            body.categoryID,
            categoryName,
            body.description,
            body.date
        )
        let members = try await transaction.query(FamilyStatements.members, family.id)
        try await Outbox.append(
            FamilyApprovalAsked(
                familyID: family.id,
                approvalID: id,
                childID: user,
                amount: body.amount,
                userIDs: members.filter { $0.role == .parent }.map(\.user)
            ),
            of: "family:\(family.id.text)",
            in: transaction
        )
        return try await Self.find(id, in: family, for: user, transaction).view
    }

    func find(_ id: ID<Approval>, for user: ID<User>) async throws -> ApprovalView {
        let family = try await families.row(of: user)
        return try await Self.find(id, in: family, for: user, database).view
    }

    /// - Throws: 404 where it is of another family or, for a child, another's.
    static func find(
        _ id: ID<Approval>,
        in family: FamilyRow,
        for user: ID<User>,
        _ database: some Querying
    ) async throws -> ApprovalRow {
        let found = try await database.queryOne(ApprovalStatements.find(id, in: family.id))
        guard let found, family.role == .parent || found.view.childID == user else {
            throw APIError.notFound
        }
        return found
    }

    /// Newest first: of the whole family for a parent, of themselves for a child.
    func list(_ query: PageQuery, for user: ID<User>) async throws -> Page<ApprovalView> {
        let family = try await families.row(of: user)
        let before = try query.cursor?.decode(ID<Approval>.self) ?? ID(high: .max, low: .max)
        let rows = try await database.query(
            ApprovalStatements.list(
                of: family.role == .child ? user : nil,
                in: family.id,
                before: before,
                limit: query.limit + 1
            )
        )
        return Page(rows: rows.map(\.view), limit: query.limit) { Cursor($0.id) }
    }

    /// - Throws: 404 for another's, `member-is-parent`, 412, `already-decided`.
    func withdraw(
        _ id: ID<Approval>,
        by user: ID<User>,
        ifMatch: EntityTags? = nil
    ) async throws {
        try await database.transaction { transaction in
            let family = try await FamilyStore.lock(user, transaction)
            let found = try await Self.find(id, in: family, for: user, transaction)
            try ifMatch.check(found.view.version)
            guard family.role == .child else { throw APIError(.memberIsParent) }
            guard try await transaction.execute(ApprovalStatements.withdraw, id) == 1 else {
                throw APIError(.alreadyDecided)
            }
        }
    }
}
