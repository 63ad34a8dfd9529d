import BankFiles
import Crypto
import WalletProtocol

/// What a row of a file is known by when it comes again.
struct GroupImportFingerprint: Sendable, Hashable {
    /// The first 16 bytes of a hash of all that the row says.
    let digest: [UInt8]
    /// Which of several equal rows of one file it is, from 0.
    let occurrence: Int32

    static func all(of export: GroupExport) -> [GroupImportFingerprint] {
        var seen: [[UInt8]: Int32] = [:]
        seen.reserveCapacity(export.rows.count)
        return export.rows.map { row in
            let digest = Array(SHA256.digest(bytes(of: row, in: export)).prefix(16))
            let occurrence = seen[digest, default: 0]
            seen[digest] = occurrence + 1
            return GroupImportFingerprint(digest: digest, occurrence: occurrence)
        }
    }

    /// Each part behind its length.
    ///
    /// Whom the row does not move is left out: a later export of the
    /// same group may name more people.
    private static func bytes(of row: GroupExportRow, in export: GroupExport) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ text: String) {
            let count = UInt32(clamping: text.utf8.count)
            for shift in [24, 16, 8, 0] as [UInt32] {
                bytes.append(UInt8(truncatingIfNeeded: count >> shift))
            }
            bytes.append(contentsOf: text.utf8)
        }
        append(export.format.rawValue)
        append(row.day.text)
        append(row.name)
        append(row.category ?? "")
        append(row.amount.description)
        let nets = row.nets
        for part in nets.isEmpty ? row.paid : nets {
            append(export.people[part.person])
            append(String(part.amount))
        }
        return bytes
    }
}

/// A file that was read.
struct GroupImportReading: Sendable {
    let export: GroupExport
    /// Of its rows in turn.
    let fingerprints: [GroupImportFingerprint]
    let summary: GroupImportSummary
    /// Of the file.
    let digest: [UInt8]

    /// Faults that are told, and notes.
    private static let faultsMax = 200

    /// Burns CPU in proportion to the file: not for a loop.
    init(
        _ bytes: [UInt8],
        _ format: GroupImportFormat?,
        assuming currency: AssumedCurrency?
    ) throws(UnreadableStatement) {
        export = try readGroupExport(bytes, format: format, assuming: currency)
        fingerprints = GroupImportFingerprint.all(of: export)
        digest = SHA256.digest(bytes)
        let settlements = export.rows.count { $0.kind == .payment }
        summary = GroupImportSummary(
            rowCount: export.rows.count,
            expenseCount: export.rows.count - settlements,
            settlementCount: settlements,
            errors: Self.shown(export.faults),
            errorCount: export.faults.count,
            notes: Self.shown(export.notes),
            balances: Self.balances(of: export),
            ties: export.ties,
            currency: currency?.currency,
            isCurrencyNamed: currency?.isNamed ?? false
        )
    }

    private static func shown(_ faults: [StatementFault]) -> [ImportFault] {
        faults.prefix(faultsMax).map { ImportFault(line: $0.line, detail: $0.detail) }
    }

    private static func balances(of export: GroupExport) -> [GroupImportBalance] {
        let read = export.balances.sorted { $0.key < $1.key }
        let stated = export.stated.sorted { $0.key < $1.key }
        return export.people.enumerated().map { person, name in
            GroupImportBalance(
                name: name,
                stated: stated.map { Money(minorUnits: $0.value[person], $0.key) },
                balances: read.map { Money(minorUnits: $0.value[person], $0.key) }
            )
        }
    }
}

/// A file that was read for a group, and who sent it.
struct ReadGroupFile: Sendable {
    let id: ID<GroupImport>
    let group: ID<Group>
    let user: ID<User>
    let bytes: [UInt8]
    let reading: GroupImportReading
}

extension GroupImportSummary {
    /// Where the rows come to something else than the file states: the first few, in words.
    var differences: String {
        let all = balances.flatMap { balance in
            Set((balance.stated + balance.balances).map(\.currency)).sorted().compactMap {
                currency -> String? in
                let stated = balance.stated.first { $0.currency == currency }
                let read = balance.balances.first { $0.currency == currency }
                let said = stated.map { $0.description } ?? "nothing"
                let come = read ?? .zero(currency)
                return (stated ?? .zero(currency)) == come
                    ? nil : "\(balance.name): \(said) stated, \(come) by the rows"
            }
        }
        let rest = all.count > 5 ? "; and \(all.count - 5) more" : ""
        return all.prefix(5).joined(separator: "; ") + rest
    }
}
