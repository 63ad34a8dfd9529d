import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Takes imports in, or back, each as a whole: one transaction, done again after a kill.
struct ImportWork {
    private let database: Database
    private let relayBell: RelayBell
    private let begun: BegunWork

    init(database: Database, relayBell: RelayBell, begun: BegunWork? = nil) {
        self.database = database
        self.relayBell = relayBell
        self.begun = begun ?? BegunWork(database: database)
    }

    /// Elements a call of `post_batch_v1`.
    static let chunk = 1_000
    /// How long one call may take; the whole is bounded by the file's size.
    static let callMillisecondsMax: UInt64 = 30_000

    /// What ends an attempt: the state goes back, with the reason.
    struct Refused: Error {
        let id: ID<StatementImport>
        let status: PostingStatus
    }

    /// Does the work that waits longest and that nobody is at; false where there is none.
    func doOne() async throws -> Bool {
        guard let id = try await database.queryOne(ImportWorkStatements.next) else { return false }
        try await begun.attempt("import", id) { attempt in try await take(id, attempt) }
        return true
    }

    private func take(_ id: ID<StatementImport>, _ attempt: BegunWork.Attempt) async throws {
        do {
            try await database.lease { lease in
                lease.waitMillisecondsMax = Self.callMillisecondsMax
                return try await lease.transaction { transaction in
                    try await transaction.setStatementTimeout(
                        milliseconds: Int(Self.callMillisecondsMax) - 5_000
                    )
                    try await transaction.execute(ImportWorkStatements.preferIndexes)
                    if attempt.isHopeless {
                        try await transaction.execute(
                            ImportWorkStatements.giveUp,
                            id,
                            ImportRecord.setAside
                        )
                        return
                    }
                    guard let work = try await transaction.queryOne(ImportWorkStatements.take, id)
                    else { return }
                    if work.state == .committing {
                        try await ImportCommit(
                            work: work,
                            transaction: transaction,
                            attempt: attempt
                        ).run()
                    } else {
                        try await ImportWithdrawal(
                            work: work,
                            transaction: transaction,
                            attempt: attempt
                        ).run()
                    }
                }
            }
            relayBell.ring()
        } catch let refused as Refused {
            try await giveUp(refused.id, refused.status)
        } catch let error as DatabaseError {
            // What the database can never take must not keep the others from their turn.
            if case .server = error, !error.isRetryable, !error.isServerTrouble {
                try await giveUp(id, .invalidElement)
            }
            throw error
        }
    }

    private func giveUp(_ id: ID<StatementImport>, _ status: PostingStatus) async throws {
        try await database.execute(ImportWorkStatements.giveUp, id, status.rawValue)
    }
}

/// Takes one import in, within one transaction.
struct ImportCommit {
    let work: ImportRecord
    let transaction: Transaction
    let attempt: BegunWork.Attempt

    func run() async throws {
        try await transaction.matchOwnTransfers(work)
        let ids = try await drawIDs()
        // What brings money comes first: in whatever order a file has its rows, an account that may
        // not fall below zero takes it where it takes it as a whole.
        let incoming = try await take(outgoing: false, as: ids)
        let outgoing = try await take(outgoing: true, as: ids)
        try await open()
        try await transaction.execute(ImportStatements.forgetFile, work.id)
        try await transaction.execute(
            ImportWorkStatements.finish,
            work.id,
            ImportState.committed.rawValue,
            Int32(incoming.seen - incoming.taken + outgoing.seen - outgoing.taken)
        )
        try await Outbox.append(
            StatementImported(importID: work.id, userID: work.user, format: work.format),
            of: "account:\(work.account)",
            in: transaction
        )
    }

    /// An id for each row, by its place.
    ///
    /// Rows of one day are listed by their ids: so they stand as
    /// the bank booked them, in whatever order they are posted.
    private func drawIDs() async throws -> [ID<MoneyTransaction>] {
        let isNewestFirst = try await transaction.queryOne(
            ImportWorkStatements.isNewestFirst,
            work.id
        )
        let ids = (0..<work.rowCount).map { _ in ID<MoneyTransaction>.new() }
        return isNewestFirst == true ? ids.reversed() : ids
    }

    /// Takes the rows of one side; how many there were, and how many of them were new.
    private func take(
        outgoing: Bool,
        as ids: [ID<MoneyTransaction>]
    ) async throws -> (seen: Int, taken: Int) {
        var place: Int32 = -1
        var (seen, taken) = (0, 0)
        while true {
            let rows = try await transaction.query(
                ImportWorkStatements.rows,
                work.id,
                place,
                ImportWork.chunk,
                outgoing
            )
            guard let last = rows.last else { return (seen, taken) }
            place = last.place
            attempt.advance()
            seen += rows.count
            taken += try await take(rows, as: ids)
        }
    }

    /// Makes the account's opening entry what its statements say, and stores where it differs.
    private func open() async throws {
        let opening = AccountOpening(account: work.account, work: work, transaction: transaction)
        guard let plan = try await opening.plan() else { return }
        try await opening.apply(plan, of: work, "import \(work.id)")
        try await opening.store(opening.differences(plan), of: work)
    }

    /// Posts those that the account has not; how many it were.
    private func take(_ all: [ImportedRow], as drawn: [ID<MoneyTransaction>]) async throws -> Int {
        let merges = ImportMerges(work: work, transaction: transaction)
        let (others, merged) = try await merges.merge(all.filter { !$0.isKnown })
        let rows = all.filter { !$0.isKnown && ($0.merge == nil || others.contains($0.place)) }
        let ids = rows.map { row in
            drawn.indices.contains(Int(row.place)) ? drawn[Int(row.place)] : .new()
        }
        let claimed = Set(
            try await transaction.query(
                ImportWorkStatements.claim,
                work.id,
                work.account,
                rows.map(\.place),
                ids,
                rows.map { _ in nil as Day? }
            )
        )
        var plain: [Posting] = []
        for (row, id) in zip(rows, ids) where claimed.contains(row.place) {
            if row.match != nil, try await transfer(row, as: id) { continue }
            plain.append(record(row, as: id))
        }
        for outcome in try await transaction.postWaiting(plain) where outcome.status != .posted {
            throw ImportWork.Refused(id: work.id, status: outcome.status)
        }
        return claimed.count + merged
    }

    private func record(_ row: ImportedRow, as id: ID<MoneyTransaction>) -> Posting {
        var posting = Posting(
            .record,
            Posting.Operation(work: "import \(work.id)", part: Int(row.place)),
            by: work.user,
            on: work.account
        )
        posting.transaction = id
        posting.amount = row.amount
        posting.currency = work.currency
        posting.day = row.day
        posting.category = row.category
        posting.importID = work.id
        posting.name = row.name
        posting.description = row.description
        return posting
    }

    /// Makes one transfer of the row and of the one that stands in another own account; false where
    /// that has changed meanwhile.
    private func transfer(
        _ row: ImportedRow,
        as id: ID<MoneyTransaction>
    ) async throws -> Bool {
        guard let match = row.match,
            let otherID = try await transaction.queryOne(
                ImportWorkStatements.transaction,
                match.importID,
                match.place
            ),
            let other = try await transaction.queryOne(
                TransactionStatements.find(otherID, for: work.user)
            )?.row,
            other.owner == work.user, other.transfer == nil, other.amount == -row.amount,
            other.currency == work.currency, other.account != work.account
        else { return false }
        let isOut = row.amount < 0
        let operation = Posting.Operation(
            work: "import \(work.id) transfer",
            part: Int(row.place)
        )
        var moving = Posting(
            .transfer,
            nil,
            by: work.user,
            on: isOut ? work.account : other.account
        )
        moving.counter = isOut ? other.account : work.account
        moving.counterIsOwn = true
        moving.amount = Int64(row.amount.magnitude)
        moving.currency = work.currency
        let transfer = ID<Transfer>.new()
        moving.transfer = transfer
        // In place of the other row: of its day it stands where that one stood.
        let new = ID<MoneyTransaction>(high: otherID.high, low: ID<MoneyTransaction>.new().low)
        (moving.transaction, moving.counterTransaction) = isOut ? (id, new) : (new, id)
        moving.day = isOut ? row.day : other.day
        let otherName = other.name ?? row.name
        (moving.name, moving.counterName) =
            isOut ? (row.name, otherName) : (otherName, row.name)
        moving.description = row.description ?? other.description
        moving.importID = isOut ? work.id : nil
        let ending = Posting(reversing: other, nil, by: work.user)
        // What brings money to the other account comes first: it may not fall below zero between.
        var chain = isOut ? [moving, ending] : [ending, moving]
        chain[0].operation = operation
        for index in chain.indices { chain[index].chain = 1 }
        let outcomes = try await transaction.postWaiting(chain)
        guard outcomes.allSatisfy({ $0.status == .posted }) else { return false }
        try await transaction.execute(
            ImportWorkStatements.insertMatch,
            work.id,
            row.place,
            match.importID,
            match.place,
            transfer
        )
        return true
    }
}
