import BankFiles
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
    var notes: [ImportFault] = []
    let balances: [GroupImportBalance]
    let ties: Bool
    /// Of amounts whose currency the file does not name; previews of before have none.
    var currency: Currency?
    /// Whether the user named that currency.
    var isCurrencyNamed = false

    /// How amounts without a currency were read.
    var assumed: AssumedCurrency? {
        currency.map { AssumedCurrency($0, isNamed: isCurrencyNamed) }
    }

    static let json = Object(
        GroupImportSummary.init,
        Field("rowCount", \.rowCount),
        Field("expenseCount", \.expenseCount),
        Field("settlementCount", \.settlementCount),
        Field("errors", \.errors),
        Field("errorCount", \.errorCount),
        Field("notes", \.notes, default: []),
        Field("balances", \.balances),
        Field("ties", \.ties),
        Field("currency", \.currency),
        Field("isCurrencyNamed", \.isCurrencyNamed, default: false)
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

    /// The import as its sender reads it, with the first balances that one answer holds.
    var view: GroupImportView { view(fromIndex: 0) }

    /// The import as its sender reads it, with the balances behind those of an earlier answer.
    /// - Throws: 400 `invalid-query` for a cursor that this import did not give out.
    func view(from cursor: Cursor?) throws(APIError) -> GroupImportView {
        guard let cursor else { return view }
        let index = try cursor.decode(Int.self)
        guard summary.balances.indices.contains(index) else {
            throw .query("cursor", .invalidCursor, "is not a cursor of this import")
        }
        return view(fromIndex: index)
    }

    private func view(fromIndex index: Int) -> GroupImportView {
        let rows = Array(summary.balances.dropFirst(index))
        let balances = PageItems(rows: rows, limit: rows.count)
        return GroupImportView(
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
            notes: summary.notes,
            leavesOutErrors: leavesOutErrors,
            balances: balances,
            nextCursor: balances.isCut ? Cursor(index + balances.items.count) : nil,
            ties: summary.ties,
            createdAt: createdAt
        )
    }
}

extension GroupImportRecord {
    /// The same with people said who they are.
    ///
    /// - Throws: 422 naming each that is not in the file or not in the group, or is told twice.
    func applying(
        _ change: GroupImportChange,
        members: Set<ID<Member>>
    ) throws(APIError) -> GroupImportRecord {
        var record = self
        var errors: [FieldError] = []
        func fail(_ pointer: String, _ code: FieldCode, _ detail: String) {
            errors.append(FieldError(pointer: pointer, code: code, detail: detail))
        }
        var told: Set<String> = []
        for (index, person) in change.people.enumerated() {
            let pointer = "/people/\(index)"
            let place = record.people.firstIndex { $0.name == person.name }
            if place == nil { fail("\(pointer)/name", .unknownReference, "is not in the file") }
            if !told.insert(person.name).inserted {
                fail("\(pointer)/name", .duplicate, "is named above already")
            }
            if let member = person.memberID, !members.contains(member) {
                fail("\(pointer)/memberId", .unknownReference, "is nobody in the group")
            }
            if (person.memberID != nil) == person.isGuest {
                fail("\(pointer)/guest", .conflict, "is true, or memberId is given")
            }
            if let place { record.people[place] = person }
        }
        for (index, person) in change.people.enumerated() {
            guard let member = person.memberID,
                record.people.count(where: { $0.memberID == member }) > 1
            else { continue }
            fail("\(pointer(index))/memberId", .duplicate, "is somebody else in the file, too")
        }
        guard errors.isEmpty else { throw APIError(.invalidBody, errors: errors) }
        record.leavesOutErrors = change.leavesOutErrors ?? leavesOutErrors
        return record
    }

    private func pointer(_ index: Int) -> String { "/people/\(index)" }
}
