import Postgres
import ServiceKit
import WalletProtocol

/// A change of one transaction, within a database transaction.
struct TransactionEdit {
    let old: TransactionRow
    let user: ID<User>
    let transaction: Transaction

    /// Posts what is another; the transaction as it is then.
    func apply(_ change: TransactionChange) async throws -> TransactionRow {
        var new = try await changed(change)
        if new == old { return old }
        try await inherit(&new)
        let postings = postings(for: new)
        let outcomes = try await transaction.postIfFree(postings)
        for (outcome, posting) in zip(outcomes, postings) {
            switch outcome.status {
            case .posted, .chainFailed: break
            // Somebody else was quicker: look again.
            case .transactionNotFound, .transactionExists: throw TryAgain()
            case .categoryNotFound where change.categoryID.isUnchanged && change.lines.isUnchanged:
                throw TryAgain()
            case .forbidden: throw APIError(.forbidden)
            case let status:
                throw try await TransactionRefusal(database: transaction).error(
                    status,
                    of: posting,
                    owner: new.owner,
                    by: user
                )
            }
        }
        var made = new
        made.version += 1
        return made
    }

    /// Words alone are revised; money is taken back and recorded anew, both or neither.
    private func postings(for new: TransactionRow) -> [Posting] {
        let operation = Posting.Operation(of: user)
        let isSameMoney = new.amount == old.amount && new.account == old.account
        if isSameMoney, new.day == old.day {
            return [Posting(revising: new, operation, by: user)]
        }
        var reversal = Posting(reversing: old, operation, by: user)
        var record = Posting(recordingAnew: new, nil, by: user)
        (reversal.chain, record.chain) = (1, 1)
        return [reversal, record]
    }

    private func changed(_ change: TransactionChange) async throws -> TransactionRow {
        var new = old
        var words = TransactionWords()
        new.day = change.date.applied(to: old.day)
        let money = try await money(change, &new, &words)
        try await checkExpense(new)
        try await label(change, money, &new, &words)
        try await checkBooks(new, &words)
        new.description = change.description.applied(to: old.description).map(composed)
        switch change.location {
        case .unchanged: break
        case .cleared: (new.location, new.placeName) = (nil, nil)
        case .set(let location):
            new.location = Posting.Location(location)
            new.placeName = location.label.map(composed)
        }
        try await file(change, &new, &words)
        switch change.tags {
        case .unchanged: break
        case .cleared: new.tags = []
        case .set(let tags): new.tags = words.tags(tags)
        }
        try words.check()
        try await name(change, &new)
        if old.transfer != nil { try checkTransfer(new) }
        return new
    }

    /// Account and amount; the amount as it is then.
    private func money(
        _ change: TransactionChange,
        _ new: inout TransactionRow,
        _ words: inout TransactionWords
    ) async throws -> Money {
        if case .set(let account) = change.accountID, account != old.account {
            let found = try await transaction.queryOne(
                TransactionStatements.recordable,
                user,
                [account]
            )
            if let found {
                (new.account, new.currency) = (account, found.currency)
            } else {
                words.fail("/accountId", .unknownReference, "is absent or not yours")
            }
        }
        let money = change.amount.applied(to: Money(minorUnits: old.amount, old.currency))
        if money.currency != new.currency {
            throw TransactionRefusal(database: transaction).error(.currencyMismatch, at: "")
        }
        new.amount = money.minorUnits
        return money
    }

    /// In whose books it is then has to see it where it is then.
    private func checkBooks(
        _ new: TransactionRow,
        _ words: inout TransactionWords
    ) async throws {
        guard new.account != old.account, new.owner != user else { return }
        let booked = try await transaction.queryOne(
            TransactionStatements.recordable,
            new.owner,
            [new.account]
        )
        if booked == nil {
            words.fail("/accountId", .unknownReference, "is not theirs in whose books it is")
        }
    }

    /// The category, or the parts over several.
    private func label(
        _ change: TransactionChange,
        _ money: Money,
        _ new: inout TransactionRow,
        _ words: inout TransactionWords
    ) async throws {
        if case .set(let lines) = change.lines {
            if case .set = change.categoryID {
                words.fail("/categoryId", .conflict, "is in the lines")
            }
            new.lines = words.lines(lines, of: Money(minorUnits: new.share, money.currency))
            if let first = new.lines.first { new.category = first.category }
            try await take(new.lines.map(\.category), &new)
            return
        }
        if change.lines.isUnchanged, change.categoryID.isUnchanged {
            if !old.lines.isEmpty, money.minorUnits != old.amount {
                words.fail("/lines", .sumMismatch, "come to another amount")
            }
            return
        }
        new.lines = []
        switch change.categoryID {
        case .unchanged: break
        case .set(let category):
            new.category = category
            try await take([category], &new)
        case .cleared:
            var others = try await transaction.queryOne(CategoryStatements.others, new.owner)
            if others == nil, new.owner != user {
                // In the books of who is gone there is none.
                new.owner = user
                others = try await transaction.queryOne(CategoryStatements.others, user)
            }
            guard let others else { throw APIError(.internalError) }
            new.category = others
        }
        // Beside a claim the category has a line: of what was spent.
        if old.claim != 0, new.share != 0 {
            new.lines = [Posting.Line(category: new.category, amount: new.share)]
        }
    }

    /// What was paid and what of it is shared changes with the shared expense.
    private func checkExpense(_ new: TransactionRow) async throws {
        guard old.transfer == nil,
            new.amount != old.amount || new.account != old.account || new.day != old.day
        else { return }
        guard old.claim == 0 else { throw APIError(.partOfExpense) }
        let posted = try await transaction.queryOne(SharedExpenseStatements.isClearing, old.id)
        if posted != nil { throw APIError(.partOfExpense) }
    }

    /// The folder: whoever takes a transaction into their books takes it out of the other's.
    private func file(
        _ change: TransactionChange,
        _ new: inout TransactionRow,
        _ words: inout TransactionWords
    ) async throws {
        if new.owner != old.owner { new.file(in: nil) }
        switch change.folderID {
        case .unchanged: break
        case .cleared:
            if new.owner == user { new.file(in: nil) }
        case .set(let folder)
        where folder == new.folder && new.isFiled: break
        case .set(let folder):
            let writable = try await transaction.query(FolderStatements.writable, user, [folder])
            guard !writable.isEmpty else {
                words.fail("/folderId", .unknownReference, "is absent or not yours to put into")
                return
            }
            guard new.owner == user else {
                words.fail("/folderId", .unknownReference, "takes what is in your books alone")
                return
            }
            new.file(in: folder)
        }
    }

    /// Whoever puts another's transaction into categories of their own has it in their books from
    /// then on.
    private func take(
        _ categories: [CategoryID],
        _ new: inout TransactionRow
    ) async throws {
        guard user != old.owner, old.transfer == nil, old.claim == 0 else { return }
        let own = try await transaction.query(TransactionStatements.categories, user, categories)
        if own.count == categories.count { new.owner = user }
    }

    /// The books of who is gone have no categories: whoever changes it next takes it into theirs.
    private func inherit(_ new: inout TransactionRow) async throws {
        guard user != old.owner, new.owner == old.owner, new.category == old.category,
            try await transaction.queryOne(CategoryStatements.others, old.owner) == nil,
            let others = try await transaction.queryOne(CategoryStatements.others, user)
        else { return }
        (new.owner, new.category, new.lines) = (user, others, [])
    }

    private func name(_ change: TransactionChange, _ new: inout TransactionRow) async throws {
        switch change.name {
        case .unchanged: break
        case .set(let name): new.name = composed(name)
        case .cleared:
            let category = try await transaction.queryOne(
                TransactionStatements.categories,
                new.owner,
                [new.category]
            )
            new.name = category?.name
        }
    }

    /// The two sides of a transfer are one thing, but for what each calls its own.
    private func checkTransfer(_ new: TransactionRow) throws {
        guard new.amount == old.amount, new.account == old.account, new.day == old.day,
            new.lines == old.lines || old.claim != 0 && new.lines.count < 2,
            new.location == old.location, new.placeName == old.placeName
        else { throw APIError(.partOfTransfer) }
    }
}
