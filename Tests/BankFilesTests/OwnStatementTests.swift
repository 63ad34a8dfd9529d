import Testing
import WalletProtocol

@testable import BankFiles

/// What is exported here is read here again.
@Suite struct OwnStatementTests {
    static let texts = [
        ("Bread", ""), ("Bread", "and butter"), ("=1+1", "-5 for it"), ("'=x", "+1"),
        (String(repeating: "n", count: 100), String(repeating: "Words and more. ", count: 15)),
        ("A <b> & \"c\", d; e", "f; g, \"h\""), ("漢字 🧾", "Straße"), ("@home", "@work"),
    ]

    private func read(
        _ writer: some TextStatementWriter,
        _ lines: [StatementLine],
        holding: Int64
    ) throws -> BankStatement {
        var writer = writer
        let incoming = lines.filter { $0.amount > 0 }
        let outgoing = lines.filter { $0.amount <= 0 }
        let head = StatementHead(
            id: .new(),
            account: .new(),
            accountName: "Main",
            iban: nil,
            currency: .eur,
            owner: "Ada",
            from: try #require(Day("2024-01-01")),
            to: try #require(Day("2024-12-31")),
            madeAt: try #require(Instant("2025-01-01T00:00:00Z")),
            opening: Int128(holding),
            credits: incoming.reduce(0) { $0 + Int128($1.amount) },
            debits: outgoing.reduce(0) { $0 + Int128($1.amount) },
            creditCount: Int64(incoming.count),
            debitCount: Int64(outgoing.count)
        )
        let bytes = writer.begin(head) + writer.append(lines) + writer.end()
        return try OFXStatementsTests.read(bytes)
    }

    @Test func namesAndDescriptionsStay() throws {
        let day = try #require(Day("2024-02-29"))
        for isTransfer in [false, true] {
            var balance: Int128 = 1_000
            let lines = Self.texts.enumerated().map { index, text in
                let amount = Int64(index + 1) * (index.isMultiple(of: 2) ? -100 : 300)
                balance += Int128(amount)
                return StatementLine(
                    id: .new(),
                    day: day,
                    amount: amount,
                    name: text.0,
                    description: text.1.trimmingSpace,
                    category: "Food",
                    counterIBAN: nil,
                    isTransfer: isTransfer,
                    balance: balance
                )
            }
            let files = [
                try read(CSVStatement(), lines, holding: 1_000),
                try read(CamtStatement(), lines, holding: 1_000),
                try read(OFXStatement(), lines, holding: 1_000),
            ]
            for file in files {
                #expect(file.rows.map(\.name) == lines.map(\.name), "\(file.format)")
                #expect(
                    file.rows.map { $0.description ?? "" } == lines.map(\.description),
                    "\(file.format)"
                )
                #expect(file.rows.map(\.amount) == lines.map(\.amount), "\(file.format)")
                #expect(file.opening == 1_000, "\(file.format)")
                #expect(file.faults == [] && file.notes == [], "\(file.format)")
            }
        }
    }
}

extension String {
    fileprivate var trimmingSpace: String { hasSuffix(" ") ? String(dropLast()) : self }
}
