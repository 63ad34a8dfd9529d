import Crypto
import IBANs
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// Groups on a database of its own, on a loop of its own.
struct Harness {
    static let logger = Logger(service: "groups", level: .error)
    let parts: GroupsParts
    let database: Database
    let made: TestDatabase

    /// Runs a test with the schema migrated, as the role that the running service is.
    static func run(
        _ body: @escaping @Sendable (isolated LoopActor, Harness) async throws -> Void
    ) async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        let made = try await PostgresCluster.shared().makeDatabase("groups", template: "groups") {
            try await migrate($0)
        }
        try await group.loops[0].actor.run { actor in
            var configuration = made.service
            configuration.leasedConnectionsMax = 8
            configuration.searchPath = ["groups", "pg_temp"].compactMap { Identifier($0) }
            let database = Database(configuration: configuration, loop: actor.loop)
            defer { database.close() }
            let seal = try #require(Seal(key: [UInt8](repeating: 7, count: 32)))
            let client = InternalClient(
                host: "127.0.0.1",
                port: 1,
                service: .groups,
                secret: "not called",
                loop: actor.loop
            )
            let parts = GroupsParts(
                database: database,
                messages: MessageJobs(
                    database: database,
                    client: client,
                    seal: seal,
                    logger: logger
                ),
                tokens: LinkToken(secrets: ["secret"], publicURL: "https://localhost"),
                relayBell: RelayBell(),
                ledger: TestSharing.ledger,
                registry: try .shared()
            ) { _ in nil }
            try await body(actor, Harness(parts: parts, database: database, made: made))
        }
        try await made.drop()
    }

    private static func migrate(_ database: TestDatabase) async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        try await group.loops[0].actor.run { actor in
            let owner = Database(configuration: database.owner, loop: actor.loop)
            defer { owner.close() }
            _ = try await Migrations(
                files: groupsService.migrations,
                settings: [("ezwallet.service_role", database.serviceRole)]
            ).run(on: owner)
        }
    }

    /// People in one group, who are known or new.
    func makeGroup(of count: Int, with users: [ID<User>] = []) async throws -> TestGroup {
        let people = (0..<count).map { number in
            Person(
                id: number < users.count ? users[number] : .new(),
                username: "p\(number)",
                email: "p\(number)@example.org",
                isEmailVerified: true,
                displayName: "P\(number)",
                timeZone: "UTC",
                currency: .eur,
                language: "en"
            )
        }
        let body = NewGroup(name: "Flat", currency: .eur)
        let group = try await database.transaction { transaction in
            try await parts.groups.make(body, by: people[0], inviting: [], in: transaction).id
        }
        for person in people.dropFirst() {
            try await database.transaction { transaction in
                _ = try await MemberStore.join(group, person.id, in: transaction)
            }
        }
        let rows = try await database.query(GroupStatements.present, group)
        let members = try people.map { person in
            try #require(rows.first { $0.user == person.id }).id
        }
        return TestGroup(id: group, users: people.map(\.id), members: members)
    }

    /// Somebody asks somebody to join a group.
    func send(
        _ invitee: Invitee,
        to group: ID<Group>,
        by person: Person
    ) async throws -> InvitationView {
        let invited = try await parts.invitations.resolve(
            invitee,
            to: group,
            by: person,
            from: "192.0.2.1"
        )
        return try await database.transaction { transaction in
            try await parts.invitations.send(invited, to: group, by: person, in: transaction)
        }
    }

    /// Somebody answers an invitation to a group.
    func answer(
        _ id: ID<Invitation>,
        isAccepted: Bool,
        by person: Person
    ) async throws {
        let email = try await parts.invitations.provedEmail(of: person)
        try await database.transaction { transaction in
            _ = try await parts.invitations.answer(
                id,
                isAccepted: isAccepted,
                by: person,
                whose: email,
                in: transaction
            )
        }
    }

    /// How many rows the outbox has of a type.
    func told(_ type: String) async throws -> Int64 {
        let count = Statement("select count(*) from groups.outbox where type = $1") { row in
            try row.int64(0)
        }
        return try await database.queryOne(count, type) ?? 0
    }
}

/// The ledger as a test has it: every wallet and folder is everybody's own.
enum TestSharing {
    static let standing = SharedStanding(
        name: "Trip",
        isOwner: true,
        isOtherMember: false,
        memberCount: 1,
        memberCountMax: 50
    )

    /// A ledger whose rates, and accounts that people have named, are none.
    static var ledger: LedgerCalls {
        LedgerCalls(
            directory: directory,
            allowances: allowances,
            households: HouseholdLedger(leave: { _, _, _ in }, end: { _ in }),
            limits: limits,
            purchases: PurchaseLedger { _, _ in throw APIError(.unavailable) },
            accounts: AccountLedger { _, _ in nil },
            settlements: settlements,
            rates: RateLedger { amounts, _, _ in amounts.map { _ in nil } },
            links: links
        )
    }

    /// A ledger that does as it is told, and pays nothing.
    static var allowances: AllowanceLedger {
        AllowanceLedger(
            open: { _ in },
            release: { _ in },
            pay: { _, _ in throw APIError(.unavailable) },
            decide: { _, _ in throw APIError(.unavailable) },
            agree: { _, _, _ in throw APIError(.unavailable) },
            overview: { _ in throw APIError(.unavailable) }
        )
    }

    /// One that has no child's account.
    static var limits: LimitLedger {
        LimitLedger(find: { _, _ in throw APIError.notFound }) { _, _, _, _ in
            throw APIError.notFound
        } category: { _, _, _ in
            nil
        }
    }

    /// One that posts and takes back whatever it is asked for, each under a name of its own.
    static var links: LinkLedger {
        LinkLedger(
            post: { _, id, _ in id.retagged(MoneyTransaction.self) },
            isPosted: { _, _ in true },
            withdraw: { _ in }
        )
    }

    /// One that has given up whatever it is asked for.
    static var settlements: SettlementLedger {
        SettlementLedger(
            pay: { _, _, _ in throw APIError(.unavailable) },
            decide: { _ in SettlementOutcome(transferID: nil) }
        )
    }

    static var directory: SharedDirectory {
        SharedDirectory { _, _, _ in
            standing
        } join: { _ in
            throw APIError(.unavailable)
        } view: { _, _ in
            throw APIError(.notFound)
        }
    }
}

/// A group whose first member made it.
struct TestGroup: Sendable {
    let id: ID<Group>
    let users: [ID<User>]
    let members: [ID<Member>]
}
