import TestKit
import WalletProtocol

@testable import GroupsService

extension SeededGenerator {
    /// Small numbers often, any up to `max` sometimes: most mistakes show with small ones.
    mutating func amount(upTo max: Int64) -> Int64 {
        let bound: Int64 = [3, 100, 1_000_000, max].randomElement(using: &self) ?? max
        return Int64.random(in: 0...Swift.min(bound, max), using: &self)
    }
}

extension Membership {
    /// Somebody in a group of four.
    static func inTests(
        of group: ID<Group> = ID(high: 0, low: 1),
        as member: ID<Member> = ID(high: 0, low: 1)
    ) -> Membership {
        Membership(
            group: GroupRow(
                id: group,
                name: "Flat",
                currency: .eur,
                isPersonal: false,
                memberCount: 4,
                simplifiesDebts: true,
                hasRoles: false,
                isPair: false,
                archivedAt: nil,
                version: 1,
                createdAt: .now()
            ),
            member: member,
            role: .editor,
            user: ID(high: 0, low: 1)
        )
    }
}
