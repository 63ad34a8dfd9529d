import LedgerData
import ServiceKit
import Synchronization
import WalletProtocol

/// The rates that count now, one for all loops: a history that a newer one can take the place of.
///
/// Who has taken `history` goes on with it: one request never mixes two files.
final class RateStore: Sendable {
    private let current: Mutex<RateHistory>

    init(_ history: RateHistory) {
        current = Mutex(history)
    }

    /// The newest history.
    var history: RateHistory { current.withLock { $0 } }

    /// Takes a newer file's rates; an older one changes nothing.
    /// - Returns: whether it was newer.
    @discardableResult
    func replace(with newer: RateHistory) -> Bool {
        current.withLock { history in
            guard let last = newer.days.last, history.days.last.map({ $0 < last }) ?? true else {
                return false
            }
            history = newer
            return true
        }
    }

    /// What one unit of `source` is in `target` on this day.
    /// - Throws: `.unavailable`.
    func rate(
        from source: Currency,
        to target: Currency,
        on day: Day
    ) throws(RateError) -> ExchangeRate {
        guard let rate = history.rate(from: source, to: target, on: day) else {
            throw .unavailable(from: source, to: target, on: day)
        }
        return rate
    }

    /// The process's own, with the file that was compiled in: read on first use, at start.
    static func shared() throws -> RateStore { try shipped.get() }

    private static let shipped = Result {
        RateStore(try RateHistory(archive: try ShippedData.file("eurofxref-hist.zip")))
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
        let files = unsafe embeddedFiles(ledger_data, count: ledger_data_count)
        guard let file = files.first(where: { $0.name == name }) else {
            throw Missing(name: name)
        }
        return file.bytes
    }
}
