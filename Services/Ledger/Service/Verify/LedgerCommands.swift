import IBANs
import Postgres
import ServiceKit
import WalletProtocol

/// `ezwallet-ledger journal-head` and `ezwallet-ledger verify`.
///
/// A chain alone cannot tell that its last blocks were cut off: a head kept elsewhere can.
enum LedgerCommands {
    static let headUsage =
        "usage: ezwallet-ledger journal-head > FILE: prints the journal's signed head"
    static let verifyUsage =
        "usage: ezwallet-ledger verify [--head FILE] [--from HEIGHT] [--json]: proves the books "
        + "from nothing; exits with 0 (intact), 1 (not so, or entries older than a minute are not "
        + "sealed) or 2 (cannot tell)"

    /// The books are not as they were written.
    struct NotIntact: CommandFailure, CustomStringConvertible {
        let fault: LedgerFault
        var exitStatus: Int32 { 1 }
        var description: String { "not intact: \(fault.table) \(fault.row): \(fault.what)" }
    }

    struct Options: Equatable {
        var head: String?
        var from: Int64 = 0
        var isJSON = false

        init(_ arguments: [String]) throws(VerifyFailure) {
            var rest = arguments[...]
            while let word = rest.popFirst() {
                switch word {
                case "--json": isJSON = true
                case "--head":
                    guard let file = rest.popFirst() else { throw VerifyFailure(verifyUsage) }
                    head = file
                case "--from":
                    guard let text = rest.popFirst(), let height = Int64(text), height >= 0 else {
                        throw VerifyFailure(verifyUsage)
                    }
                    from = height
                default: throw VerifyFailure(verifyUsage)
                }
            }
        }
    }

    static func printHead(_ arguments: [String], service: ServiceLoop) async throws {
        guard arguments.isEmpty else { throw VerifyFailure(headUsage) }
        // Of whose connections nothing is logged: the head stands alone in its file.
        let database = service.longDatabase()
        defer { database.close() }
        guard let found = try await database.queryOne(VerifyStatements.head, JournalChain.name),
            let head = found
        else { throw VerifyFailure("the journal has no block yet") }
        writeText(JSON.text(head) + "\n", to: 1)
    }

    static func verify(_ arguments: [String], service: ServiceLoop) async throws {
        do {
            let options = try Options(arguments)
            let saved = try options.head.map { try head(in: $0) }
            let configuration = try LedgerConfiguration(
                service.settings,
                registry: .shared()
            )
            let database = service.longDatabase()
            defer { database.close() }
            let verification = JournalVerification(
                database: database,
                proofKeys: configuration.journalProofKeys,
                progress: { writeText("verify: \($0)\n", to: 2) }
            )
            let result = try await verification.run(from: options.from, saved: saved)
            try await VerificationStore(database: database).keep(result)
            writeText(options.isJSON ? JSON.text(result) + "\n" : words(for: result), to: 1)
            if let fault = result.fault { throw NotIntact(fault: fault) }
        } catch let failure as any CommandFailure { throw failure } catch {
            throw VerifyFailure("cannot tell: \(error)")
        }
    }

    private static func words(for result: LedgerVerification) -> String {
        let took = "in \(result.milliseconds) ms\n"
        guard result.fault == nil else {
            return "not intact: found behind block \(result.verifiedTo) \(took)"
        }
        return "intact: \(result.entries) entries in blocks "
            + "\(result.verifiedFrom + 1) to \(result.verifiedTo), \(result.movements) movements "
            + took
    }

    /// The head among the lines of a file, which may hold what was logged beside it.
    private static func head(in file: String) throws(VerifyFailure) -> ChainHead {
        guard let bytes = readFile(file) else {
            throw VerifyFailure("\(file) cannot be read")
        }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if let head = try? JSON.read(ChainHead.self, from: Array(line)) { return head }
        }
        throw VerifyFailure("\(file) holds no head")
    }
}
