import Postgres
import ServiceKit
import WalletProtocol

/// Children's accounts in the ledger: made, paid into, and let go.
final class AllowanceStore {
    private let database: Database
    private let families: FamilyStore
    let ledger: AllowanceLedger

    init(database: Database, families: FamilyStore, ledger: AllowanceLedger) {
        self.database = database
        self.families = families
        self.ledger = ledger
    }

    /// Does what is noted, some of it: whoever's earlier note is not done yet waits.
    func finishSome() async throws {
        var after: Int64 = 0
        var failed: Set<ID<User>> = []
        while true {
            let tasks = try await database.query(FamilyStatements.tasks, after)
            guard let last = tasks.last else { return }
            after = last.number
            for task in tasks where !failed.contains(task.child) {
                if try await !finish(task) { failed.insert(task.child) }
            }
        }
    }

    /// Does what is noted of one child.
    func finish(of child: ID<User>, in family: ID<Family>) async throws {
        for task in try await database.query(FamilyStatements.tasksOfChild, child, family) {
            guard try await finish(task) else { return }
        }
    }

    /// - Returns: whether it is done; it is tried again where the ledger does not answer.
    private func finish(_ task: AllowanceTask) async throws -> Bool {
        do {
            switch task.action {
            case .open: try await ledger.open(task)
            case .release: try await ledger.release(task)
            }
        } catch let error as APIError where error.code == .notFound {
            // Who is erased has no account, and needs none.
        } catch { return false }
        try await database.execute(FamilyStatements.deleteTask, task.number)
        return true
    }

    /// The id that the ledger pays once for, noted beside the key: whoever repeats a call that was
    /// cut off is answered with the same payment.
    ///
    /// A key that is forgotten pays anew.
    /// - Throws: `idempotency-key-reused` where it was asked for something else.
    private func payment(
        under key: IdempotencyScope?
    ) async throws -> ID<AllowanceOrder> {
        guard let key else { return .new() }
        let id = key.noteID
        try await database.execute(
            FamilyStatements.notePayment,
            id,
            key.requestHash,
            ID<AllowanceOrder>.new()
        )
        let noted = try await database.queryOne(FamilyStatements.notedPayment, id)
        guard let noted, noted.requestHash == key.requestHash else {
            throw APIError(.idempotencyKeyReused)
        }
        return noted.order
    }

    /// Whether a payment has been asked for under a key: it may have been paid.
    func hasBegun(under key: IdempotencyScope?) async throws -> Bool {
        guard let key else { return false }
        return try await database.queryOne(FamilyStatements.notedPayment, key.noteID) != nil
    }

    /// Payments' keys that are of use to nobody any more.
    func deleteOld() async throws {
        try await database.execute(FamilyStatements.deleteOldPayments)
    }

    /// Whether one can be paid, before it is.
    /// - Throws: 404, 403, or 422 with all that is wrong with the fields.
    func check(
        _ body: NewAllowance,
        to child: ID<User>,
        by user: UserIdentity,
        today: Day
    ) async throws {
        let family = try await families.asParent(user.id)
        _ = try await families.child(child, of: user.id)
        var faults: [FieldError] = []
        if body.amount.currency != family.currency {
            let detail = "must be the family's currency, \(family.currency)"
            faults.note("/amount/currency", .currencyMismatch, detail)
        }
        if let fault = body.rule?.fault(from: today) { faults.append(fault) }
        // By itself the ledger finds it as it pays.
        if !faults.isEmpty, let account = body.fromAccountID {
            let agreement = AllowanceAgreement(fromAccountID: account, amount: body.amount)
            do { try await ledger.agree(.new(), agreement, user) } catch let error as APIError {
                if [.notFound, .invalidBody].contains(error.code) {
                    faults.note("/fromAccountId", .unknownReference, "is absent or not yours")
                }
            }
        }
        try faults.check()
    }

    /// Pays a child, once for each key.
    func pay(
        _ body: NewAllowance,
        under key: IdempotencyScope?,
        to child: ID<User>,
        by user: UserIdentity
    ) async throws -> AllowanceView {
        let family = try await families.asParent(user.id)
        _ = try await families.child(child, of: user.id)
        try await finish(of: child, in: family.id)
        let payment = try await payment(under: key)
        let receipt: AllowanceReceipt
        do {
            receipt = try await ledger.pay(
                payment,
                AllowancePayment(
                    familyID: family.id,
                    childID: child,
                    parentID: user.id,
                    amount: body.amount,
                    fromAccountID: body.fromAccountID,
                    name: body.name,
                    isProved: user.hasFreshProof
                )
            )
        } catch let error as APIError
            where body.fromAccountID != nil && [.notFound, .invalidBody].contains(error.code)
        {
            // Absent, another's, or the child's own.
            throw APIError.field(
                "/fromAccountId",
                .unknownReference,
                "is absent or not yours"
            )
        }
        return AllowanceView(
            id: payment,
            childID: child,
            amount: body.amount,
            accountID: receipt.accountID,
            transactionID: receipt.transactionID,
            transferID: receipt.transferID
        )
    }
}
