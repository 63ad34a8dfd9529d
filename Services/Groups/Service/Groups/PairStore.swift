import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// The group that two people have to themselves.
///
/// Nobody gets debts from somebody whom they have not agreed to share a group with: whoever calls
/// first is in it alone, the other is invited, and joins by accepting or by the same call. Another
/// group or a family that they share is no agreement.
final class PairStore {
    private let effects: KeyedEffects
    private let invitations: InvitationStore

    init(effects: KeyedEffects, invitations: InvitationStore) {
        self.effects = effects
        self.invitations = invitations
    }

    /// The pair's group with the caller in it, made where there is none yet, and the other invited.
    /// - Returns: the group, and whether it was made.
    /// - Throws: 404 for somebody with whom the caller shares nothing, `user-blocked`,
    ///   `group-archived`.
    func pair(
        of person: Person,
        with other: ID<User>
    ) async throws -> (group: GroupRow, isNew: Bool) {
        try await effects.run { [self] transaction in
            guard other != person.id,
                try await transaction.queryOne(MemberStatements.share, person.id, other) == true
            else { throw APIError.notFound }
            if try await transaction.queryOne(RefusalStatements.isBlocked, person.id, other) == true
            {
                throw APIError(.userBlocked)
            }
            try await ErasedUsers.hold([person.id, other], in: transaction)
            try await transaction.execute(RefusalStatements.agree, person.id, other)
            let (group, isNew) = try await find(person, other, in: transaction)
            try await join(group, person, other, in: transaction)
            try await invite(other, to: group, by: person, in: transaction)
            return (try await Membership.find(person.id, in: group, transaction).group, isNew)
        }
    }

    /// The group, whose row is locked.
    private func find(
        _ person: Person,
        _ other: ID<User>,
        in transaction: Transaction
    ) async throws -> (group: ID<Group>, isNew: Bool) {
        let isKnown =
            try await transaction.queryOne(GroupStatements.pair, person.id, other) != nil
        if !isKnown, let made = try await make(person, other, in: transaction) {
            return (made, true)
        }
        // The other may have been quicker, and has committed; or has named it meanwhile.
        guard let known = try await transaction.queryOne(GroupStatements.pair, person.id, other),
            try await transaction.queryOne(GroupStatements.lock, known) != nil
        else { throw APIError(.unavailable, retryAfterSeconds: 1) }
        return (known, false)
    }

    /// - Returns: nil where there is one by now.
    private func make(
        _ person: Person,
        _ other: ID<User>,
        in transaction: Transaction
    ) async throws -> ID<Group>? {
        let made = try await transaction.queryOne(GroupStatements.madeInDay, person.id)
        guard made ?? 0 < GroupStore.pairsPerDayMax else {
            let detail = "at most \(GroupStore.pairsPerDayMax) groups a day"
            throw APIError(.tooManyRequests, detail, retryAfterSeconds: 3_600)
        }
        let id = ID<Group>.new()
        let createdAt = try await transaction.queryOne(
            GroupStatements.insertPair,
            id,
            person.currency,
            person.id,
            other
        )
        guard let createdAt else { return nil }
        try await GroupStore.begin(id, person.currency, by: person, at: createdAt, transaction)
        return id
    }

    /// Whoever is invited by the other accepts by calling.
    private func join(
        _ group: ID<Group>,
        _ person: Person,
        _ other: ID<User>,
        in transaction: Transaction
    ) async throws {
        guard try await transaction.queryOne(MemberStatements.place, person.id, group) == nil
        else { return }
        if try await transaction.queryOne(GroupStatements.lock, group) == true {
            throw APIError(.groupArchived)
        }
        try await MemberStore.join(group, person.id, in: transaction)
        try await transaction.execute(GroupStatements.raiseVersion, group)
        let closed = try await InvitationStore.close(
            nil,
            to: group,
            of: person.id,
            whose: nil,
            isAccepted: true,
            in: transaction
        )
        try await InvitationStore.tell(
            closed,
            to: group,
            answeredBy: person.id,
            isAccepted: true,
            in: transaction
        )
    }

    /// Asks whoever is not in it and has no open invitation.
    private func invite(
        _ other: ID<User>,
        to group: ID<Group>,
        by person: Person,
        in transaction: Transaction
    ) async throws {
        guard try await transaction.queryOne(MemberStatements.place, other, group) == nil,
            try await transaction.queryOne(InvitationStatements.isOpen, group, other, String?.none)
                != true,
            let invited = try await transaction.queryOne(PeopleStatements.find, other)
        else { return }
        try await invitations.insert(
            // By the name that the caller knows, which need not be the username.
            Invited(name: .username(invited.displayName), person: invited),
            to: .group(group, name: person.displayName),
            by: person,
            in: transaction
        )
    }
}
