import Messaging
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// What auth is asked where its events have not come yet.
enum PersonQuestion: Sendable, Hashable {
    case id(ID<User>)
    case username(String)

    /// Asks auth; nil where there is nobody.
    func ask(_ client: InternalClient) async throws(APIError) -> InternalUser? {
        switch self {
        case .id(let id):
            do throws(APIError) {
                return try await client.call(InternalAuth.user, path: ["id": id.text])
            } catch  where error.code == .notFound { return nil }
        case .username(let name):
            return try await find(InternalUserQuery(username: name), client)
        }
    }

    private func find(
        _ query: InternalUserQuery,
        _ client: InternalClient
    ) async throws(APIError) -> InternalUser? {
        try await client.call(InternalAuth.users, query: query, body: NoBody()).items.first
    }
}

/// Knows people by auth's events, or by asking where a call comes before the event.
///
/// Whoever becomes known gets their personal group in the same transaction.
final class PeopleStore {
    private let database: Database
    private let relayBell: RelayBell
    private let ask: (PersonQuestion) async throws -> InternalUser?
    private let newer: NewerPeople?

    init(
        database: Database,
        relayBell: RelayBell,
        versions: PeopleVersions? = nil,
        ask: @escaping (PersonQuestion) async throws -> InternalUser?
    ) {
        self.database = database
        self.relayBell = relayBell
        self.ask = ask
        newer = versions.map { versions in
            NewerPeople(versions: versions) { user in
                guard let told = try await ask(.id(user)) else { throw APIError.notFound }
                return told
            }
        }
    }

    /// Who calls, with a personal group; as auth has them, where it has told of a change whose
    /// event has not come.
    func person(_ user: UserIdentity) async throws -> Person {
        guard let person = try await find(user.id) else { throw APIError(.unauthenticated) }
        return person
    }

    /// Who has an identifier; nil where there is nobody.
    func find(_ user: ID<User>) async throws -> Person? {
        if let known = try await database.queryOne(PeopleStatements.find, user) {
            guard let told = await newer?.person(user, after: known.version) else { return known }
            return try await take(told)
        }
        guard let told = try await ask(.id(user)), told.roles.contains(.user) else { return nil }
        return try await take(told)
    }

    /// Who has a public name; nil where there is nobody.
    func find(username: String) async throws -> Person? {
        let folded = TextFolding.caseFolded(username)
        let known = try await database.query(PeopleStatements.findByUsername, folded)
        if known.count == 1 { return known[0] }
        guard let told = try await ask(.username(username)), told.roles.contains(.user) else {
            return nil
        }
        return try await take(told)
    }

    /// Who has proved an address, as far as it is known here.
    ///
    /// Auth is not asked: how long an answer takes, and whether there is one, would tell of an
    /// address whether it has an account. Who is not known yet finds the invitation in their list.
    func known(by email: EmailAddress) async throws -> Person? {
        let known = try await database.query(PeopleStatements.findByEmail, email.folded)
        return known.count == 1 ? known[0] : nil
    }

    /// The person as auth knows them now: an address may have been proved a moment ago.
    func refreshed(_ person: Person) async throws -> Person {
        guard let told = try await ask(.id(person.id)) else { return person }
        return try await take(told)
    }

    /// Stores what auth answered, unless a later version is stored already: an answer may be older
    /// than the last event.
    private func take(_ told: InternalUser) async throws -> Person {
        let person = Person(told)
        let isNew = try await database.transaction { transaction in
            let isTold = person.version > 0
            return try await write(
                person,
                by: isTold ? PeopleStatements.upsert : PeopleStatements.insert,
                in: transaction
            )
        }
        if isNew { relayBell.ring() }
        return person
    }

    // MARK: Events

    /// Applies an event of auth.
    func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        switch event.type {
        case UserRegistered.eventType:
            let body = try event.body(as: UserRegistered.self)
            // Who has nothing of their own is nobody to share with, either.
            guard body.roles.contains(.user) else { return }
            let person = Person(body)
            if try await ErasedUsers.contain(person.id, in: transaction) { return }
            try await write(person, by: PeopleStatements.insert, in: transaction)
        case UserChanged.eventType:
            let body = try event.body(as: UserChanged.self)
            let person = Person(body)
            if try await ErasedUsers.contain(person.id, in: transaction) { return }
            // Who was a user once and is none any more keeps what they share.
            if !body.roles.contains(.user),
                try await transaction.queryOne(PeopleStatements.find, person.id) == nil
            {
                return
            }
            try await write(person, by: PeopleStatements.upsert, in: transaction)
        case UserErased.eventType:
            let body = try event.body(as: UserErased.self)
            try await erase(body.userID, at: body.erasedAt, in: transaction)
            try await ErasedUsers.forgetDead(of: body.userID, in: transaction)
        default: break
        }
    }

    /// Keeps a person, and makes the personal group where there is none.
    /// - Returns: whether there was none.
    @discardableResult
    private func write(
        _ person: Person,
        by statement: Statement<Void>,
        in transaction: Transaction
    ) async throws -> Bool {
        try await PeopleStatements.write(person, by: statement, in: transaction)
        return try await GroupStore.insertPersonal(of: person, in: transaction)
    }

    /// Forgets a person by auth's order; again it finds nothing more.
    func erase(_ order: ErasureOrder) async throws {
        try await database.transaction { [self] transaction in
            try await ErasedUsers.forgetEvents(by: order, in: transaction)
            try await erase(
                order.userID,
                whoProved: order.email,
                at: order.erasedAt,
                in: transaction
            )
        }
        relayBell.ring()
    }

    /// Forgets a person: what they owe and are owed stays with a place that has no name, and a
    /// group that nobody can see any more goes.
    private func erase(
        _ user: ID<User>,
        whoProved email: String? = nil,
        at moment: Instant,
        in transaction: Transaction
    ) async throws {
        try await ErasedUsers.remember(user, at: moment, in: transaction)
        let known = try await transaction.queryOne(PeopleStatements.find, user)
        try await MessageJobs.erase(user, in: transaction)
        try await FamilyStore.erase(user, in: transaction)
        try await ReceivingAccountStore.erase(user, in: transaction)
        let groups = try await transaction.query(PeopleStatements.lockGroups, user)
        try await transaction.execute(PeopleStatements.endPairs, user)
        try await transaction.execute(PeopleStatements.deleteInvitations, user, email)
        try await transaction.execute(PeopleStatements.deleteRefusals, user)
        try await transaction.execute(PeopleStatements.delete, user)
        try await transaction.execute(PeopleStatements.deleteComments, user)
        try await ExpenseAttachmentStore.erase(user, in: transaction)
        try await transaction.execute(PeopleStatements.deleteImports, user)
        try await transaction.execute(PeopleStatements.deleteLinks, user)
        try await transaction.execute(PeopleStatements.forgetPlaces, user)
        let left = try await transaction.query(PeopleStatements.leaveGroups, user)
        // Cannot fire: somebody has one place in a group (member_user_idx).
        let places = Dictionary(uniqueKeysWithValues: left.map { ($0.group, $0.member) })
        for (group, currency) in groups {
            // Whoever hears that a group is gone forgets who was in it.
            guard try await transaction.queryOne(PeopleStatements.hasUsers, group) == true else {
                try await GroupStore.delete(group, currency, in: transaction)
                continue
            }
            guard let member = places[group] else { continue }
            try await transaction.execute(MemberStatements.promote, group)
            try await Outbox.append(
                GroupMemberLeft(
                    groupID: group,
                    memberID: member,
                    userID: user,
                    leftAt: moment
                ),
                of: group.aggregate,
                in: transaction
            )
        }
        // Last: whoever held a group, or anything else of theirs, has committed by now, with the
        // answer that names them. What is refused under their own keys from here on is found when
        // auth has them looked at once more.
        try await ErasedUsers.forgetKeys(
            of: user,
            reachedAt: [email, known.flatMap { $0.isEmailVerified ? $0.email : nil }]
                .compactMap(\.self),
            in: transaction
        )
    }
}
