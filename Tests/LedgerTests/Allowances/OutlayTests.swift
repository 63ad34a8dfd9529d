import JSONCodec
import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What counts of what leaves a child's account, and comes back.
@Suite struct OutlayTests {
    private struct Case {
        let books: Books
        let child: ID<User>
        let purse: ID<Account>
        let wallet: ID<Account>
        let owed: ID<Account>
        let sweets: CategoryID

        init(_ books: Books) async throws {
            self.books = books
            child = try await books.person()
            purse = try await books.purse(of: child, holding: 10_000)
            wallet = try await books.account(of: child, .wallet)
            owed = try await books.receivable(of: child)
            sweets = try await books.category(of: child, "Sweets")
        }

        func claim(_ claim: Int64, share: Int64 = 0) -> Posting {
            .claim(claim, share: share, on: purse, owed: owed, by: child, in: sweets)
        }

        func spending(_ amount: Int64) -> Posting {
            .spending(amount, on: purse, by: child, in: sweets)
        }

        func post(
            _ postings: Posting...,
            at moment: Instant = start
        ) async throws -> [PostingStatus] {
            try await books.service.post(postings, at: moment).map(\.status)
        }

        /// The same with another amount, on the same account or another.
        func edit(
            _ posting: Posting,
            to amount: Int64,
            on account: ID<Account>? = nil,
            at moment: Instant = start
        ) async throws -> PostingStatus? {
            var row = try #require(try await books.row(posting))
            var reversal = Posting(reversing: row, .init(of: child), by: child)
            (row.amount, row.account) = (amount, account ?? row.account)
            var record = Posting(recordingAnew: row, nil, by: child)
            (reversal.chain, record.chain) = (1, 1)
            let statuses = try await post(reversal, record, at: moment)
            return statuses.first { $0 != .posted && $0 != .chainFailed } ?? statuses.last
        }
    }

    @Test func claimCountsAsTheShareDoes() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(nil, 100), (one.sweets, 90)])
            #expect(try await one.post(one.claim(101)) == [.limitExceeded])
            #expect(try await one.post(one.claim(60, share: 31)) == [.limitExceeded])
            #expect(try await one.post(one.claim(60, share: 30)) == [.posted])
            #expect(try await books.spent(one.purse, in: one.sweets) == 90)
            #expect(try await one.post(one.claim(1, share: 0)) == [.posted])
            #expect(try await one.post(one.claim(10)) == [.limitExceeded])
            try await books.check()
        }
    }

    @Test func clearingGivesBackWhatWasCountedAndNoMore() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(nil, 100)])
            let paid = one.claim(-40)
            #expect(try await one.post(one.claim(60, share: 40)) == [.posted])
            #expect(try await one.post(paid) == [.posted])
            #expect(try await books.spent(one.purse) == 60)
            #expect(try await one.post(one.spending(40)) == [.posted])
            // What was cleared and is spent since cannot be taken back.
            let back = paid.reversed(owed: one.owed, by: one.child)
            #expect(try await one.post(back) == [.limitExceeded])
            // More than was counted of claims makes no room.
            #expect(try await one.post(one.claim(-50)) == [.posted])
            #expect(try await books.spent(one.purse) == 80)
            #expect(try await one.post(one.claim(20)) == [.posted])
            #expect(try await one.post(one.spending(1)) == [.limitExceeded])
            try await books.check()
        }
    }

    @Test func editedClearingGivesBackNoMoreThanBefore() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(nil, 100)])
            let paid = one.claim(-40)
            #expect(try await one.post(one.claim(60), paid) == [.posted, .posted])
            for (version, claim, spent) in [(1, -50, 20), (2, -45, 20), (3, -30, 60)] {
                var reversal = paid.reversed(owed: one.owed, by: one.child)
                var record = one.claim(Int64(claim))
                reversal.version = version
                (record.transaction, record.version) = (paid.transaction, version + 1)
                (reversal.chain, record.chain, record.operation) = (1, 1, nil)
                #expect(try await one.post(reversal, record) == [.posted, .posted])
                for category in [nil, try await books.others(of: one.child)] {
                    #expect(try await books.spent(one.purse, in: category) == spent)
                }
            }
            try await books.check()
        }
    }

    @Test func deletedClaimIsGivenBackOnce() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(nil, 100)])
            let (old, claim) = (one.claim(90), one.claim(50))
            #expect(try await one.post(old, at: start.adding(seconds: -40 * 86_400)) == [.posted])
            #expect(try await one.post(claim, one.claim(-50)) == [.posted, .posted])
            // The second of a call sees the first.
            #expect(try await books.spent(one.purse) == 90)
            let back = claim.reversed(owed: one.owed, by: one.child)
            #expect(try await one.post(back) == [.posted])
            #expect(try await one.post(one.spending(101)) == [.limitExceeded])
            #expect(try await one.post(one.spending(100)) == [.posted])
        }
    }

    @Test func purchaseCountsInTheMonthOfItsBooking() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(nil, 100)])
            let old = one.spending(100)
            let later = start.adding(seconds: 31 * 86_400)
            #expect(try await one.post(old) == [.posted])
            #expect(try await one.post(one.spending(90), at: later) == [.posted])
            // An edit keeps what stood where it was counted, and counts now what it raises.
            #expect(try await one.edit(old, to: -111, at: later) == .limitExceeded)
            #expect(try await one.edit(old, to: -110, at: later) == .posted)
            #expect(try await one.post(one.spending(1), at: later) == [.limitExceeded])
            // The newest is given back first; what is deleted makes no room in another month.
            #expect(try await one.edit(old, to: -105, at: later) == .posted)
            #expect(try await one.post(one.spending(6), at: later) == [.limitExceeded])
            var back = Posting.reversal(
                of: try #require(old.transaction),
                on: one.purse,
                by: one.child
            )
            back.version = 3
            #expect(try await one.post(back, at: later) == [.posted])
            #expect(try await one.post(one.spending(11), at: later) == [.limitExceeded])
            #expect(try await one.post(one.spending(10), at: later) == [.posted])
            #expect(try await books.spent(one.purse) == 100)
        }
    }

    @Test func subcategoriesCountToTheLimitAboveThem() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            let gum = try await books.category(of: one.child, "Gum")
            try await books.owner.execute(setParent, gum, one.sweets)
            try await books.limit(one.purse, [(one.sweets, 100)])
            let bought = Posting.spending(60, on: one.purse, by: one.child, in: gum)
            #expect(try await one.post(bought) == [.posted])
            #expect(try await one.post(one.spending(41)) == [.limitExceeded])
            // Renaming within it counts once, and renaming out of it as before.
            for category in [one.sweets, try await books.others(of: one.child)] {
                var row = try #require(try await books.row(bought))
                row.category = category
                let words = Posting(revising: row, .init(of: one.child), by: one.child)
                #expect(try await one.post(words) == [.posted])
                #expect(try await books.spent(one.purse, in: one.sweets) == 60)
                #expect(try await books.spent(one.purse) == 60)
            }
            #expect(
                try await one.post(one.spending(41), one.spending(40)) == [
                    .limitExceeded, .posted,
                ]
            )
        }
    }

    @Test func parentsPaymentThatIsTakenAwayCounts() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            let paid = Posting.record(500, on: one.purse, by: one.child)
            #expect(try await one.post(paid) == [.posted])
            let payment = try #require(paid.transaction)
            let order = ID<AllowanceOrder>.new()
            let keep = AllowanceStatements.keep
            try await books.service.execute(keep, order, one.purse, payment, ID<Transfer>?.none)
            try await books.limit(one.purse, [(nil, 100)])
            #expect(try await one.edit(paid, to: 500, on: one.wallet) == .limitExceeded)
            #expect(try await one.edit(paid, to: 399) == .limitExceeded)
            let back = Posting.reversal(of: payment, on: one.purse, by: one.child)
            #expect(try await one.post(back) == [.limitExceeded])
            #expect(try await one.edit(paid, to: 400) == .posted)
            #expect(try await books.spent(one.purse) == 100)
            #expect(try await one.edit(paid, to: 480) == .posted)
            #expect(try await books.spent(one.purse) == 20)
            // The child's own income is the child's to delete, and makes no room.
            let own = Posting.record(500, on: one.purse, by: one.child)
            #expect(try await one.post(own) == [.posted])
            let id = try #require(own.transaction)
            let gone = Posting.reversal(of: id, on: one.purse, by: one.child)
            #expect(try await one.post(gone) == [.posted])
            #expect(try await books.spent(one.purse) == 20)
        }
    }

    @Test func monthsStayThoughTheChildMovesThem() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(nil, 100)])
            let before = start.adding(seconds: -5 * 86_400)
            #expect(try await one.post(one.spending(100), at: before) == [.posted])
            for (monthStart, zone) in [(10, "Pacific/Kiritimati"), (12, "Nowhere/None")] {
                try await books.owner.execute(move, one.child, Int16(monthStart), zone)
                #expect(try await one.post(one.spending(1)) == [.limitExceeded])
                // Also where parents set limits again.
                try await books.limit(one.purse, [(nil, 100)])
                #expect(try await one.post(one.spending(1)) == [.limitExceeded])
            }
        }
    }

    @Test func purchasesOfAnHourAreApprovedOfTogether() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [], approvalAbove: 100)
            let three = (one.spending(50), one.spending(50), one.spending(50))
            #expect(
                try await one.post(three.0, three.1, three.2)
                    == [.posted, .posted, .approvalRequired]
            )
            // What was approved of is none of the hour's, and uses none of it up.
            var large = one.spending(400)
            large.approved = 400
            #expect(try await one.post(large, one.spending(1)) == [.posted, .approvalRequired])
            // What was deleted still counts in its hour, and is had back for nothing.
            let id = try #require(three.0.transaction)
            let back = Posting.reversal(of: id, on: one.purse, by: one.child)
            #expect(try await one.post(back) == [.posted])
            #expect(try await one.post(one.spending(1)) == [.approvalRequired])
            var again = one.spending(50)
            (again.transaction, again.version) = (id, 2)
            #expect(try await one.post(again) == [.posted])
            let later = start.adding(seconds: 3_601)
            #expect(try await one.post(one.spending(100), at: later) == [.posted])
            #expect(try await one.post(one.spending(1), at: later) == [.approvalRequired])
        }
    }

    @Test func parentsHearOfRefusalsAndOfWhatComesBackOnceAtATime() async throws {
        try await LedgerRig().run { _, books in
            let one = try await Case(books)
            try await books.limit(one.purse, [(nil, 100)])
            let bought = one.spending(60)
            #expect(try await one.post(bought, one.spending(70)) == [.posted, .limitExceeded])
            #expect(try await one.post(one.spending(80)) == [.limitExceeded])
            #expect(try await one.edit(bought, to: -40) == .posted)
            #expect(try await one.edit(bought, to: -40, on: one.wallet) == .posted)
            let notices = AllowanceNotices(database: books.service, relayBell: RelayBell())
            func told() async throws -> [AllowanceNoticed] {
                while try await notices.publishOne() {}
                return try await books.owner.query(noticed).map {
                    try JSON.read(AllowanceNoticed.self, from: Array($0.utf8))
                }
            }
            let first = try await told()
            #expect(Set(first.map(\.notice)) == [.refused, .deleted])
            #expect(Set(first.map(\.amount.minorUnits)) == [80, 60])
            #expect(first.allSatisfy { $0.userID == one.child && $0.accountID == one.purse })
            // The next waits for its turn.
            #expect(try await one.post(one.spending(101)) == [.limitExceeded])
            #expect(try await told().count == 2)
            try await books.owner.execute(hasten)
            #expect(try await told().count == 3)
        }
    }
}

/// In the middle of a month.
private let start = Instant(secondsSince1970: 1_700_000_000)

private let setParent = Statement<Void>(
    "update ledger.category set parent_id = $2 where id = $1"
)
private let move = Statement<Void>(
    "update ledger.person set month_start = $2, time_zone = $3 where user_id = $1"
)
private let hasten = Statement<Void>("update ledger.allowance_notice set due_at = now()")
private let noticed = Statement(
    """
    select payload::text from ledger.outbox
    where type = 'wallet.allowance.noticed.v1' order by id
    """
) { row in try row.string(0) }
