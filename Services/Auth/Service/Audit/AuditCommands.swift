import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// `ezwallet-auth audit-head` and `ezwallet-auth verify-audit [--head FILE]`.
///
/// A chain alone cannot tell that its last blocks were cut off: a head kept elsewhere can.
enum AuditCommands {
    static let headUsage =
        "usage: ezwallet-auth audit-head > FILE: prints the signed head of the audit log"
    static let verifyUsage =
        "usage: ezwallet-auth verify-audit [--head FILE]: verifies the audit log from nothing"

    /// The log is not as it was written.
    struct NotIntact: Error, CustomStringConvertible {
        let description: String
    }

    static func printHead(_ arguments: [String], by verifier: ChainVerifier) async throws {
        guard arguments.isEmpty else { throw NotIntact(description: headUsage) }
        let verification = try await verifier.verify(after: 0)
        try check(verification)
        guard let head = verification.head else {
            throw NotIntact(description: "the audit log has no block yet")
        }
        writeText(JSON.text(head) + "\n", to: 1)
    }

    static func verify(_ arguments: [String], by verifier: ChainVerifier) async throws {
        var saved: (height: Int64, hash: [UInt8])?
        switch (arguments.first, arguments.count) {
        case (nil, _): break
        case ("--head", 2):
            guard let file = readFile(arguments[1]), let head = head(in: file),
                let hash = bytes(hexadecimal: head.hash, count: 32)
            else {
                throw NotIntact(description: "\(arguments[1]) holds no head")
            }
            saved = (head.height, hash)
        default: throw NotIntact(description: verifyUsage)
        }
        let verification = try await verifier.verify(after: 0, saved: saved)
        try check(verification)
        writeText(
            "the audit log is as it was written: \(verification.entries) entries in "
                + "\(verification.verifiedTo) blocks\n",
            to: 1
        )
    }

    /// The head among the lines of a file, which may hold what was logged beside it.
    private static func head(in file: [UInt8]) -> ChainHead? {
        file.split(separator: UInt8(ascii: "\n")).lazy
            .compactMap { try? JSON.read(ChainHead.self, from: Array($0)) }
            .first
    }

    private static func check(_ verification: ChainVerification) throws(NotIntact) {
        guard let fault = verification.fault else { return }
        var text = "the audit log is not as it was written: \(fault.kind.rawValue)"
        if let height = fault.height { text += ", block \(height)" }
        if let entry = fault.entryID { text += ", entry \(entry.text)" }
        if let count = fault.count { text += ", \(count) entries" }
        throw NotIntact(description: text)
    }
}
