import Postgres
import ServiceKit
import WalletProtocol

/// What somebody says of the rows of a preview, within a transaction that holds it.
struct ImportRowChanges {
    let record: ImportRecord
    let transaction: Transaction

    /// Each names its row in one of the two ways.
    static func check(_ rows: [ImportRowChange]) throws(APIError) {
        var errors: [FieldError] = []
        for (index, change) in rows.enumerated() {
            if (change.row == nil) == (change.line == nil) {
                errors.append(
                    FieldError(
                        pointer: "/rows/\(index)/line",
                        code: .invalidValue,
                        detail: "is given, or row is"
                    )
                )
            }
        }
        if !errors.isEmpty { throw APIError(.invalidBody, errors: errors) }
    }

    /// Of two things that are said of one row the last stands.
    /// - Throws: 422 naming every row that is not there, category that is not theirs, and merge
    ///   with what is none of the row's matches.
    func apply(_ rows: [ImportRowChange]) async throws {
        guard !rows.isEmpty else { return }
        let changes = try await placed(rows)
        try await checkCategories(rows)
        try await checkMerges(rows, changes)
        try await write(changes)
    }

    private func write(_ changes: [(place: Int32, change: ImportRowChange)]) async throws {
        var included: [Int32: Bool] = [:]
        var categories: [Int32: String] = [:]
        var declined: [Int32: Bool] = [:]
        var merges: [Int32: ID<MoneyTransaction>?] = [:]
        for (place, change) in changes {
            if let isIncluded = change.isIncluded { included[place] = isIncluded }
            if let isTransfer = change.isTransfer { declined[place] = !isTransfer }
            if !change.mergeID.isUnchanged { merges[place] = change.mergeID.applied(to: nil) }
            if !change.categoryID.isUnchanged {
                categories[place] = change.categoryID.applied(to: nil)?.text ?? ""
            }
        }
        try await transaction.execute(
            ImportStatements.includeRows,
            record.id,
            Array(included.keys),
            Array(included.values)
        )
        try await transaction.execute(
            ImportStatements.categorizeRows,
            record.id,
            Array(categories.keys),
            Array(categories.values)
        )
        try await transaction.execute(
            ImportStatements.declineMatches,
            record.id,
            Array(declined.keys),
            Array(declined.values)
        )
        try await transaction.execute(
            ImportStatements.mergeRows,
            record.id,
            Array(merges.keys),
            Array(merges.values)
        )
    }

    /// The changes by place: the last that is said of a row is what counts.
    private func placed(
        _ rows: [ImportRowChange]
    ) async throws -> [(place: Int32, change: ImportRowChange)] {
        let lines = Set(rows.compactMap(\.line).compactMap(Int32.init(exactly:)))
        var places: [Int32: [Int32]] = [:]
        for found in try await transaction.query(
            ImportStatements.onLines,
            record.id,
            Array(lines).sorted()
        ) {
            places[found.line, default: []].append(found.place)
        }
        // A mapping that came with it has given the file other rows.
        let count = try await transaction.queryOne(ImportStatements.rowCount, record.id) ?? 0
        var changes: [(place: Int32, change: ImportRowChange)] = []
        var errors: [FieldError] = []
        for (index, change) in rows.enumerated() {
            if let row = change.row {
                if row >= 1, row <= Int(count) {
                    changes.append((Int32(row - 1), change))
                } else {
                    errors.append(
                        FieldError(
                            pointer: "/rows/\(index)/row",
                            code: .unknownReference,
                            detail: "is no row of it"
                        )
                    )
                }
            } else if let found = change.line.flatMap({ Int32(exactly: $0) }).flatMap({ places[$0] }
            ) {
                changes += found.map { ($0, change) }
            } else {
                errors.append(
                    FieldError(
                        pointer: "/rows/\(index)/line",
                        code: .unknownReference,
                        detail: "is no row's line"
                    )
                )
            }
        }
        if !errors.isEmpty { throw APIError(.invalidBody, errors: errors) }
        return changes
    }

    private func checkMerges(
        _ rows: [ImportRowChange],
        _ changes: [(place: Int32, change: ImportRowChange)]
    ) async throws {
        let merging = changes.filter { $0.change.mergeID.applied(to: nil) != nil }
        guard !merging.isEmpty else { return }
        let found = try await transaction.query(
            ImportStatements.lookAlikes,
            record.id,
            merging.map(\.place)
        )
        let known = Dictionary(found.map { ($0.place, $0.transactions) }) { first, _ in first }
        let wrong = Set(
            merging.filter { place, change in
                guard case .set(let id) = change.mergeID else { return false }
                return known[place]?.contains(id) != true
            }.map(\.change)
        )
        guard !wrong.isEmpty else { return }
        let errors = rows.enumerated().filter { wrong.contains($0.element) }.map { index, _ in
            FieldError(
                pointer: "/rows/\(index)/merge",
                code: .unknownReference,
                detail: "is none of the row's matches, or the row is a duplicate"
            )
        }
        throw APIError(.invalidBody, errors: errors)
    }

    private func checkCategories(_ rows: [ImportRowChange]) async throws {
        var wanted: Set<CategoryID> = []
        for case .set(let category) in rows.map(\.categoryID) { wanted.insert(category) }
        guard !wanted.isEmpty else { return }
        let known = Set(
            try await transaction.query(
                ImportStatements.knownCategories,
                record.user,
                Array(wanted)
            )
        )
        var errors: [FieldError] = []
        for (index, change) in rows.enumerated() {
            if case .set(let category) = change.categoryID, !known.contains(category) {
                errors.append(
                    FieldError(
                        pointer: "/rows/\(index)/categoryId",
                        code: .unknownReference,
                        detail: "is absent or not yours"
                    )
                )
            }
        }
        if !errors.isEmpty { throw APIError(.invalidBody, errors: errors) }
    }
}
