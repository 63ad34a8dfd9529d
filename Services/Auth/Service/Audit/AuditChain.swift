import Postgres
import ServiceKit
import WalletProtocol

/// An entry with what stands beside it.
struct SealableRow: Sendable {
    let row: AuditRow
    let text: AuditText?
    /// The text is gone, and nothing tells that its person was erased.
    let isTextMissing: Bool

    var fault: ChainFaultKind? {
        if isTextMissing { return .textMissing }
        guard let text else { return nil }
        return text.hash == row.textHash ? nil : .textChanged
    }
}

/// The entries of the audit log, as their chain takes them.
struct AuditChain: ChainSource {
    /// How many texts are looked at in one statement.
    static let straysMax = 2_000
    let log: AuditLog
    let database: Database

    var chain: String { "auth.audit" }

    func hasEntries(from: UInt64) async throws -> Bool {
        try await database.queryOne(AuditStatements.hasEntries, String(from)) ?? false
    }

    func entries(
        from: UInt64,
        after: ID<ChainFault>?,
        through: UInt64,
        limit: Int
    ) async throws -> [ChainEntry] {
        let rows: [SealableRow]
        if let after {
            rows = try await database.query(
                AuditStatements.sealableAfter,
                String(from),
                String(through),
                limit,
                after
            )
        } else {
            rows = try await database.query(
                AuditStatements.sealable,
                String(from),
                String(through),
                limit
            )
        }
        return rows.map { sealable in
            var bytes = sealable.row.canonical
            bytes.append(sealable.row.code)
            return ChainEntry(
                transaction: sealable.row.transaction,
                id: sealable.row.id.retagged(ChainFault.self),
                bytes: bytes.bytes,
                at: sealable.row.at,
                isOurs: log.isOurs(sealable.row),
                fault: sealable.fault
            )
        }
    }

    func strays(
        after: ID<ChainFault>?
    ) async throws -> (fault: ChainFault?, last: ID<ChainFault>?) {
        let page = try await database.query(
            AuditStatements.strayTexts,
            after ?? ID(high: 0, low: 0),
            Self.straysMax
        )
        let fault = page.first { $0.isStray }.map { ChainFault(kind: .textAdded, entryID: $0.id) }
        return (fault, page.count < Self.straysMax ? nil : page.last?.id)
    }
}
