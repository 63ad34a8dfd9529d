import BankFiles
import Crypto
import WalletProtocol

/// A file that was read: what of it goes to one account.
struct ReadStatement: Sendable {
    let statement: BankStatement
    let fingerprints: [ImportFingerprint]
    /// What a rule names for each row.
    let categories: [ID<Category>?]
    /// Of the file.
    let digest: [UInt8]

    /// How a file is read.
    struct Question: Sendable {
        let format: StatementFormat?
        var mapping: CSVMapping?
        let currency: Currency
        let account: ID<Account>
        let accountNumber: String?
        let rules: ImportRuleBook
    }

    /// Burns CPU in proportion to the file: not for a loop.
    init(_ bytes: [UInt8], _ question: Question) throws(UnreadableStatement) {
        let all = try readStatements(
            bytes,
            format: question.format,
            mapping: question.mapping,
            assuming: question.currency
        )
        let chosen = try ReadStatement.choose(all, question)
        if let refusal = chosen.refusal {
            throw .unreadable(line: refusal.line, detail: refusal.detail)
        }
        statement = chosen
        fingerprints = ImportFingerprint.all(of: chosen.rows)
        categories = chosen.rows.map { question.rules.category(of: $0, in: question.account) }
        digest = SHA256.digest(bytes)
    }

    /// The account's statement: the only one, or that of the number asked for; where a number has
    /// accounts in several currencies, the one in the account's.
    private static func choose(
        _ all: [BankStatement],
        _ question: Question
    ) throws(UnreadableStatement) -> BankStatement {
        guard !all.isEmpty else {
            throw .unreadable(line: 1, detail: "no account is in the file")
        }
        let names = ReadStatement.names(of: all)
        var fitting = all
        if let number = question.accountNumber {
            fitting = zip(all, names).filter { isSame($0.1, number) }.map(\.0)
            if fitting.isEmpty { fitting = all.filter { isSame($0.accountNumber, number) } }
        }
        if fitting.count > 1, Set(fitting.map(\.accountNumber)).count == 1 {
            let own = fitting.filter { $0.currency == question.currency }
            if own.count == 1 {
                fitting = own
            } else if fitting.allSatisfy({ $0.refusal != nil }) {
                fitting = [fitting[0]]
            }
        }
        guard let first = fitting.first, fitting.count == 1 else {
            var seen: Set<String> = []
            throw .several(
                Array(names.filter { !$0.isEmpty && seen.insert($0).inserted }.prefix(listedMax))
            )
        }
        return first
    }

    /// How many accounts of a file are told of.
    private static let listedMax = 100

    /// What each can be asked for by: its number, where several have it with as much of the bank,
    /// the kind and the currency as tells them apart.
    private static func names(of all: [BankStatement]) -> [String] {
        let written: [(BankStatement) -> [String?]] = [
            { [$0.accountNumber] },
            { [$0.accountNumber, $0.kind] },
            { [$0.bank, $0.accountNumber, $0.kind] },
            { [$0.bank, $0.accountNumber, $0.kind, $0.currency?.code] },
        ]
        var names = [String](repeating: "", count: all.count)
        for write in written {
            let uses = names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            for (index, statement) in all.enumerated()
            where names[index].isEmpty || uses[names[index], default: 0] > 1 {
                names[index] = write(statement).compactMap { $0 }.joined(separator: " ")
            }
        }
        // What nothing tells apart goes by its place.
        for index in names.indices where names[index].isEmpty { names[index] = "#\(index + 1)" }
        return names
    }

    /// Spaces and the like do not count.
    private static func isSame(_ written: String?, _ number: String) -> Bool {
        guard let written else { return false }
        return written == number
            || (StatementTexts.accountNumber(written).map {
                $0 == StatementTexts.accountNumber(number)
            } ?? false)
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
