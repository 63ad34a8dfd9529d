import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What the posting function lets those do with whom a wallet is shared, and in whose books it is.
@Suite struct SharedPostingTests {
    @Test func editorsRecordInTheirOwnBooksAndViewersDoNot() async throws {
        try await LedgerRig().run { _, books in
            let (ada, eve, vic) = try await (books.person(), books.person(), books.person())
            let wallet = try await books.account(of: ada, .wallet, holding: 1_000)
            try await books.share(wallet, with: eve, .editor)
            try await books.share(wallet, with: vic, .viewer)
            var own = Posting.record(-100, on: wallet, by: eve)
            own.category = try await books.others(of: eve)
            var foreign = Posting.record(-100, on: wallet, by: eve)
            foreign.category = try await books.others(of: ada)
            var split = Posting.record(-30, on: wallet, by: eve)
            split.lines = [.init(category: try await books.others(of: eve), amount: -30)]
            split.tags = ["trip"]
            split.foldedTags = ["trip"]
            let unlabelled = Posting.record(-10, on: wallet, by: eve)
            let outcomes = try await books.service.post([
                own, foreign, split, unlabelled, .record(-1, on: wallet, by: vic),
                .record(-1, on: wallet, by: try await books.person()),
            ])
            #expect(
                outcomes.map(\.status) == [
                    .posted, .categoryNotFound, .posted, .posted, .forbidden, .forbidden,
                ]
            )
            for posting in [own, split, unlabelled] {
                let row = try await books.row(posting)
                #expect(row?.owner == eve && row?.account == wallet)
                #expect(try await row?.category == books.others(of: eve))
            }
            let others = try await books.owner.query(ownersOfParts)
            #expect(others == [eve], "lines and tags are in the same books")
            #expect(try await books.balance(wallet) == 860)
            try await books.check()
        }
    }

    @Test func whoeverChangesItKeepsItInItsBooksOrTakesIt() async throws {
        try await LedgerRig().run { _, books in
            let (ada, eve) = try await (books.person(), books.person())
            let wallet = try await books.account(of: ada, .wallet)
            try await books.share(wallet, with: eve, .editor)
            let first = Posting.record(-100, on: wallet, by: eve)
            _ = try await books.service.post([first])
            // Words alone, by the owner.
            var row = try #require(try await books.row(first))
            row.name = "other"
            let revision = Posting(revising: row, .init(of: ada), by: ada)
            #expect(revision.books == eve)
            #expect(try await books.service.post([revision]).map(\.status) == [.posted])
            row = try #require(try await books.row(first))
            #expect(row.owner == eve && row.name == "other" && row.version == 2)
            // Its money, by the owner: taken back and recorded anew.
            var reversal = Posting(reversing: row, .init(of: ada), by: ada)
            row.amount = -200
            var record = Posting(recordingAnew: row, nil, by: ada)
            (reversal.chain, record.chain) = (1, 1)
            let edited = try await books.service.post([reversal, record])
            #expect(edited.map(\.status) == [.posted, .posted])
            row = try #require(try await books.row(first))
            #expect(row.owner == eve && row.amount == -200)
            // Into a category of the owner's: it is in the owner's books from then on.
            row.owner = ada
            row.category = try await books.others(of: ada)
            let taken = Posting(revising: row, .init(of: ada), by: ada)
            #expect(try await books.service.post([taken]).map(\.status) == [.posted])
            #expect(try await books.row(first)?.owner == ada)
            #expect(try await books.balance(wallet) == -200)
            let told = try await books.told().filter { $0.transactionID == first.transaction }
            #expect(
                told.map { "\($0.kind) \($0.userID)" } == [
                    "posted \(eve)", "reversed \(eve)", "posted \(eve)",
                    "reversed \(eve)", "posted \(eve)", "reversed \(eve)", "posted \(ada)",
                ]
            )
            try await books.check()
        }
    }

    @Test func aRightEndsWithItsMembershipAndOnlyOwnersTransfer() async throws {
        try await LedgerRig().run { _, books in
            let (ada, eve) = try await (books.person(), books.person())
            let wallet = try await books.account(of: ada, .wallet)
            let own = try await books.account(of: eve)
            try await books.share(wallet, with: eve, .editor)
            let first = Posting.record(-100, on: wallet, by: eve)
            let sent = Posting.transfer(10, from: wallet, to: own, by: eve)
            let outcomes = try await books.service.post([first, sent])
            #expect(outcomes.map(\.status) == [.posted, .forbidden])
            let ended = try await books.service.execute(MemberStatements.end, wallet, eve)
            #expect(ended == 1)
            let row = try #require(try await books.row(first))
            let late = try await books.service.post([
                .record(-1, on: wallet, by: eve),
                Posting(reversing: row, .init(of: eve), by: eve),
                Posting(revising: row, .init(of: eve), by: eve),
            ])
            #expect(late.map(\.status) == [.forbidden, .forbidden, .forbidden])
            #expect(try await books.balance(wallet) == -100)
        }
    }

    /// Each is accepted once: told again it changes nothing, also where the membership has ended.
    @Test func anInvitationMakesAMemberOnce() async throws {
        try await LedgerRig().run { _, books in
            let (ada, eve) = try await (books.person(), books.person())
            let wallet = try await books.account(of: ada, .wallet)
            let access = try await books.service.queryOne(
                MemberStatements.access,
                ada,
                wallet,
                eve
            )
            #expect(access?.role == .owner && access?.otherRole == nil && access?.memberCount == 1)
            try await books.share(wallet, with: eve, .viewer)
            let found = try await books.service.queryOne(MemberStatements.find, wallet, eve)
            #expect(found?.stands == true)
            let role = try await books.service.queryOne(MemberStatements.role, eve, wallet)
            #expect(role == .viewer)
            _ = try await books.service.execute(MemberStatements.end, wallet, eve)
            #expect(try await books.service.queryOne(MemberStatements.role, eve, wallet) == nil)
            let after = try await books.service.queryOne(MemberStatements.find, wallet, eve)
            #expect(after?.stands == false && after?.invitation == found?.invitation)
            #expect(try await books.service.queryOne(MemberStatements.count, wallet) == 0)
        }
    }
}

extension Books {
    func share(
        _ account: ID<Account>,
        with user: ID<User>,
        _ role: MemberRole
    ) async throws {
        try await service.execute(
            MemberStatements.join,
            account,
            user,
            role.rawValue,
            ID<Invitation>.new()
        )
    }

    func others(of user: ID<User>) async throws -> CategoryID {
        try #require(try await owner.queryOne(CategoryStatements.others, user))
    }

    /// The version that counts of what a posting recorded.
    func row(_ posting: Posting) async throws -> TransactionRow? {
        guard let transaction = posting.transaction else { return nil }
        let wallet = try await owner.queryOne(ownerOf, posting.account)
        let reader = try #require(wallet)
        return try await service.queryOne(TransactionStatements.find(transaction, for: reader))?.row
    }
}

private let ownerOf = Statement("select user_id from ledger.account where id = $1") { row in
    try row.value(0, as: ID<User>.self)
}
private let ownersOfParts = Statement(
    """
    select user_id from ledger.transaction_line
    union select user_id from ledger.transaction_tag
    """
) { row in try row.value(0, as: ID<User>.self) }
