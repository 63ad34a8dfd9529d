import Postgres
import ServiceKit
import WalletProtocol

/// Takes one import back, within one transaction.
///
/// What it brought is deleted, edited or not; what the user deleted already stays deleted. Where a
/// row had become one transfer with another account's, that account's row stands again; what a row
/// was merged with stays, on the day that it had.
struct ImportWithdrawal {
    let work: ImportRecord
    let transaction: Transaction
    let attempt: BegunWork.Attempt

    func run() async throws {
        try await ImportMerges(work: work, transaction: transaction).takeBack()
        // What took money goes first: the account may not fall below zero between.
        try await takeBack(outgoing: true)
        try await takeBack(outgoing: false)
        try await transaction.execute(ImportWorkStatements.release, work.id)
        let opening = AccountOpening(account: work.account, work: nil, transaction: transaction)
        if let plan = try await opening.plan() {
            try await opening.apply(plan, of: work, "withdrawal \(work.id)")
        }
        try await opening.store([], of: work)
        try await transaction.execute(
            ImportWorkStatements.finish,
            work.id,
            ImportState.withdrawn.rawValue,
            work.duplicateCount
        )
    }

    private func takeBack(outgoing: Bool) async throws {
        var place: Int32 = -1
        while true {
            let results = try await transaction.query(
                ImportWorkStatements.results,
                work.id,
                place,
                ImportWork.chunk,
                outgoing
            )
            guard let last = results.last else { return }
            place = last.place
            attempt.advance()
            var plain: [Posting] = []
            for result in results {
                if let match = result.match {
                    try await separate(result, match)
                } else if let account = result.account {
                    plain.append(reversal(of: result, on: account))
                }
            }
            try await post(plain)
        }
    }

    private func operation(_ part: Int) -> Posting.Operation {
        Posting.Operation(work: "withdrawal \(work.id)", part: part)
    }

    private func reversal(of result: ImportResult, on account: ID<Account>) -> Posting {
        var posting = Posting(
            .reversal,
            operation(Int(result.place)),
            by: work.user,
            on: account
        )
        posting.transaction = result.transaction
        return posting
    }

    /// Takes the transfer back, and has the other account's row stand as it did before.
    private func separate(_ result: ImportResult, _ match: ImportResult.Match) async throws {
        let later =
            match.isLater ? ImportPlace(importID: work.id, place: result.place) : match.other
        try await transaction.execute(
            ImportWorkStatements.deleteMatch,
            later.importID,
            later.place
        )
        guard
            let transfer = try await transaction.queryOne(
                ImportWorkStatements.transfer,
                match.transfer
            )
        else { return }
        var ending = Posting(.reversal, nil, by: work.user, on: transfer.source)
        ending.counter = transfer.target
        ending.transaction = transfer.transaction
        guard let standing = try await standing(match) else {
            ending.operation = operation(Int(result.place))
            return try await post([ending])
        }
        // What brings money comes first where it can: the account may not fall below zero between.
        // The later row is a side of the transfer itself, and stands only once that has ended.
        let standsFirst = match.isLater && standing.amount ?? 0 > 0
        var chain = standsFirst ? [standing, ending] : [ending, standing]
        chain[0].operation = operation(Int(result.place))
        for index in chain.indices { chain[index].chain = 1 }
        try await post(chain)
    }

    /// The other account's row as a record of its own again, with the words that it has now.
    private func standing(_ match: ImportResult.Match) async throws -> Posting? {
        guard
            let id = try await transaction.queryOne(
                ImportWorkStatements.transaction,
                match.other.importID,
                match.other.place
            ),
            let version = try await transaction.queryOne(
                ImportWorkStatements.latestVersion,
                id
            ),
            let row = try await transaction.queryOne(
                TransactionStatements.versions([id], [version])
            ),
            row.owner == work.user
        else { return nil }
        var posting = Posting(recordingAnew: row, nil, by: work.user)
        posting.importID = match.other.importID
        // Categories may have gone meanwhile.
        let wanted = posting.lines.isEmpty ? [row.category] : posting.lines.map(\.category)
        let known = try await transaction.query(
            ImportStatements.knownCategories,
            work.user,
            wanted
        )
        if known.count < Set(wanted).count {
            posting.lines = []
            posting.category = nil
        }
        return posting
    }

    private func post(_ postings: [Posting]) async throws {
        let statuses = try await transaction.postWaiting(postings).map(\.status)
        // What is deleted already stays so, and the rest of its chain with it.
        let isGone = statuses.contains(.transactionNotFound)
        for status in statuses where status != .posted && status != .transactionNotFound {
            if isGone, status == .chainFailed { continue }
            throw ImportWork.Refused(id: work.id, status: status)
        }
    }
}
