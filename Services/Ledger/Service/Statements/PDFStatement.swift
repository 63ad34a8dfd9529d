import BankFiles
import Documents
import Loops
import WalletProtocol

/// The argument by which this program is told to set a statement, and nothing else.
public let typesetCommand = Typesetter.argument

/// Sets the statement on standard input, under limits, without settings or connections.
public func serveTypesetting() -> Never { Typesetter.serve() }

/// A PDF, set by a process of its own.
struct PDFStatement: StatementWriter {
    private let process: TypesettingProcess
    private let person: Person
    private let today: Day
    private var digits = 2

    /// - Parameter today: which day it is for whoever reads it.
    init(for person: Person, today: Day, on loop: EventLoop) throws {
        self.person = person
        self.today = today
        process = try TypesettingProcess(on: loop)
    }

    mutating func begin(
        _ head: StatementHead,
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        digits = head.currency.exponent
        var title = PrintedTitle(
            owner: head.owner,
            account: head.accountName,
            iban: head.iban ?? "",
            currency: head.currency.code,
            digits: digits,
            from: head.from.text,
            to: head.to.text,
            madeAt: head.madeAt.text,
            madeOn: today.text,
            language: person.language,
            opening: head.decimal(head.opening),
            credits: head.decimal(head.credits),
            debits: head.decimal(head.debits),
            closing: head.decimal(head.closing)
        )
        title.datePattern = person.dateFormat?.rawValue ?? ""
        try await process.begin(title, to: send)
    }

    func append(
        _ lines: [StatementLine],
        to send: ([UInt8]) async throws -> Void
    ) async throws {
        let rows = lines.map { line in
            PrintedLine(
                day: line.day.text,
                name: line.name,
                details: [line.counterIBAN ?? "", line.description].filter { !$0.isEmpty }
                    .joined(separator: " · "),
                amount: decimalText(Int128(line.amount), exponent: digits),
                balance: decimalText(line.balance, exponent: digits)
            )
        }
        try await process.add(rows, to: send)
    }

    func end(to send: ([UInt8]) async throws -> Void) async throws {
        try await process.end(to: send)
    }
}
