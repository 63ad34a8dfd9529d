import LedgerData
import Loops
import ServiceKit
import Synchronization
import WalletProtocol

/// The rates that count now, one for all loops: those that were compiled in, and those that have
/// been fetched since, as they stand in the database.
///
/// The file that was compiled in is read once somebody asks: a replica that nobody asks for rates
/// holds none of it. Who has taken a history goes on with it: one request never mixes two.
final class RateStore: Sendable {
    private struct Known {
        var history: RateHistory?
        /// What is beside the file, for when it is read.
        var fetched: [DayRates] = []
        /// Of the database's rows, those that are in here.
        var revision: Int64 = 0
    }
    private let known: Mutex<Known>

    init(_ history: RateHistory? = nil) {
        known = Mutex(Known(history: history))
    }

    /// The process's own.
    static let shared = RateStore()

    /// The newest history; it is read away from the loop, for that takes some milliseconds.
    func history(on pool: BlockingPool) async throws -> RateHistory {
        if let history = known.withLock({ $0.history }) { return history }
        return try await pool.run { try self.history() }
    }

    /// The newest history, read here and now where nobody has asked yet.
    func history() throws -> RateHistory {
        try known.withLock { known in
            if let history = known.history { return history }
            let shipped = try RateHistory(archive: try ShippedData.file("eurofxref-hist.zip"))
            let history = RateHistory(shipped, fetched: known.fetched)
            known.history = history
            return history
        }
    }

    /// Which of the database's rows are in here.
    var revision: Int64 { known.withLock { $0.revision } }

    /// Takes all the rows that were ever fetched.
    func take(_ rows: [DayRates], revision: Int64) {
        known.withLock { known in
            known.fetched = rows
            known.revision = revision
            if let history = known.history {
                known.history = RateHistory(history, fetched: rows)
            }
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
