import Postgres
import ServiceKit
import WalletProtocol

/// What groups tells the ledger of families' budgets; each call may come again.
struct HouseholdLedger {
    var leave: (ID<User>, ID<Family>, Instant) async throws -> Void
    var end: (ID<Family>) async throws -> Void

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> HouseholdLedger {
        HouseholdLedger { user, family, joinedAt in
            _ = try await client.call(
                InternalHouseholds.leave,
                path: ["familyId": family.text, "userId": user.text],
                query: HouseholdLeaving(joinedAt: joinedAt),
                body: NoBody()
            )
        } end: { family in
            _ = try await client.call(InternalHouseholds.end, path: ["familyId": family.text])
        }
    }
}

/// Tells the ledger, as often as it takes, of parents who have left and families that have ended.
struct HouseholdTasks {
    let database: Database
    let ledger: HouseholdLedger

    /// Tells of all that is noted; what the ledger does not answer is told again later.
    func finishAll() async throws {
        var after: Int64 = 0
        while true {
            let tasks = try await database.query(HouseholdStatements.tasks, after)
            guard let last = tasks.last else { return }
            after = last.number
            for task in tasks { try await finish(task) }
        }
    }

    private func finish(_ task: HouseholdTask) async throws {
        do {
            if let user = task.user, let joinedAt = task.joinedAt {
                try await ledger.leave(user, task.family, joinedAt)
            } else {
                try await ledger.end(task.family)
            }
        } catch { return }
        try await database.execute(HouseholdStatements.deleteTask, task.number)
    }
}

/// Which family somebody is in, live, for services.
struct GetFamilyPlace: Handler {
    static let endpoint = InternalGroups.familyPlace
    let families: FamilyStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<FamilyPlace> {
        .ok(try await families.place(of: request.path.id("userId")))
    }
}
