import Crypto
import WalletProtocol

/// What a row is known by when it comes again.
struct ImportFingerprint: Hashable {
    /// 16 bytes: of what the bank says of the row, its own id of it above all.
    let digest: [UInt8]
    /// Which of several equal rows of one file it is, from 0.
    let occurrence: Int32

    static func all(of rows: [StatementRow]) -> [ImportFingerprint] {
        var seen: [[UInt8]: Int32] = [:]
        return rows.map { row in
            let digest = digest(of: row)
            let occurrence = seen[digest, default: 0]
            seen[digest] = occurrence + 1
            return ImportFingerprint(digest: digest, occurrence: occurrence)
        }
    }

    private static func digest(of row: StatementRow) -> [UInt8] {
        // Some banks use one id for several rows: day and amount are always part of it.
        let identity =
            row.reference.map { "id\u{0}\($0)" } ?? "text\u{0}\(row.identity ?? row.name)"
        let text = "\(row.day)\u{0}\(row.amount)\u{0}\(identity)"
        return Array(SHA256.digest(text.utf8).prefix(16))
    }
}
