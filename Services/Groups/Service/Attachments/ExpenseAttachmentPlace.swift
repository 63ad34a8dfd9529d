import Postgres
import Receipts
import ServiceKit
import WalletProtocol

/// What all receipts of a group may take, whoever adds them.
struct GroupAttachmentLimits: Sendable {
    static let mebibytes = Variable(
        "EZWALLET_GROUP_ATTACHMENT_MEBIBYTES",
        "MiB that the receipts of one group may take in all, whoever added them",
        kind: .integer(1...1_048_576),
        default: "1024"
    )

    /// Bytes of one group's.
    let groupBytesMax: Int
    /// What everybody has for themselves.
    let own: AttachmentLimits

    init(_ settings: Settings) {
        groupBytesMax = settings.integer(Self.mebibytes) << 20
        own = AttachmentLimits(settings)
    }

    /// Whether another fits beside what the expense, the person and the group have.
    /// - Throws: `too-many-attachments`, `attachment-space-exhausted`.
    func check(
        _ room: (count: Int64, bytes: Int64, groupBytes: Int64),
        adding size: Int
    ) throws(APIError) {
        try own.check(room.count, room.bytes, adding: size)
        guard room.groupBytes + Int64(size) <= groupBytesMax else {
            throw APIError(.attachmentSpaceExhausted, "the group's receipts take all their space")
        }
    }
}

/// Beside an expense: whoever may write expenses adds, in their own space and the group's.
struct ExpenseAttachmentPlace: AttachmentPlace {
    let user: ID<User>
    let group: ID<Group>
    let expense: ID<Expense>
    let database: Database
    let limits: GroupAttachmentLimits

    func check(adding size: Int) async throws {
        try await Membership.find(user, in: group, database).check(.write)
        _ = try await ExpenseStore.standing(expense, of: group, database)
        try await checkRoom(adding: size, in: database)
    }

    func put(
        _ file: NewAttachmentFile,
        in work: Transaction
    ) async throws
        -> Response<ExpenseAttachmentView>
    {
        let membership = try await Membership.lock(user, in: group, to: .write, work)
        _ = try await ExpenseStore.standing(expense, of: group, work)
        // They may add to another group at the same time.
        _ = try await AttachmentSpace.lock(of: user, in: work)
        try await checkRoom(adding: file.size, in: work)
        let row = try await work.queryOne(
            ExpenseAttachmentStatements.insert,
            group,
            expense,
            file.id,
            membership.member,
            user,
            file.name,
            file.type.rawValue,
            Int64(file.size),
            file.sha256
        )
        guard let row else { throw APIError(.internalError) }
        try await AttachmentSpace.add(file.size, of: user, in: work)
        try await work.execute(ExpenseAttachmentStatements.addBytes, group, Int64(file.size))
        return .created(
            row.view,
            at: "/v1/groups/\(group)/expenses/\(expense)/attachments/\(file.id)"
        )
    }

    private func checkRoom(adding size: Int, in database: some Querying) async throws {
        let room = try await database.queryOne(
            ExpenseAttachmentStatements.room,
            group,
            expense,
            user
        )
        guard let room else { throw APIError.notFound }
        try limits.check(room, adding: size)
    }
}
