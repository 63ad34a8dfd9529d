import BankFiles
import Crypto
import WalletProtocol

/// A file that was read: what of it goes to one account.
struct ReadStatement: Sendable {
    let statement: BankStatement
    let fingerprints: [ImportFingerprint]
    /// What a rule names for each row.
    let categories: [CategoryID?]
    /// Of the file.
    let digest: [UInt8]

    /// How a file is read.
    struct Question: Sendable {
        let format: StatementFormat?
        var mapping: CSVMapping?
        /// Of the days in the account's last file: taken where the file does not say.
        var order: DateOrder?
        let currency: Currency
        let account: ID<Account>
        let accountNumber: String?
        let rules: ImportRuleBook
        /// No booking lies behind it.
        let now = Instant.now()
    }

    /// Burns CPU in proportion to the file: not for a loop.
    init(_ bytes: [UInt8], _ question: Question) throws(UnreadableStatement) {
        let all = try readStatements(
            bytes,
            format: question.format,
            mapping: question.mapping,
            order: question.order,
            asOf: .utc(question.now),
            assuming: question.currency
        )
        let chosen = try chosenStatement(
            of: all,
            number: question.accountNumber,
            currency: question.currency
        )
        if let refusal = chosen.refusal {
            throw .unreadable(line: refusal.line, detail: refusal.detail)
        }
        statement = chosen
        fingerprints = ImportFingerprint.all(of: chosen.rows)
        categories = chosen.rows.map { question.rules.category(of: $0, in: question.account) }
        digest = SHA256.digest(bytes)
    }

    /// What the preview tells beside the rows: what could not be read, and what is left out.
    var faults: [ImportFault] {
        (statement.faults + statement.notes).prefix(ReadStatement.faultsMax).map {
            ImportFault(line: $0.line, detail: $0.detail)
        }
    }

    /// Where the balances do not tie.
    var balanceFault: ImportFault? {
        statement.balanceFault.map { ImportFault(line: $0.line, detail: $0.detail) }
    }

    /// Of all of them.
    var faultCount: Int { statement.faults.count + statement.notes.count }

    static let faultsMax = 200
}

/// What the blocking pool brings back.
enum ReadOutcome: Sendable {
    case read(ReadStatement)
    case refused(UnreadableStatement)

    init(_ bytes: [UInt8], _ question: ReadStatement.Question) {
        do throws(UnreadableStatement) {
            self = .read(try ReadStatement(bytes, question))
        } catch {
            self = .refused(error)
        }
    }

    /// - Throws: 422 with the reason.
    func get() throws(APIError) -> ReadStatement {
        switch self {
        case .read(let read): return read
        case .refused(.unknownFormat(let detail)): throw APIError(.unknownFormat, detail)
        case .refused(.several(let numbers)):
            throw APIError(
                .accountNumberRequired,
                members: [
                    JSONMember("accountNumbers", .array(numbers.map(JSONTree.string)))
                ]
            )
        case .refused(.unreadable(let line, let detail)):
            throw APIError(.unreadableFile, "line \(line): \(detail)")
        case .refused(.mapping(let member, let detail)):
            throw .field("/mapping/\(member)", .invalidValue, detail)
        }
    }
}
