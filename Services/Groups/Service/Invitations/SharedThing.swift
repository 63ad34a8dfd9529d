import Postgres
import ServiceKit
import WalletProtocol

/// What the ledger keeps and its owner shares by invitation.
enum SharedThing: Sendable, Hashable {
    case wallet(ID<Account>)
    case folder(ID<Folder>)

    /// The identifier, of whichever it is: no two things have one.
    var id: ID<SharedThing> {
        switch self {
        case .wallet(let id): id.retagged(SharedThing.self)
        case .folder(let id): id.retagged(SharedThing.self)
        }
    }

    var account: ID<Account>? { if case .wallet(let id) = self { id } else { nil } }
    var folder: ID<Folder>? { if case .folder(let id) = self { id } else { nil } }

    var kind: InvitationKind {
        switch self {
        case .wallet: .wallet
        case .folder: .folder
        }
    }

    /// Whose events tell of it.
    var aggregate: String { "\(kind.rawValue):\(id.text)" }

    /// Where its invitations are.
    var invitationsPath: String {
        switch self {
        case .wallet(let id): "/v1/accounts/\(id)/invitations"
        case .folder(let id): "/v1/folders/\(id)/invitations"
        }
    }
}

/// A shared thing, and what the invited may do with it.
enum SharedOffer: Sendable, Hashable {
    case wallet(ID<Account>, MemberRole)
    case folder(ID<Folder>, MemberAccess)

    var thing: SharedThing {
        switch self {
        case .wallet(let id, _): .wallet(id)
        case .folder(let id, _): .folder(id)
        }
    }

    var role: MemberRole? { if case .wallet(_, let role) = self { role } else { nil } }
    var access: MemberAccess? { if case .folder(_, let access) = self { access } else { nil } }

    /// Reads `account_id, folder_id, role, access` from a column on; nil where nothing is shared.
    static func read(
        _ row: borrowing PostgresRow,
        at column: Int
    ) throws -> SharedOffer? {
        if let account = try row.value(column, as: ID<Account>?.self) {
            return .wallet(account, try row.word(column + 2))
        }
        if let folder = try row.value(column + 1, as: ID<Folder>?.self) {
            return .folder(folder, try row.word(column + 3))
        }
        return nil
    }
}
