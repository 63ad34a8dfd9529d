import Loops
import Postgres
import ServiceKit
import Testing
import WalletProtocol

@testable import GroupsService

/// Ada, who shares what is hers, Bob, whom she asks, and a ledger that can fall.
struct SharedRig {
    /// What the ledger knows and does.
    final class Ledger {
        var isUp = true
        /// Whether it does what it is asked for, and is gone before it says so.
        var isCutOff = false
        /// Whether whoever asks is a stranger to everything.
        var isStranger = false
        var standing = TestSharing.standing
        var refusal: ErrorCode?
        var joined: [ID<Invitation>] = []
    }

    let ledger: Ledger
    let store: SharedInvitationStore
    let ada: Person
    let bob: Person
    private let harness: Harness

    /// With both of them known.
    static func make(_ harness: Harness) async throws -> SharedRig {
        let ada = try await person("ada", harness)
        let bob = try await person("bob", harness)
        return SharedRig(harness, ada: ada, bob: bob)
    }

    private init(_ harness: Harness, ada: Person, bob: Person) {
        let ledger = Ledger()
        let directory = SharedDirectory { _, _, _ in
            guard !ledger.isStranger else { throw APIError.notFound }
            return ledger.standing
        } join: { taken in
            guard ledger.isUp else { throw APIError(.unavailable) }
            if let refusal = ledger.refusal { throw APIError(refusal) }
            if !ledger.joined.contains(taken.id) { ledger.joined.append(taken.id) }
            if ledger.isCutOff { throw APIError(.unavailable) }
            return SharedRig.view(of: taken.offer.thing)
        } view: { thing, _ in
            SharedRig.view(of: thing)
        }
        self.harness = harness
        self.ledger = ledger
        self.ada = ada
        self.bob = bob
        store = SharedInvitationStore(
            database: harness.database,
            effects: KeyedEffects(
                database: harness.database,
                relayBell: RelayBell()
            ),
            invitations: harness.parts.invitations,
            directory: directory
        )
    }

    /// Ada asks somebody.
    func invite(
        _ invitee: Invitee = Invitee(username: "bob"),
        to offer: SharedOffer
    ) async throws -> ID<Invitation> {
        let asked = try await store.resolve(
            invitee,
            to: offer.thing,
            by: ada,
            from: "192.0.2.1"
        )
        return try await harness.database.transaction { transaction in
            try await store.send(asked, to: offer, by: ada, in: transaction).id
        }
    }

    /// Somebody takes an invitation; nil where it is none to a wallet or a folder for them.
    func accept(_ id: ID<Invitation>, by person: Person) async throws -> SharedView? {
        let email = try await harness.parts.invitations.provedEmail(of: person)
        guard let taken = try await store.take(id, by: person, whose: email) else { return nil }
        let view = try await store.join(taken)
        try await harness.database.transaction { transaction in
            try await store.finish(taken, whose: email, in: transaction)
        }
        return view
    }

    /// Somebody says no; whether there was something to be said.
    func reject(_ id: ID<Invitation>, by person: Person) async throws -> Bool {
        let email = try await harness.parts.invitations.provedEmail(of: person)
        return try await harness.database.transaction { transaction in
            try await store.reject(id, by: person, whose: email, in: transaction)
        }
    }

    /// What somebody has to answer.
    func open(of person: Person) async throws -> [InvitationView] {
        try await harness.parts.invitations.list(PageQuery(), of: person).items
    }

    /// Somebody with a proved address.
    static func person(_ name: String, _ harness: Harness) async throws -> Person {
        var person = Person(UserRegistered.of(.new(), name))
        person.isEmailVerified = true
        try await PeopleStatements.write(
            person,
            by: PeopleStatements.upsert,
            in: harness.database
        )
        let known = try await harness.database.queryOne(PeopleStatements.find, person.id)
        return try #require(known)
    }

    /// A thing as its new member sees it, the same every time.
    static func view(of thing: SharedThing) -> SharedView {
        let madeAt = Instant(microseconds: 0)
        switch thing {
        case .wallet(let id):
            return .first(
                AccountView(
                    id: id,
                    kind: .wallet,
                    currency: .eur,
                    name: "Trip",
                    balance: Money(minorUnits: 0, .eur),
                    available: Money(minorUnits: 0, .eur),
                    createdAt: madeAt,
                    role: .editor
                )
            )
        case .folder(let id):
            return .second(
                FolderView(
                    id: id,
                    name: "Trip",
                    access: .write,
                    ownerID: ID(high: 1, low: 1),
                    memberCount: 2,
                    categoryCount: 0,
                    createdAt: madeAt
                )
            )
        }
    }
}
