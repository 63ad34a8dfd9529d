import Postgres
import ServiceKit
import WalletProtocol

/// Auth's people: their dimensions, and what a report falls back on.
struct PersonCopy: CopiedTable {
    let origins: Origins
    var producer: ServiceName { .auth }
    var isOfPeople: Bool { true }

    func aggregate(of key: CopyKey) -> String { "user:\(key.owner)" }

    func told(_ query: SnapshotQuery) async throws -> ToldPage {
        ToldPage(try await origins.users(query)) {
            CopyKey($0.userID, CopyKey.first.part)
        } row: {
            [
                $0.area, $0.dateOfBirth?.text, $0.currency.code, $0.timeZone, $0.language,
                $0.roles.contains(.user) ? Day(utc: $0.registeredAt)?.text : nil,
                $0.dateFormat?.rawValue,
            ]
        }
    }

    func kept(
        after: CopyKey,
        through: CopyKey,
        limit: Int,
        in database: some Querying
    ) async throws -> [CopyRow] {
        try await database.query(CopyStatements.people, after.owner, through.owner, limit)
    }

    func replace(
        _ rows: [(row: CopyRow, sequence: Int64)],
        removing keys: [CopyKey],
        in transaction: Transaction
    ) async throws {
        for key in keys { try await transaction.execute(PeopleStatements.delete, key.owner) }
        guard !rows.isEmpty else { return }
        try await transaction.execute(
            CopyStatements.putPeople,
            rows.map(\.row.key.owner),
            rows.map(\.row.columns[0]),
            rows.map(\.row.columns[1]),
            rows.map(\.row.columns[2]),
            rows.map(\.row.columns[3]),
            rows.map(\.row.columns[4]),
            rows.map(\.row.columns[5]),
            rows.map(\.row.columns[6])
        )
        let registered = rows.filter { $0.row.columns[5] != nil }
        try await transaction.execute(ReleaseStatements.number, registered.map(\.row.key.owner))
    }

    /// Without what it says of them.
    func words(_ key: CopyKey, told: CopyRow?, kept: CopyRow?) -> String {
        guard let told, let kept else {
            return line("person \(key.owner)", told, kept) { _ in "known" }
        }
        let names = [
            "area", "date of birth", "currency", "time zone", "language", "registration",
            "date format",
        ]
        let other = names.indices.filter { told.columns[$0] != kept.columns[$0] }
        return "person \(key.owner): another \(other.map { names[$0] }.joined(separator: ", "))"
    }
}

/// The ledger's categories, those that are gone among them.
struct CategoryCopy: CopiedTable {
    let origins: Origins
    var producer: ServiceName { .ledger }
    var isOfPeople: Bool { true }

    func aggregate(of key: CopyKey) -> String { "category:\(key.part)" }

    func told(_ query: SnapshotQuery) async throws -> ToldPage {
        ToldPage(try await origins.categories(query)) {
            CopyKey($0.userID, $0.categoryID)
        } row: {
            [$0.coicop?.rawValue, $0.parentID?.text]
        }
    }

    func kept(
        after: CopyKey,
        through: CopyKey,
        limit: Int,
        in database: some Querying
    ) async throws -> [CopyRow] {
        try await database.query(
            CopyStatements.categories,
            after.owner,
            after.part,
            through.owner,
            through.part,
            limit
        )
    }

    func replace(
        _ rows: [(row: CopyRow, sequence: Int64)],
        removing keys: [CopyKey],
        in transaction: Transaction
    ) async throws {
        for key in keys {
            try await transaction.execute(CopyStatements.removeCategory, key.owner, key.part)
        }
        guard !rows.isEmpty else { return }
        try await transaction.execute(
            FactStatements.upsertCategory,
            rows.map(\.row.key.owner),
            rows.map(\.row.key.part),
            rows.map(\.row.columns[0]),
            rows.map { $0.row.columns[1].flatMap { CategoryID($0) } }
        )
    }

    func words(_ key: CopyKey, told: CopyRow?, kept: CopyRow?) -> String {
        line("category \(key.part) of person \(key.owner)", told, kept) { row in
            "division \(row.columns[0] ?? "none"), parent \(row.columns[1] ?? "none")"
        }
    }
}

/// Who sees a wallet that is another's, or has.
struct WalletMemberCopy: CopiedTable {
    let origins: Origins
    var producer: ServiceName { .ledger }
    var isOfPeople: Bool { true }

    func aggregate(of key: CopyKey) -> String { "account:\(key.part)" }

    func told(_ query: SnapshotQuery) async throws -> ToldPage {
        ToldPage(try await origins.members(query)) {
            CopyKey($0.userID, $0.accountID)
        } row: {
            [String($0.isMember)]
        }
    }

    func kept(
        after: CopyKey,
        through: CopyKey,
        limit: Int,
        in database: some Querying
    ) async throws -> [CopyRow] {
        try await database.query(
            CopyStatements.members,
            after.owner,
            after.part,
            through.owner,
            through.part,
            limit
        )
    }

    func replace(
        _ rows: [(row: CopyRow, sequence: Int64)],
        removing keys: [CopyKey],
        in transaction: Transaction
    ) async throws {
        for key in keys {
            try await transaction.execute(CopyStatements.removeMember, key.owner, key.part)
        }
        guard !rows.isEmpty else { return }
        try await transaction.execute(
            CopyStatements.putMembers,
            rows.map(\.row.key.owner),
            rows.map(\.row.key.part),
            rows.map { $0.row.columns[0] == String(true) },
            rows.map(\.sequence)
        )
    }

    func words(_ key: CopyKey, told: CopyRow?, kept: CopyRow?) -> String {
        line("member \(key.owner) of wallet \(key.part)", told, kept) { row in
            row.columns[0] == String(true) ? "in it" : "out of it"
        }
    }
}
