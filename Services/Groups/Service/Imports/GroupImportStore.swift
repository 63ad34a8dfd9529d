import BankFiles
import HTTP
import Loops
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Reads other apps' exports into previews, and has them taken in.
///
/// An import is its sender's alone, for as long as they may write in the group; after a day it is
/// dropped, and what it brought stays.
struct GroupImportStore {
    let database: Database
    let effects: KeyedEffects
    let members: MemberStore
    let blocking: BlockingPool
    /// Of files on their way here, and apart from them, so that slow senders stop nobody else, of
    /// those that are taken in.
    private let uploads = Slots(8, perUserMax: 2)
    private let commits = Slots(2, perUserMax: 1)

    init(
        database: Database,
        effects: KeyedEffects,
        members: MemberStore,
        blocking: BlockingPool
    ) {
        self.database = database
        self.effects = effects
        self.members = members
        self.blocking = blocking
    }

    // MARK: Reading

    /// Reads a file; nothing is taken in yet.
    func upload(
        _ request: HTTPRequest,
        _ query: GroupImportQuery,
        for user: ID<User>,
        under scope: IdempotencyScope?
    ) async throws -> Response<GroupImportView> {
        let membership = try await Self.check(user, in: query.groupID, database)
        let slot = try Self.slot(of: uploads, for: user)
        defer { slot.giveBack() }
        let bytes = try await request.body(max: GroupImports.fileMax)
        let currency = AssumedCurrency(
            query.currency ?? membership.group.currency,
            isNamed: query.currency != nil
        )
        let reading = try await read(bytes, query.format, assuming: currency)
        return try await effects.answer(scope?.including(reading.digest)) { transaction in
            try await Self.check(user, in: query.groupID, transaction)
            let file = ReadGroupFile(
                id: .new(),
                group: query.groupID,
                user: user,
                bytes: bytes,
                reading: reading
            )
            try await Self.insert(file, in: transaction)
            let record = try await Self.find(file.id, of: user, transaction)
            return .created(record.view, at: "/v1/group-imports/\(file.id.text)")
                .tagged(String(record.version))
        }
    }

    /// Work that takes memory is limited, and each one's share of it.
    private static func slot(
        of slots: Slots,
        for user: ID<User>
    ) throws(APIError) -> Slot {
        guard let slot = slots.take(for: user) else {
            throw APIError(.unavailable, retryAfterSeconds: 2)
        }
        return slot
    }

    @discardableResult
    private static func check(
        _ user: ID<User>,
        in group: ID<Group>,
        _ database: some Querying
    ) async throws -> Membership {
        let membership = try await Membership.find(user, in: group, database)
        try membership.check(.write)
        try membership.checkIsShared()
        return membership
    }

    private func read(
        _ bytes: [UInt8],
        _ format: GroupImportFormat?,
        assuming currency: AssumedCurrency?
    ) async throws -> GroupImportReading {
        do {
            return try await blocking.run {
                try GroupImportReading(bytes, format, assuming: currency)
            }
        } catch let error as UnreadableStatement {
            switch error {
            case .unknownFormat(let detail): throw APIError(.unknownFormat, detail)
            case .unreadable(let line, let detail):
                throw APIError(.unreadableFile, "line \(line): \(detail)")
            case .several, .mapping: throw APIError(.unreadableFile)
            }
        }
    }

    /// Keeps what was read for its sender.
    static func insert(_ read: ReadGroupFile, in transaction: Transaction) async throws {
        let (reading, group, user) = (read.reading, read.group, read.user)
        let previews = try await transaction.queryOne(GroupImportStatements.previews, user)
        guard previews ?? 0 < GroupImports.previewsMax else { throw APIError(.tooManyImports) }
        let known = try await known(reading, in: group, transaction)
        let people = try await proposed(read, transaction)
        try await transaction.execute(
            GroupImportStatements.insert,
            read.id,
            group,
            user,
            reading.export.format.rawValue,
            JSON.text(people),
            JSON.text(reading.summary),
            Int32(clamping: known.count),
            read.bytes
        )
    }

    /// Those of a file's rows that the group has.
    static func known(
        _ reading: GroupImportReading,
        in group: ID<Group>,
        _ database: some Querying
    ) async throws -> Set<GroupImportFingerprint> {
        let digests = Array(Set(reading.fingerprints.map(\.digest)))
        let rows = try await database.query(GroupImportStatements.known, group, digests)
        return Set(rows).intersection(reading.fingerprints)
    }

    /// Who people are, where one of them and one member alone have the name; who exported the file
    /// is its sender.
    private static func proposed(
        _ read: ReadGroupFile,
        _ transaction: Transaction
    ) async throws -> [GroupImportPerson] {
        let (export, group) = (read.reading.export, read.group)
        let names = export.people
        let members = try await transaction.query(
            MemberStatements.list,
            group,
            ID<Member>(high: 0, low: 0),
            false,
            GroupStore.membersMax
        )
        let membersByName = Dictionary(grouping: members) { TextFolding.caseFolded($0.displayName) }
        let namesByFolded = Dictionary(grouping: names) { TextFolding.caseFolded($0) }
        return names.enumerated().map { index, name in
            if index == export.exporter {
                let sender = members.first { $0.user == read.user }
                return GroupImportPerson(name: name, memberID: sender?.id)
            }
            let folded = TextFolding.caseFolded(name)
            let named = membersByName[folded] ?? []
            let isSure = named.count == 1 && namesByFolded[folded]?.count == 1
            return GroupImportPerson(name: name, memberID: isSure ? named.first?.id : nil)
        }
    }

    // MARK: One's own

    /// One of somebody's, whatever became of the group since.
    /// - Throws: 404 for anybody else and for who has left, 403 where they may not write any more.
    func find(_ id: ID<GroupImport>, of user: ID<User>) async throws -> GroupImportRecord {
        let record = try await Self.find(id, of: user, database)
        try await Membership.find(user, in: record.group, database).check(.writeArchived)
        return record
    }

    private static func find(
        _ id: ID<GroupImport>,
        of user: ID<User>,
        _ database: some Querying
    ) async throws -> GroupImportRecord {
        guard let record = try await database.queryOne(GroupImportStatements.find, id, user) else {
            throw APIError.notFound
        }
        return record
    }

    /// The same, which nobody else changes until the transaction's end.
    static func lock(
        _ id: ID<GroupImport>,
        of user: ID<User>,
        _ transaction: Transaction
    ) async throws -> GroupImportRecord {
        guard let record = try await transaction.queryOne(GroupImportStatements.lock, id, user)
        else { throw APIError.notFound }
        return record
    }

    /// Says who is who.
    func change(
        _ id: ID<GroupImport>,
        _ change: GroupImportChange,
        of user: ID<User>,
        ifMatch: EntityTags?
    ) async throws -> GroupImportRecord {
        try await database.transaction { transaction in
            let old = try await Self.lock(id, of: user, transaction)
            try await Self.check(user, in: old.group, transaction)
            try ifMatch.check(old.version)
            guard old.state == .preview else { throw APIError(.importState) }
            let present = try await transaction.query(GroupStatements.present, old.group)
            let record = try old.applying(change, members: Set(present.map(\.id)))
            try await transaction.execute(
                GroupImportStatements.change,
                id,
                JSON.text(record.people),
                record.leavesOutErrors
            )
            return try await Self.find(id, of: user, transaction)
        }
    }

    /// Drops a preview.
    func remove(_ id: ID<GroupImport>, of user: ID<User>, ifMatch: EntityTags?) async throws {
        try await database.transaction { transaction in
            let record = try await Self.lock(id, of: user, transaction)
            try await Membership.find(user, in: record.group, transaction).check(.writeArchived)
            try ifMatch.check(record.version)
            guard record.state == .preview else { throw APIError(.importState) }
            try await transaction.execute(GroupImportStatements.delete, id)
        }
    }

    /// Drops what is older than a day.
    func deleteOld() async throws {
        while try await database.execute(GroupImportStatements.deleteOld) == 100 {}
    }

    // MARK: Taking in

    /// Takes one in, all of it or nothing; again it is the same.
    func commit(
        _ id: ID<GroupImport>,
        by person: Person,
        today: Day,
        under scope: IdempotencyScope?
    ) async throws -> Response<GroupImportView> {
        try await effects.run(scope) { keyed in
            let found = try await find(id, of: person.id)
            let slot = try Self.slot(of: commits, for: person.id)
            defer { slot.giveBack() }
            // What stands in the file does not change, and goes with the preview.
            let bytes = try await database.queryOne(GroupImportStatements.content, id)
            let reading = try await readAgain(bytes, found)
            return try await keyed.answer { transaction in
                let membership = try await Membership.lock(
                    person.id,
                    in: found.group,
                    to: .write,
                    transaction
                )
                let record = try await Self.lock(id, of: person.id, transaction)
                if record.state == .preview, let reading {
                    try await GroupImportCommit(
                        record: record,
                        reading: reading,
                        membership: membership,
                        members: members,
                        today: today,
                        transaction: transaction
                    ).run()
                }
                let done = try await Self.find(id, of: person.id, transaction)
                return .ok(done.view).tagged(String(done.version))
            }
        }
    }

    private func readAgain(
        _ bytes: [UInt8]?,
        _ record: GroupImportRecord
    ) async throws -> GroupImportReading? {
        guard let bytes else { return nil }
        return try await read(bytes, record.format, assuming: record.summary.assumed)
    }
}
