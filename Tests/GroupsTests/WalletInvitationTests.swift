import Loops
import Postgres
import ServiceKit
import Testing
import WalletProtocol

@testable import GroupsService

/// Invitations to wallets, whatever becomes of the ledger meanwhile.
@Suite struct WalletInvitationTests {
    @Test func whatWasTakenBeforeTheLedgerFellIsFinishedByTheWorker() async throws {
        try await Harness.run { _, harness in
            let (ledger, wallets) = Self.wallets(harness)
            let (ada, bob) = try await (
                Self.person("ada", harness), Self.person("bob", harness)
            )
            let account = ID<Account>.new()
            let id = try await Self.invite("bob", to: account, by: ada, wallets)
            ledger.isUp = false
            await #expect(throws: APIError.self) {
                _ = try await wallets.accept(id, by: bob, key: nil)
            }
            // It is taken: nobody answers it otherwise, takes it back or asks again.
            let rejected = try await wallets.reject(id, by: bob, key: nil)
            #expect(rejected == nil)
            ledger.isUp = true
            await #expect(throws: APIError.self) {
                try await wallets.withdraw(id, from: account, by: ada.id)
            }
            await #expect(throws: APIError.self) {
                _ = try await Self.invite("bob", to: account, by: ada, wallets)
            }
            // A call may be under way still.
            try await wallets.finishSome()
            #expect(ledger.joined.isEmpty)
            try await harness.database.execute(age)
            try await wallets.finishSome()
            try await wallets.finishSome()
            #expect(ledger.joined == [id])
            #expect(try await harness.told(InvitationAnswered.eventType) == 1)
            // Their own call again: the answer is the same, and nobody is told twice.
            guard case .made = try await wallets.accept(id, by: bob, key: nil) else {
                Issue.record("not answered")
                return
            }
            #expect(ledger.joined == [id])
            #expect(try await harness.told(InvitationAnswered.eventType) == 1)
        }
    }

    @Test(arguments: [ErrorCode.notFound, .accountClosed, .tooManyMembers])
    func whatTheLedgerRefusesLapses(code: ErrorCode) async throws {
        try await Harness.run { _, harness in
            let (ledger, wallets) = Self.wallets(harness)
            let (ada, bob) = try await (
                Self.person("ada", harness), Self.person("bob", harness)
            )
            let id = try await Self.invite("bob", to: .new(), by: ada, wallets)
            ledger.refusal = code
            await #expect(throws: APIError.self) {
                _ = try await wallets.accept(id, by: bob, key: nil)
            }
            ledger.refusal = nil
            let later = try await wallets.accept(id, by: bob, key: nil)
            #expect(later == nil)
            try await harness.database.execute(age)
            try await wallets.finishSome()
            #expect(ledger.joined.isEmpty)
            #expect(try await harness.told(InvitationAnswered.eventType) == 0)
        }
    }

    @Test func byNameAndByAddressTheyAreOne() async throws {
        try await Harness.run { _, harness in
            let (ledger, wallets) = Self.wallets(harness)
            let (ada, bob) = try await (
                Self.person("ada", harness), Self.person("bob", harness)
            )
            let account = ID<Account>.new()
            let id = try await Self.invite("bob", to: account, by: ada, wallets)
            let body = WalletInvitee(email: bob.email, role: .editor)
            await #expect(throws: APIError.self) {
                _ = try await wallets.send(body, to: account, by: ada, key: nil)
            }
            _ = try await wallets.accept(id, by: bob, key: nil)
            #expect(ledger.joined == [id])
            let page = try await harness.parts.invitations.list(PageQuery(), of: bob)
            #expect(page.items.isEmpty)
        }
    }

    // MARK: A ledger that can fall

    private final class Ledger {
        var isUp = true
        var refusal: ErrorCode?
        var joined: [ID<Invitation>] = []
    }

    private static func wallets(_ harness: Harness) -> (Ledger, WalletInvitationStore) {
        let ledger = Ledger()
        let view = AccountView(
            id: .new(),
            kind: .wallet,
            currency: .eur,
            name: "Trip",
            balance: Money(minorUnits: 0, .eur),
            available: Money(minorUnits: 0, .eur),
            createdAt: .now(),
            role: .viewer
        )
        let directory = WalletDirectory { account, user, other in
            try await TestWallets.directory.access(account, user, other)
        } join: { _, _, joining in
            guard ledger.isUp else { throw APIError(.unavailable) }
            if let refusal = ledger.refusal { throw APIError(refusal) }
            if !ledger.joined.contains(joining.invitationID) {
                ledger.joined.append(joining.invitationID)
            }
            return view
        } wallet: { _, _ in
            view
        }
        let store = WalletInvitationStore(
            database: harness.database,
            effects: KeyedEffects(
                database: harness.database,
                relayBell: RelayBell(SharedBell())
            ),
            invitations: harness.parts.invitations,
            directory: directory
        )
        return (ledger, store)
    }

    private static func person(_ name: String, _ harness: Harness) async throws -> Person {
        let person = Person(UserRegistered.of(.new(), name))
        try await harness.database.execute(
            PeopleStatements.upsert,
            person.id,
            person.username,
            person.username,
            person.email,
            true,
            person.displayName,
            person.timeZone,
            person.currency,
            person.language
        )
        let known = try await harness.database.queryOne(PeopleStatements.find, person.id)
        return try #require(known)
    }

    private static func invite(
        _ username: String,
        to account: ID<Account>,
        by inviter: Person,
        _ wallets: WalletInvitationStore
    ) async throws -> ID<Invitation> {
        let body = WalletInvitee(username: username, role: .viewer)
        return try await wallets.send(body, to: account, by: inviter, key: nil).value().id
    }
}

private let age = Statement<Void>(
    """
    update groups.invitation set answered_at = now() - interval '1 minute'
    where state = 'accepting'
    """
)
