import JSONCodec
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// How members of a family change roles, and what parents hear of a child who is erased.
@Suite struct FamilyRoleTests {
    @Test func roleChangesOnceAllParentsAgree() async throws {
        try await Harness.run { _, harness in
            let home = try await Home(harness)
            #expect(try await home.agree(.parent, by: 0).role == .child)
            #expect(try await home.agree(.parent, by: 0).agreedBy == [home.parents[0]])
            #expect(try await home.agree(.child, by: 1).agreedBy == [])
            #expect(try await home.agree(.parent, by: 1).role == .child)
            let child = try await home.agree(.parent, by: 0)
            #expect(child.role == .parent && child.agreedBy == [])
            // The other parent hears of each new consent, and all others of the change.
            let told = try await home.events(FamilyRoleAgreed.self)
            #expect(told.map(\.isChanged) == [false, false, true])
            #expect(
                told.map { Set($0.userIDs) } == [
                    [home.parents[1]], [home.parents[0]], [home.parents[1], home.child],
                ]
            )
        }
    }

    @Test func consentEndsAsItsParentLeaves() async throws {
        try await Harness.run { _, harness in
            let home = try await Home(harness)
            #expect(try await home.agree(.parent, by: 0).role == .child)
            try await harness.parts.families.end(nil, by: home.parents[0])
            #expect(try await home.agree(.child, by: 1).agreedBy == [])
            #expect(try await home.agree(.parent, by: 1).role == .parent)
        }
    }

    @Test func lastParentStaysOne() async throws {
        try await Harness.run { _, harness in
            let home = try await Home(harness)
            try await harness.parts.families.end(nil, by: home.parents[0])
            await #expect(throws: APIError(.lastParent)) {
                let families = harness.parts.families
                let parent = home.parents[1]
                _ = try await families.setRole(.child, of: parent, by: parent, ifMatch: nil)
            }
        }
    }

    @Test func parentsHearThatAChildWasErased() async throws {
        try await Harness.run { _, harness in
            let home = try await Home(harness)
            try await harness.parts.people.erase(
                ErasureOrder(userID: home.child, erasedAt: .now(), lastSequence: 0, email: nil)
            )
            let told = try await home.events(FamilyChildNoticed.self)
            #expect(told.map(\.notice) == [.lost])
            #expect(told.allSatisfy { $0.childID == nil && Set($0.userIDs) == Set(home.parents) })
        }
    }
}

/// Two parents and a child.
private struct Home {
    let harness: Harness
    let family = ID<Family>.new()
    let parents = [ID<User>.new(), ID<User>.new()]
    let child = ID<User>.new()

    init(_ harness: Harness) async throws {
        self.harness = harness
        try await harness.database.execute(FamilyStatements.insert, family, "Us", Currency.eur)
        for user in parents + [child] {
            let role = user == child ? FamilyRole.child : .parent
            let insert = FamilyStatements.insertMember
            try await harness.database.execute(insert, family, user, role.rawValue)
        }
    }

    /// A parent agrees to the child's role; the child as it is then.
    func agree(_ role: FamilyRole, by parent: Int) async throws -> FamilyMemberView {
        let families = harness.parts.families
        let view = try await families.setRole(role, of: child, by: parents[parent], ifMatch: nil)
        return try #require(view.members.first(where: { $0.userID == child }))
    }

    /// What the family's members are told, in its order.
    func events<Body: EventBody>(_ type: Body.Type) async throws -> [Body] {
        try await harness.database.query(payloads, Body.eventType).map {
            try JSON.read(Body.self, from: Array($0.utf8))
        }
    }
}

private let payloads = Statement(
    "select payload::text from groups.outbox where type = $1 order by id"
) { row in try row.string(0) }
