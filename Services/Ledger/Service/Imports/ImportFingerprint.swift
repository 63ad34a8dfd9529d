import BankFiles
import Crypto
import WalletProtocol

/// What a row is known by when it comes again.
struct ImportFingerprint: Hashable {
    /// Of what the bank says of the row, its own id of it above all.
    let digest: RowDigest
    /// Which of several equal rows of one file it is, from 0.
    let occurrence: Int32

    static func all(of rows: [StatementRow]) -> [ImportFingerprint] {
        var seen: [RowDigest: Int32] = [:]
        seen.reserveCapacity(rows.count)
        var bytes: [UInt8] = []
        return rows.map { row in
            bytes.removeAll(keepingCapacity: true)
            append(row, to: &bytes)
            let digest = RowDigest(SHA256.digest(bytes))
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

/// The first 16 bytes of a hash.
struct RowDigest: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// - Parameter bytes: 16 at least.
    init(_ bytes: [UInt8]) {
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// As the database keeps it.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for word in [high, low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return bytes
    }
}
