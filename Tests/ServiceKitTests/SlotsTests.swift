import ServiceKit
import Testing
import WalletProtocol

/// How much of a kind is under way at once.
@Suite struct SlotsTests {
    @Test func nobodyHasMoreThanTheirShare() throws {
        let slots = Slots(4, perUserMax: 2)
        let (ada, ben, cleo) = (ID<User>.new(), ID<User>.new(), ID<User>.new())
        let first = try #require(slots.take(for: ada))
        let second = try #require(slots.take(for: ada))
        #expect(slots.take(for: ada) == nil)
        let third = try #require(slots.take(for: ben))
        let fourth = try #require(slots.take(for: cleo))
        #expect(slots.take(for: ben) == nil)
        first.giveBack()
        first.giveBack()
        let fifth = try #require(slots.take(for: ben))
        #expect(slots.take(for: ada) == nil, "given back twice it is free once")
        withExtendedLifetime((second, third, fourth, fifth)) {}
    }

    @Test func whatNobodyHoldsIsGivenBack() throws {
        let slots = Slots(1)
        var held = slots.take(for: .new())
        #expect(held != nil)
        #expect(slots.take(for: .new()) == nil)
        withExtendedLifetime(held) {}
        held = nil
        #expect(slots.take(for: .new()) != nil)
    }
}
