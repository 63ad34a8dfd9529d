import Crypto
import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Proves the books from nothing: the chain of blocks over the journal, and what must hold between
/// the rows.
///
///     blocks: columns, links, signatures, entries, texts, sums    (page by page: what is sealed
///                                                                  stands still)
///     books:  movements, balances, places, transactions, transfers, trial balance
///                                                                 (one snapshot)
///
/// Beside live writers: what is not sealed yet is looked at as it is and waits for its block.
/// Cost: everything is read once or twice, in constant memory.
struct JournalVerification {
    let database: Database
    let proofKeys: [[UInt8]]
    var by = Verifier.operator
    /// Told of how far it is.
    var progress: (String) -> Void = { _ in }

    private static let progressNanoseconds: UInt64 = 1_000_000_000

    /// Verifies all, or what stands behind a block that was verified before.
    /// - Parameters:
    ///   - height: the block to begin behind; 0 is from nothing.
    ///   - saved: a head that the chain must still have.
    func run(from height: Int64 = 0, saved: ChainHead? = nil) async throws -> LedgerVerification {
        let begin = monotonicNanoseconds()
        let walked = Walked()
        var fault: LedgerFault?
        var movements: Int64 = 0
        do {
            try await walk(from: height, saved: saved, walked)
            movements = try await checkBooks()
        } catch let wrong as WrongRow { fault = wrong.fault }
        let end = monotonicNanoseconds()
        return LedgerVerification(
            isIntact: fault == nil,
            finishedAt: .now(),
            milliseconds: Int64((end - begin) / 1_000_000),
            by: by,
            verifiedFrom: height,
            verifiedTo: walked.height,
            entries: walked.entries,
            movements: movements,
            fault: fault,
            head: walked.head
        )
    }

    /// What the walk has come to, for the report.
    private final class Walked {
        var height: Int64 = 0
        var entries: Int64 = 0
        var head: ChainHead?
        var toldAt: UInt64 = 0
    }

    private func walk(from height: Int64, saved: ChainHead?, _ walked: Walked) async throws {
        walked.height = height
        let verifier = ChainVerifier(
            JournalChain(database: database, checksTexts: true),
            database: database,
            proofKeys: proofKeys,
            onBlock: { span in
                try await checkSums(span)
                walked.height = span.height
                walked.entries += span.entries
                let now = monotonicNanoseconds()
                guard now > walked.toldAt + Self.progressNanoseconds else { return }
                walked.toldAt = now
                progress("block \(span.height), \(walked.entries) entries")
            }
        )
        var kept: (height: Int64, hash: [UInt8])?
        if let saved {
            guard saved.chain == JournalChain.name,
                let hash = bytes(hexadecimal: saved.hash, count: 32)
            else { throw VerifyFailure("the saved head is of another chain: \(saved.chain)") }
            kept = (saved.height, hash)
        }
        let verification = try await verifier.verify(after: height, saved: kept)
        if let fault = verification.fault { throw try await wrongRow(fault) }
        walked.height = verification.verifiedTo
        walked.head = verification.head
    }

    private func checkSums(_ span: ChainSpan) async throws {
        let wrong = try await database.transaction(TransactionOptions(readOnly: true)) { reading in
            _ = try await reading.queryOne(JournalStatements.lookUpsAlone)
            return try await reading.queryOne(
                VerifyStatements.wrongSum,
                String(span.from),
                String(span.below),
                span.height
            )
        }
        if let wrong {
            throw WrongRow(
                "ledger.journal_sum",
                "\(wrong) \(span.height)",
                "is not the sum before and the block's movements"
            )
        }
    }

    /// - Returns: how many movements there are.
    private func checkBooks() async throws -> Int64 {
        let options = TransactionOptions(isolation: .repeatableRead, readOnly: true)
        return try await database.transaction(options) { reading in
            _ = try await reading.queryOne(VerifyStatements.wholeReads)
            for check in BookChecks.all {
                progress(check.what)
                if check.what == BookChecks.last {
                    _ = try await reading.queryOne(JournalStatements.lookUpsAlone)
                }
                let wrong =
                    check.takesChain
                    ? try await reading.queryOne(check.statement, JournalChain.name)
                    : try await reading.queryOne(check.statement)
                if let wrong { throw wrong }
            }
            return try await reading.queryOne(VerifyStatements.countMovements) ?? 0
        }
    }

    /// The row that a fault of the chain is about.
    private func wrongRow(_ fault: ChainFault) async throws -> WrongRow {
        let block = fault.height.map { ", block \($0)" } ?? ""
        let entry = fault.entryID?.text ?? ""
        let height = fault.height.map(String.init) ?? ""
        switch fault.kind {
        case .blockMissing: return WrongRow("ledger.chain_block", height, "is missing")
        case .blockChanged: return WrongRow("ledger.chain_block", height, "is not as it was signed")
        case .wrongLink:
            return WrongRow("ledger.chain_block", height, "does not follow the one before it")
        case .unknownKey:
            return WrongRow("ledger.chain_block", height, "its key is not proved to be ours")
        case .wrongSignature:
            return WrongRow("ledger.chain_block", height, "the signature is not its key's")
        case .headDiffers: return WrongRow("ledger.chain_block", height, "is not the saved head")
        case .tailCut:
            return WrongRow("ledger.chain_block", height, "the chain ends before the saved head")
        case .entryMissing:
            return WrongRow(
                "ledger.entry",
                entry.isEmpty ? height : entry,
                "one is missing\(block)"
            )
        case .entryAdded: return WrongRow("ledger.entry", entry, "was added\(block)")
        case .entryChanged:
            var rows: String?
            if let id = fault.entryID {
                rows = try await database.queryOne(VerifyStatements.rowsOf, id)
            }
            return WrongRow(
                "ledger.entry",
                entry,
                "it or a row of it (\(rows ?? "")) is not as it was sealed\(block)"
            )
        case .entryForged: return WrongRow("ledger.entry", entry, "was not written by us\(block)")
        case .entryUnsealed:
            return WrongRow(
                "ledger.entry",
                entry,
                "is the first of \(fault.count ?? 1) entries that are older than "
                    + "\(ChainVerifier.sealSeconds) s and not sealed"
            )
        case .textChanged, .textMissing, .textAdded:
            var rows = ""
            if let id = fault.entryID {
                rows = try await database.queryOne(VerifyStatements.transactionsOf, id) ?? ""
            }
            let what =
                switch fault.kind {
                case .textChanged: "its words are not those that it was written with"
                case .textMissing: "its salt is gone, and nobody of it is erased"
                default: "has words, though its salt is gone"
                }
            return WrongRow("ledger.money_transaction", rows.isEmpty ? entry : rows, what)
        }
    }
}

/// Why nothing could be verified.
struct VerifyFailure: CommandFailure, CustomStringConvertible {
    let description: String
    var exitStatus: Int32 { 2 }
    init(_ description: String) { self.description = description }
}
