import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

extension Books {
    /// What the journal tells others, in the order of its places.
    func told() async throws -> [TransactionPosted] {
        let places = try await service.query(TellingStatements.places, 1, Int64.max, 100_000)
        return try await service.query(TellingStatements.postings, places)
    }
}

/// What the other services are told is what the journal holds, however late it is read.
@Suite struct TellingTests {
    @Test func whatIsTakenBackIsToldBeforeWhatIsMade() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let pair = try await (books.account(of: ada, holding: 10), books.account(of: ada))
            let posting = Posting.transfer(4, from: pair.0, to: pair.1, by: ada)
            _ = try await books.service.post([posting])
            var ending = Posting(.reversal, .init(of: ada), by: ada, on: pair.0)
            ending.counter = pair.1
            ending.transaction = posting.transaction
            #expect(try await books.service.post([ending]).map(\.status) == [.posted])
            let told = try await books.told().filter { $0.transferID == posting.transfer }
            #expect(told.map(\.kind) == [.posted, .posted, .reversed, .reversed])
            #expect(Set(told.map(\.source.place)).count == 2)
            #expect(told.allSatisfy { $0.isOwnTransfer && $0.version == 1 })
            let units = Dictionary(grouping: told, by: \.accountID).mapValues {
                $0.map(\.amount.minorUnits)
            }
            #expect(units == [pair.0: [-4, -4], pair.1: [4, 4]])
        }
    }

    @Test func whatIsSplitIsToldInItsParts() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let wallet = try await books.account(of: ada, holding: 1_000)
            let others = try #require(
                try await books.owner.queryOne(CategoryStatements.others, ada)
            )
            let record = Posting.record(-300, on: wallet, by: ada)
            #expect(try await books.service.post([record]).map(\.status) == [.posted])
            let told = try #require(try await books.told().last)
            #expect(told.lines == nil && told.categoryID == others)
            #expect(told.amount == Money(minorUnits: -300, .eur))
            #expect(told.source.entryID == record.entry)
        }
    }

    /// Places follow the order of each account's entries, and no commit is passed over.
    @Test func placesFollowEachAccountsOrder() async throws {
        try await LedgerRig().run { _, books in
            let ada = try await books.person()
            let rich = try await books.account(of: ada, holding: 1_000)
            let other = try await books.account(of: ada)
            for _ in 0..<5 {
                let many = (0..<20).map { _ in
                    Posting.transfer(1, from: rich, to: other, by: ada)
                }
                _ = try await books.service.post(many)
            }
            let places = try await books.service.query(inOrderOfAccount, rich)
            #expect(places.count == 101 && places == places.sorted())
            #expect(Set(places).count == places.count)
        }
    }
}

private let inOrderOfAccount = Statement(
    """
    select e.place
    from ledger.movement as m
    join ledger.entry as e on e.id = m.entry_id
    where $1 in (m.debit_account, m.credit_account)
    order by case when m.debit_account = $1 then m.debit_seq else m.credit_seq end
    """
) { row in try row.int64(0) }
