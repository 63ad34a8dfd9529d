import Postgres
import ServiceKit
import WalletProtocol

/// What a file says, as it is kept beside it.
struct GroupImportSummary: JSONObject, Hashable {
    let rowCount: Int
    let expenseCount: Int
    let settlementCount: Int
    let errors: [ImportFault]
    let errorCount: Int
    let balances: [GroupImportBalance]
    let ties: Bool

    static let json = Object(
        GroupImportSummary.init,
        Field("rowCount", \.rowCount),
        Field("expenseCount", \.expenseCount),
        Field("settlementCount", \.settlementCount),
        Field("errors", \.errors),
        Field("errorCount", \.errorCount),
        Field("balances", \.balances),
        Field("ties", \.ties)
    )
}

/// An import as its row has it, without the file.
struct GroupImportRecord: Sendable, Hashable {
    let id: ID<GroupImport>
    let group: ID<Group>
    let user: ID<User>
    let state: GroupImportState
    let format: GroupImportFormat
    var people: [GroupImportPerson]
    let summary: GroupImportSummary
    let duplicateCount: Int32
    var leavesOutErrors: Bool
    let version: Int32
    let createdAt: Instant

    init(_ row: borrowing PostgresRow) throws {
        id = try row.value(0)
        group = try row.value(1)
        user = try row.value(2)
        state = try row.word(3)
        format = try row.word(4)
        people = try JSON.value(of: Array(row.string(5).utf8), ignoringUnknownFields: true)
        summary = try JSON.value(of: Array(row.string(6).utf8), ignoringUnknownFields: true)
        duplicateCount = try row.int32(7)
        leavesOutErrors = try row.bool(8)
        version = try row.int32(9)
        createdAt = try row.value(10)
    }

    /// The import as whoever sent it sees it.
    var view: GroupImportView {
        GroupImportView(
            id: id,
            groupID: group,
            state: state,
            format: format,
            people: people,
            rowCount: summary.rowCount,
            expenseCount: summary.expenseCount,
            settlementCount: summary.settlementCount,
            duplicateCount: Int(duplicateCount),
            errors: summary.errors,
            errorCount: summary.errorCount,
            leavesOutErrors: leavesOutErrors,
            balances: summary.balances,
            ties: summary.ties,
            createdAt: createdAt
        )
    }
}
