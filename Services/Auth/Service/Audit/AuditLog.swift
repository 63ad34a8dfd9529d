import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// The audit log: entries commit with what they tell of; nobody changes or takes them away.
///
/// ```swift
/// try await audit.append(
///     AuditEntry(.passwordChanged, by: .user(user), of: user, from: AuditOrigin(request)),
///     in: transaction)
/// ```
final class AuditLog: Sendable {
    private let keys: [[UInt8]]

    /// The log whose entries carry codes under the first key; any of them checks one.
    init(keys: [[UInt8]]) {
        // Cannot fire: the keys are made of a secret without which the service does not start.
        precondition(!keys.isEmpty, "an audit log without a key")
        self.keys = keys
    }

    /// Writes an entry within the transaction of what it tells of.
    func append(_ entry: AuditEntry, in transaction: some Querying) async throws {
        try await append([entry], in: transaction)
    }

    /// Writes several, in their order; at most some hundred.
    func append(_ entries: [AuditEntry], in transaction: some Querying) async throws {
        guard !entries.isEmpty else { return }
        // In the order of their ids, which is that of their blocks.
        let made = entries.map { record($0) }.sorted { $0.row.id < $1.row.id }
        let rows = made.map(\.row)
        try await transaction.execute(
            AuditStatements.insert,
            rows.map(\.id),
            rows.map(\.actor),
            rows.map(\.action),
            PostgresJSON(JSON.text(rows.map { $0.subject?.text })),
            rows.map(\.detail),
            PostgresJSON(JSON.text(rows.map { $0.textHash.map { hexadecimal($0) } })),
            rows.map(\.addressFamily),
            PostgresJSON(JSON.text(rows.map(\.requestID))),
            rows.map(\.at),
            PostgresJSON(JSON.text(rows.map { hexadecimal($0.code) }))
        )
        for (row, text) in made {
            guard let text else { continue }
            try await transaction.execute(
                AuditStatements.insertText,
                row.id,
                text.salt,
                text.value
            )
        }
    }

    /// Erases the names and addresses of entries about somebody; the entries stay, and so does the
    /// chain over them.
    ///
    /// Belongs into the transaction that appends `user-erased`, without which the verification
    /// finds texts missing.
    func eraseTexts(of user: ID<User>, in transaction: some Querying) async throws {
        try await transaction.execute(AuditStatements.eraseTexts, user)
    }

    /// Whether the entry is one that this service wrote, column by column.
    func isOurs(_ row: AuditRow) -> Bool {
        keys.contains { equalInConstantTime(row.code, code(of: row, under: $0)) }
    }

    private func record(_ entry: AuditEntry) -> (row: AuditRow, text: AuditText?) {
        var random = SystemRandomNumberGenerator()
        let now = Instant.now()
        var text: AuditText?
        if !entry.texts.isEmpty {
            let members = entry.texts.map { JSONMember($0.name, .string($0.value)) }
            text = AuditText(salt: randomBytes(32), value: JSON.text(JSONTree.object(members)))
        }
        let detail = entry.detail.map { JSONMember($0.name, $0.value) }
        var row = AuditRow(
            id: .at(now, random: random.next()),
            transaction: 0,
            actor: entry.actor.text,
            action: entry.action.rawValue,
            subject: entry.subject,
            detail: JSON.text(JSONTree.object(detail)),
            textHash: text?.hash,
            addressFamily: entry.origin.addressFamily,
            requestID: entry.origin.requestID,
            at: now,
            code: []
        )
        row.code = code(of: row, under: keys[0])
        return (row, text)
    }

    private func code(of row: AuditRow, under key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(row.canonical.bytes, key: key)
    }
}
