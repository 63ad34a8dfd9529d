import Postgres
import ServiceKit
import WalletProtocol

/// Who is in a folder, and what each may do there.
struct FolderMemberStore {
    let database: Database
    let people: People

    /// The owner first.
    func list(
        _ query: PageQuery,
        in folder: ID<Folder>,
        for user: ID<User>
    ) async throws -> Page<FolderMemberView> {
        guard try await database.queryOne(FolderStatements.accessOf, user, folder) != nil else {
            throw APIError.notFound
        }
        let last = try query.cursor?.decode(MemberPlace.self)
        let rows = try await database.query(FolderStatements.members, folder)
        let rest = rows.map { $0.view(for: user) }
            .drop { view in last.map { !$0.isBefore(MemberPlace(view)) } ?? false }
        let page = Array(rest.prefix(query.limit + 1))
        return Page(rows: page, limit: query.limit) { Cursor(MemberPlace($0)) }
    }

    /// Lets a member do more or less.
    func change(
        _ member: ID<User>,
        to access: MemberAccess,
        in folder: ID<Folder>,
        by user: ID<User>
    ) async throws -> FolderMemberView {
        let row = try await database.transaction { transaction in
            try await transaction.holdFolder(folder, for: user, needing: .owner)
            guard member != user else { throw APIError(.forbidden, "the owner stays the owner") }
            return try await transaction.queryOne(
                FolderStatements.changeMember,
                folder,
                member,
                access.rawValue
            )
        }
        guard let row else { throw APIError.notFound }
        return row.view(for: user)
    }

    /// Ends a membership: one's own, or anybody's in a folder of one's own.
    ///
    /// What they had put in counts no more; their categories are taken out.
    func end(_ member: ID<User>, in folder: ID<Folder>, by user: ID<User>) async throws {
        try await database.transaction { transaction in
            let access = try await transaction.holdFolder(
                folder,
                for: user,
                needing: member == user ? .read : .owner
            )
            if member == user, access == .owner {
                throw APIError(.forbidden, "the owner of a folder cannot leave it")
            }
            guard try await transaction.execute(FolderStatements.endMember, folder, member) == 1
            else { throw APIError.notFound }
            try await transaction.execute(FolderStatements.takeCategories, folder, member)
            try await transaction.execute(FolderStatements.touch, folder)
        }
    }

    /// A user's right, live, for groups, which asks before it invites.
    func right(
        of user: ID<User>,
        and other: ID<User>?,
        in folder: ID<Folder>
    ) async throws -> FolderRight {
        guard
            let right = try await database.queryOne(FolderStatements.right, user, folder, other)
        else { throw APIError.notFound }
        return right
    }

    /// Makes somebody a member, once for each invitation.
    ///
    /// Groups tells it after the invitation was taken, and again until it is answered: what it told
    /// before stands, also where the membership has ended since.
    func join(
        _ user: ID<User>,
        _ folder: ID<Folder>,
        _ joining: FolderJoining
    ) async throws {
        _ = try await people.person(user)
        do {
            try await database.transaction { transaction in
                try await ErasedUsers.hold([user], in: transaction)
                try await join(user, folder, joining, in: transaction)
            }
        } catch let error as DatabaseError where error.violatedConstraint == "erased_user" {
            throw APIError.notFound
        }
    }

    private func join(
        _ user: ID<User>,
        _ folder: ID<Folder>,
        _ joining: FolderJoining,
        in transaction: Transaction
    ) async throws {
        do {
            try await transaction.holdFolder(folder, for: joining.invitedBy, needing: .owner)
        } catch let error as APIError where error.code == .forbidden {
            throw APIError.notFound
        }
        if let known = try await transaction.queryOne(FolderStatements.findMember, folder, user) {
            if known.stands { return }
            guard known.invitation != joining.invitationID else { throw APIError.notFound }
        }
        let count = try await transaction.queryOne(FolderStatements.countMembers, folder) ?? 0
        guard Int(count) < FolderMembers.countMax else { throw APIError(.tooManyMembers) }
        try await transaction.execute(
            FolderStatements.join,
            folder,
            user,
            joining.access.rawValue,
            joining.invitationID
        )
        try await transaction.execute(FolderStatements.touch, folder)
    }
}
