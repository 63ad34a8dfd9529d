import Postgres
import ServiceKit
import WalletProtocol

/// Who is in a folder, the owner first.
struct ListFolderMembers: Handler {
    static let endpoint = FolderMembers.list
    let database: Database

    func handle(
        _ request: Request<PageQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<FolderMemberView>> {
        let (user, query) = (caller.user.id, request.query)
        let folder = try request.path.id(of: Folder.self)
        guard try await database.queryOne(FolderStatements.accessOf, user, folder) != nil else {
            throw APIError.notFound
        }
        let last = try query.cursor?.decode(MemberPlace.self)
        let rows = try await database.query(FolderStatements.members, folder)
        let rest = rows.map { $0.view(for: user) }
            .drop { view in last.map { !$0.isBefore(MemberPlace(view)) } ?? false }
        let page = Array(rest.prefix(query.limit + 1))
        return .ok(Page(rows: page, limit: query.limit) { Cursor(MemberPlace($0)) })
    }
}

/// Lets a member do more or less.
struct ChangeFolderMember: Handler {
    static let endpoint = FolderMembers.change
    let database: Database

    func handle(
        _ request: Request<NoQuery, FolderMemberChange>,
        as caller: Caller
    ) async throws -> Response<FolderMemberView> {
        let user = caller.user.id
        let folder = try request.path.id(of: Folder.self)
        let member = try request.path.id("userId", of: User.self)
        let row = try await database.transaction { transaction in
            try await transaction.holdFolder(folder, for: user, needing: .owner)
            guard member != user else { throw APIError(.forbidden, "the owner stays the owner") }
            return try await transaction.queryOne(
                FolderStatements.changeMember,
                folder,
                member,
                request.body.access.rawValue
            )
        }
        guard let row else { throw APIError.notFound }
        return .ok(row.view(for: user))
    }
}

/// Ends a membership: one's own, or anybody's in a folder of one's own.
///
/// What they had put in counts no more; their categories are taken out.
struct RemoveFolderMember: Handler {
    static let endpoint = FolderMembers.remove
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        let user = caller.user.id
        let folder = try request.path.id(of: Folder.self)
        let isMe = request.path["userId"] == "me"
        let member = isMe ? user : try request.path.id("userId", of: User.self)
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
        return .noContent
    }
}

/// A user's right on a folder, live, for groups, which asks before it invites.
struct GetFolderAccess: Handler {
    static let endpoint = InternalFolders.access
    let database: Database

    func handle(
        _ request: Request<SharedRightQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<FolderRight> {
        let right = try await database.queryOne(
            FolderStatements.right,
            request.query.userID,
            try request.path.id(of: Folder.self),
            request.query.otherID
        )
        guard let right else { throw APIError.notFound }
        return .ok(right)
    }
}

/// A folder as a member sees it.
struct GetSharedFolder: Handler {
    static let endpoint = InternalFolders.get
    let database: Database

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<FolderView> {
        let row = try await database.queryOne(
            FolderStatements.find(
                try request.path.id(of: Folder.self),
                for: try request.path.id("userId", of: User.self)
            )
        )
        guard let row else { throw APIError.notFound }
        return .ok(row.view)
    }
}

/// Makes somebody a member, once for each invitation.
///
/// Groups tells it after the invitation was taken, and again until it is answered: what it told
/// before stands, also where the membership has ended since.
struct JoinFolder: Handler {
    static let endpoint = InternalFolders.join
    let database: Database
    let people: People

    func handle(
        _ request: Request<NoQuery, FolderJoining>,
        as caller: Caller
    ) async throws -> Response<FolderView> {
        let folder = try request.path.id(of: Folder.self)
        let user = try request.path.id("userId", of: User.self)
        _ = try await people.person(user)
        do {
            try await database.transaction { transaction in
                try await ErasedUsers.hold([user], in: transaction)
                try await join(user, folder, request.body, in: transaction)
            }
        } catch let error as DatabaseError where error.violatedConstraint == "erased_user" {
            throw APIError.notFound
        }
        guard let row = try await database.queryOne(FolderStatements.find(folder, for: user)) else {
            throw APIError.notFound
        }
        return .ok(row.view)
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
