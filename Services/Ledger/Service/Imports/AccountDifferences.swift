import Postgres
import ServiceKit
import WalletProtocol

extension AccountOpening {
    /// By how much the account differs from the import's closing balance, and from the newest one.
    func differences(_ plan: Plan) async throws -> [ImportFault] {
        guard let work else { return [] }
        var faults: [ImportFault] = []
        for stated in try await transaction.query(OpeningStatements.closings, account, work.id) {
            guard let day = stated.day else { continue }
            let after = try await transaction.queryOne(
                OpeningStatements.after,
                account,
                work.id,
                day
            )
            let held = Int128(plan.standing.balance) + plan.fresh.sum + plan.change - (after ?? 0)
            guard held != Int128(stated.amount) else { continue }
            // Another file may have brought what was booked later on that day.
            let others = try await transaction.queryOne(
                OpeningStatements.others,
                account,
                stated.importID,
                day,
                work.id
            )
            guard held - (others ?? 0) != Int128(stated.amount) else { continue }
            if let detail = detail(held, stated.amount, day, work.currency) {
                faults.append(ImportFault(line: plan.fresh.lastLine, detail: detail))
            }
        }
        return faults
    }

    private func detail(
        _ held: Int128,
        _ stated: Int64,
        _ day: Day,
        _ currency: Currency
    ) -> String? {
        guard let account = Int64(exactly: held),
            let difference = Int64(exactly: held - Int128(stated))
        else { return nil }
        let written = { (amount: Int64) in Money(minorUnits: amount, currency).description }
        return """
            with this import the account has \(written(account)) on \(day.text), but its statement \
            says \(written(stated)): the account differs by \(written(difference)), because a \
            statement is missing, or because an entry is in only one of the two
            """
    }

    func store(_ differences: [ImportFault], of record: ImportRecord) async throws {
        try await transaction.execute(
            OpeningStatements.setDifferences,
            record.id,
            PostgresJSON(JSON.text(differences))
        )
    }
}

extension Transaction {
    /// Stores by how much the account will differ from its statements.
    func noteDifferences(_ work: ImportRecord) async throws {
        let opening = AccountOpening(account: work.account, work: work, transaction: self)
        guard let plan = try await opening.plan() else { return }
        try await opening.store(opening.differences(plan), of: work)
    }
}
