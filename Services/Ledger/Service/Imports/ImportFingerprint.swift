import BankFiles
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
        seen.reserveCapacity(rows.count)
        var bytes: [UInt8] = []
        return rows.map { row in
            bytes.removeAll(keepingCapacity: true)
            append(row, to: &bytes)
            let digest = Array(SHA256.digest(bytes).prefix(16))
            let occurrence = seen[digest, default: 0]
            seen[digest] = occurrence + 1
            return ImportFingerprint(digest: digest, occurrence: occurrence)
        }
    }

    /// Some banks use one id for several rows: day and amount are always part of it.
    private static func append(_ row: StatementRow, to bytes: inout [UInt8]) {
        append(UInt64(truncatingIfNeeded: row.day.daysSince1970), to: &bytes)
        append(UInt64(bitPattern: row.amount), to: &bytes)
        if let reference = row.reference {
            bytes.append(1)
            bytes.append(contentsOf: reference.utf8)
        } else {
            bytes.append(0)
            bytes.append(contentsOf: (row.identity ?? row.name).utf8)
        }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }
}
