import Postgres
import ServiceKit
import WalletProtocol

/// Which entries a page is of.
struct AuditFilter: Sendable {
    let actors: [String]
    let subjects: [ID<User>]
    let actions: [String]
    let from: ID<AuditEntryView>
    let before: ID<AuditEntryView>

    init(_ query: AuditQuery) throws(APIError) {
        // Each once: a page takes the newest of each value.
        actors = Array(Set(query.actors)).sorted()
        subjects = Array(Set(query.subjects)).sorted()
        actions = Array(Set(query.actions.map(\.rawValue))).sorted()
        // An entry's id begins with its time.
        from = query.from.map { .at($0, random: 0) } ?? ID(high: 0, low: 0)
        let end: ID<AuditEntryView> =
            query.to.map { .at($0, random: 0) }
            ?? ID(high: .max, low: .max)
        before = min(try query.cursor?.decode() ?? end, end)
    }
}

/// An entry of the list.
struct ListedEntry: Sendable {
    let id: ID<AuditEntryView>
    let at: Instant
    let actor: String
    let action: String
    let subject: ID<User>?
    let detail: String
    let texts: String?
    let addressFamily: String
    let requestID: String?

    /// Nil where the action is none of ours: made by hand, which the verification tells.
    var view: AuditEntryView? {
        guard let action = AuditAction(rawValue: action) else { return nil }
        return AuditEntryView(
            id: id,
            at: at,
            actor: actor,
            action: action,
            subject: subject,
            detail: tree(detail) ?? .string(detail),
            texts: texts.flatMap { tree($0) },
            addressFamily: addressFamily,
            requestID: requestID
        )
    }

    private func tree(_ text: String) -> JSONTree? {
        try? JSON.read(JSONTree.self, from: Array(text.utf8))
    }
}

/// Reads the audit log; reading it is an entry of its own.
struct AuditReader {
    let database: Database
    let audit: AuditLog

    /// The newest first.
    func page(
        _ query: AuditQuery,
        by actor: AuditActor,
        from origin: AuditOrigin
    ) async throws -> Page<AuditEntryView> {
        let filter = try AuditFilter(query)
        let limit = query.limit
        let subjects: [ID<User>?] = filter.subjects.isEmpty ? [nil] : filter.subjects
        let rows = try await database.transaction { transaction in
            let rows = try await transaction.query(
                AuditStatements.list(filter, limit: limit + 1)
            )
            try await audit.append(
                subjects.map { AuditEntry(.auditRead, by: actor, of: $0, from: origin) },
                in: transaction
            )
            return rows
        }
        let page = rows.prefix(limit)
        return Page(
            items: page.compactMap(\.view),
            nextCursor: rows.count > limit ? page.last.map { Cursor($0.id) } : nil
        )
    }
}
