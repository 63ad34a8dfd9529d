import Testing
import WalletProtocol

@testable import LedgerService

/// How many files are read at once.
@Suite struct UploadSlotsTests {
    @Test func nobodyHasMoreThanTwo() throws {
        let slots = UploadSlots()
        let (ada, ben, cleo) = (ID<User>.new(), ID<User>.new(), ID<User>.new())
        let first = try #require(slots.take(for: ada))
        _ = try #require(slots.take(for: ada))
        #expect(slots.take(for: ada) == nil)
        _ = try #require(slots.take(for: ben))
        _ = try #require(slots.take(for: cleo))
        #expect(slots.take(for: ben) == nil)
        first.giveBack()
        _ = try #require(slots.take(for: ben))
        #expect(slots.take(for: ada) == nil)
    }
}
