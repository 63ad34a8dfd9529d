import ServiceKit
import WalletProtocol

/// A shared thing as a member sees it.
typealias SharedView = Either<AccountView, FolderView>

/// How people stand to a shared thing, as the ledger knows it now.
struct SharedStanding: Sendable, Hashable {
    /// The thing's name.
    var name: String
    /// Whether it is the one's own.
    var isOwner: Bool
    /// Whether the other is in it.
    var isOtherMember: Bool
    /// How many are in it, the owner included.
    var memberCount: Int
    /// How many there may be, those who are asked included.
    var memberCountMax: Int
    /// Why nobody is asked to it, where nobody is.
    var refusal: APIError?
}

extension SharedStanding {
    init(_ access: WalletAccess) {
        self.init(
            name: access.name,
            isOwner: access.role == .owner,
            isOtherMember: access.otherRole != nil,
            memberCount: access.memberCount,
            memberCountMax: WalletMembers.countMax
        )
        if access.kind != .wallet {
            refusal = APIError(.accountKind, "only wallets are shared")
        } else if access.isClosed {
            refusal = APIError(.accountClosed)
        }
    }

    init(_ right: FolderRight) {
        self.init(
            name: right.name,
            isOwner: right.access == .owner,
            isOtherMember: right.otherAccess != nil,
            memberCount: right.memberCount,
            memberCountMax: FolderMembers.countMax
        )
    }
}

/// What groups asks the ledger, which keeps shared things and who is in them.
struct SharedDirectory {
    /// How one, and another, stand to a thing; `not-found` where the one is a stranger to it.
    var standing: (SharedThing, ID<User>, ID<User>?) async throws -> SharedStanding
    /// Makes somebody a member, once for each invitation.
    var join: (SharedAcceptance) async throws -> SharedView
    /// The thing as a member sees it.
    var view: (SharedThing, ID<User>) async throws -> SharedView

    /// By calls to the ledger.
    static func calling(_ client: InternalClient) -> SharedDirectory {
        SharedDirectory { thing, user, other in
            switch thing {
            case .wallet(let id):
                let access = try await client.call(
                    InternalWallets.access,
                    path: ["id": id.text],
                    query: SharedRightQuery(userID: user, otherID: other),
                    body: NoBody()
                )
                return SharedStanding(access)
            case .folder(let id):
                let right = try await client.call(
                    InternalFolders.access,
                    path: ["id": id.text],
                    query: SharedRightQuery(userID: user, otherID: other),
                    body: NoBody()
                )
                return SharedStanding(right)
            }
        } join: { taken in
            switch taken.offer {
            case .wallet(let id, let role):
                let wallet = try await client.call(
                    InternalWallets.join,
                    path: ["id": id.text, "userId": taken.user.text],
                    query: NoQuery(),
                    body: WalletJoining(
                        invitationID: taken.id,
                        invitedBy: taken.invitedBy,
                        role: role
                    )
                )
                return .first(wallet)
            case .folder(let id, let access):
                let folder = try await client.call(
                    InternalFolders.join,
                    path: ["id": id.text, "userId": taken.user.text],
                    query: NoQuery(),
                    body: FolderJoining(
                        invitationID: taken.id,
                        invitedBy: taken.invitedBy,
                        access: access
                    )
                )
                return .second(folder)
            }
        } view: { thing, user in
            let path = ["id": thing.id.text, "userId": user.text]
            switch thing {
            case .wallet: return .first(try await client.call(InternalWallets.get, path: path))
            case .folder: return .second(try await client.call(InternalFolders.get, path: path))
            }
        }
    }
}
