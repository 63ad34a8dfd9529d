import LedgerData
import Loops
import ServiceKit
import Synchronization
import WalletProtocol

/// The rates that count now, one for all loops: a history that a newer one can take the place of.
///
/// The file that was compiled in is read once somebody asks: a replica that nobody asks for rates
/// holds none. Who has taken a history goes on with it: one request never mixes two files.
final class RateStore: Sendable {
    private let current: Mutex<RateHistory?>

    init(_ history: RateHistory? = nil) {
        current = Mutex(history)
    }

    /// The process's own.
    static let shared = RateStore()

    /// The newest history; it is read away from the loop, for that takes some milliseconds.
    func history(on pool: BlockingPool) async throws -> RateHistory {
        if let history = current.withLock({ $0 }) { return history }
        return try await pool.run { try self.history() }
    }

    /// The newest history, read here and now where nobody has asked yet.
    func history() throws -> RateHistory {
        try current.withLock { history in
            if let history { return history }
            let shipped = try RateHistory(archive: try ShippedData.file("eurofxref-hist.zip"))
            history = shipped
            return shipped
        }
    }

    /// Takes a newer file's rates; an older one changes nothing.
    /// - Returns: whether it was newer.
    @discardableResult
    func replace(with newer: RateHistory) throws -> Bool {
        let known = try history().days.last
        return current.withLock { history in
            guard let last = newer.days.last,
                (history?.days.last ?? known).map({ $0 < last }) ?? true
            else { return false }
            history = newer
            return true
        }
    }
}

/// What is compiled into the ledger beside its migrations.
enum ShippedData {
    /// There is no such file in the executable.
    struct Missing: Error, Sendable {
        let name: String
    }

    // Safety: the files are constants of the executable, with their own count.
    /// The bytes of a file.
    static func file(_ name: String) throws -> [UInt8] {
        let files = unsafe embeddedFiles(ledger_data, count: ledger_data_count, named: name)
        guard let file = files.first else { throw Missing(name: name) }
        return file.bytes
    }
}
