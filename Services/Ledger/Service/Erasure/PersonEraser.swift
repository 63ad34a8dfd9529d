import Messaging
import Postgres
import Receipts
import ServiceKit
import WalletProtocol

/// Forgets a person: names, numbers and texts go, the movements of money stay.
struct PersonEraser {
    let database: Database

    /// How many transactions, or rows of imports, one statement looks at: well within a second, and
    /// the accounts on the other side of transfers wait no longer than that.
    static let chunk: Int32 = 500

    /// Closes a person's accounts, so that what follows cannot fail.
    /// - Throws: `accounts-not-empty` where they hold money.
    func agree(to erasure: ID<Erasure>, of user: ID<User>) async throws {
        let isAgreed = try await database.transaction { transaction in
            let isAgreed = try await transaction.queryOne(ErasureStatements.agree, erasure, user)
            if isAgreed == true { try await Self.release(user, in: transaction) }
            return isAgreed
        }
        guard isAgreed == true else { throw APIError(.accountsNotEmpty) }
    }

    /// Lets go to outside what others owe them: nobody will pay it back to who is gone.
    private static func release(_ user: ID<User>, in transaction: Transaction) async throws {
        let open = try await transaction.query(ReceivableStatements.unsettled, user)
        guard !open.isEmpty else { return }
        let postings = open.map { account, amount, currency in
            var posting = Posting(.opening, Posting.Operation(of: user), by: nil, on: account)
            posting.amount = -amount
            posting.currency = currency
            posting.day = .utc(.now())
            return posting
        }
        // Their balances are held until the end.
        for outcome in try await transaction.post(postings, waits: false) {
            _ = try outcome.posted()
        }
    }

    /// Erases all; done again it goes on where it stopped, and at last finds nothing more.
    func erase(_ order: ErasureOrder) async throws {
        try await database.transaction { transaction in
            try await ErasedUsers.forgetEvents(by: order, in: transaction)
            try await Self.erasePerson(order.userID, at: order.erasedAt, in: transaction)
        }
        // Each chunk commits by itself: what a try has done stays done.
        try await Self.eraseRows(order.userID, in: database)
    }

    /// By the event, which comes last: there is something to do only where nobody has called.
    static func apply(_ event: UserErased, in transaction: Transaction) async throws {
        try await ErasedUsers.forgetDead(of: event.userID, in: transaction)
        if try await ErasedUsers.contain(event.userID, in: transaction) { return }
        try await erasePerson(event.userID, at: event.erasedAt, in: transaction)
        try await eraseRows(event.userID, in: transaction)
    }

    private static func erasePerson(
        _ user: ID<User>,
        at moment: Instant,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(ErasureStatements.erasePerson, user, moment)
        for (account, member) in try await transaction.query(MemberStatements.ended, user, moment) {
            try await Outbox.append(
                WalletMemberChanged(accountID: account, userID: member, isMember: false),
                of: "account:\(account)",
                in: transaction
            )
        }
        try await ErasedUsers.forgetKeys(of: user, in: transaction)
    }

    private static func eraseRows(_ user: ID<User>, in database: some Querying) async throws {
        try await AttachmentFiles.erase(user, in: database)
        for statement in [AttachmentStatements.eraseShared, AttachmentStatements.eraseSome] {
            while try await database.execute(statement, user, chunk) > 0 {}
        }
        try await database.execute(AttachmentFileStatements.eraseUsage, user)
        for statement in [ErasureStatements.eraseImports, ErasureStatements.eraseTexts] {
            while try await database.queryOne(statement, user, chunk) == true {}
        }
    }
}
