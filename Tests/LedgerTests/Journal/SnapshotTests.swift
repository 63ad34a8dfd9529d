import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// What read models begin anew from, held against the journal and the tables.
@Suite struct SnapshotTests {
    private struct Name: Hashable {
        let transaction: ID<MoneyTransaction>
        let version: Int
    }

    @Test func versionsStandAsTheJournalTellsAndOthersAreUnknown() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await LedgerRig().run { _, books in
            var random = SeededGenerator(seed: seed)
            let (ada, eve) = try await (books.person(), books.person())
            let wallet = try await books.account(of: ada, holding: 10_000)
            let (other, foreign) = try await (books.account(of: ada), books.account(of: eve))
            let others = try await books.others(of: ada)
            var posted: [Posting] = []
            for _ in 0..<40 {
                var posting: Posting
                switch Int.random(in: 0..<6, using: &random) {
                case 0: posting = .transfer(1, from: wallet, to: other, by: ada)
                case 1: posting = .transfer(1, from: wallet, to: foreign, by: ada)
                case 2:
                    posting = .record(-30, on: wallet, by: ada)
                    posting.lines = [-10, -20].map { .init(category: others, amount: $0) }
                case 3:
                    guard let old = posted.randomElement(using: &random),
                        let row = try await books.row(old)
                    else { continue }
                    posting = Posting(reversing: row, .init(of: ada), by: ada)
                default:
                    posting = .record(-5, on: wallet, by: ada)
                    posted.append(posting)
                }
                _ = try await books.service.post([posting])
            }
            var expected: [Name: BookedVersion] = [:]
            for row in try await books.told() {
                let parts = row.isOwnTransfer || row.isUncounted ? 0 : row.lines?.count ?? 1
                expected[Name(transaction: row.transactionID, version: row.version)] =
                    BookedVersion(
                        transactionID: row.transactionID,
                        version: row.version,
                        userID: row.userID,
                        parts: parts,
                        isReversed: row.kind == .reversed
                    )
            }
            #expect(expected.values.contains { $0.isReversed } && expected.count > 20)
            let names = Array(expected.keys)
            let snapshots = SnapshotStore(database: books.service)
            let answer = try await snapshots.versions(
                VersionQuestion(
                    transactionIDs: names.map(\.transaction) + [.new(), names[0].transaction],
                    versions: names.map(\.version) + [1, 99]
                )
            )
            #expect(answer.count == names.count, "seed \(seed)")
            for one in answer {
                let name = Name(transaction: one.transactionID, version: one.version)
                #expect(one == expected[name], "seed \(seed)")
            }
        }
    }

    @Test func everyRowComesOnceInTheOrderOfItsKeyWithItsSequence() async throws {
        try await LedgerRig().run { _, books in
            let (ada, eve) = try await (books.person(), books.person())
            let wallets = try await [books.account(of: ada), books.account(of: ada)]
            let foreign = try await books.account(of: eve)
            for wallet in wallets { try await books.share(wallet, with: eve, .viewer) }
            let others = try await books.others(of: ada)
            try await books.owner.execute(tellThrice, "category:\(others)")
            let snapshots = SnapshotStore(database: books.service)
            let accounts = try await all { try await snapshots.accounts($0) }
            #expect(accounts.map(\.data.accountID) == accounts.map(\.data.accountID).sorted())
            #expect(Set(accounts.map(\.data.userID)) == [ada, eve])
            #expect(Set(accounts.map(\.data.accountID)).isSuperset(of: wallets + [foreign]))
            let categories = try await all { try await snapshots.categories($0) }
            #expect(Set(categories.map(\.data.userID)) == [ada, eve])
            #expect(categories.first { $0.data.categoryID == others }?.sequence == 3)
            #expect(categories.first { $0.data.categoryID == others }?.data.isDefault == true)
            let members = try await all { try await snapshots.members($0) }
            #expect(members.map(\.data.accountID) == wallets.sorted())
            #expect(members.allSatisfy { $0.data.userID == eve && $0.data.isMember })
        }
    }

    /// A page of one row at a time.
    private func all<Value>(
        _ read: (SnapshotQuery) async throws -> Page<Snapshot<Value>>
    ) async throws -> [Snapshot<Value>] {
        var items: [Snapshot<Value>] = []
        var cursor: Cursor?
        repeat {
            let page = try await read(SnapshotQuery(cursor: cursor, limit: 1))
            items += page.items
            cursor = page.nextCursor
        } while cursor != nil
        return items
    }
}

private let tellThrice = Statement<Void>(
    """
    insert into ledger.aggregate_sequence (aggregate, sequence) values ($1, 3)
    on conflict (aggregate) do update set sequence = 3
    """
)
