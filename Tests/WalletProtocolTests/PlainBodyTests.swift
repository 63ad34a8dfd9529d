import TestKit
import Testing

@testable import WalletProtocol

/// What is read and written by hand is what the description reads and writes.
@Suite struct PlainBodyTests {
    /// By the description alone.
    func described<Body: JSONObject>(_ bytes: [UInt8]) -> Result<Body, JSONFault> {
        let document: JSONDocument
        do throws(MalformedJSON) { document = try JSONDocument(bytes) } catch {
            return .failure(.malformed(error))
        }
        var reading = JSONReading()
        let body = Body.json.read(document.root, &reading)
        guard let body, reading.errors.isEmpty else { return .failure(.invalid(reading.errors)) }
        return .success(body)
    }

    private func read<Body: JSONObject>(_ bytes: [UInt8]) -> Result<Body, JSONFault> {
        do throws(JSONFault) { return .success(try JSON.value(of: bytes)) } catch {
            return .failure(error)
        }
    }

    /// By hand alone.
    func plain<Body: JSONObject>(_ type: Body.Type, _ bytes: [UInt8]) -> Body? {
        var json = PlainJSON(bytes)
        return json.whole(type)
    }

    func isPlain<Body: JSONObject>(_ body: Body) -> Bool {
        plain(Body.self, JSON.write(body)) != nil
    }

    /// Texts of that shape, mostly right, spelt in every way, and then with a byte changed.
    func judge<Body: JSONObject & Equatable>(
        _ type: Body.Type,
        _ members: [(name: String, kind: Spelling.Kind)],
        within wrap: (String) -> String = { $0 },
        seed: UInt64
    ) {
        var spelling = Spelling(seed: seed)
        var taken = 0
        for turn in 0..<3_000 {
            let text = wrap(spelling.object(members))
            var bytes = Array(text.utf8)
            for _ in 0..<2 {
                let (ours, theirs): (Result<Body, JSONFault>, Result<Body, JSONFault>) = (
                    read(bytes), described(bytes)
                )
                #expect(ours == theirs, "seed \(seed), turn \(turn): \(text)")
                if plain(type, bytes) != nil { taken += 1 }
                bytes[spelling.index(bytes.count)] = spelling.byte()
            }
        }
        #expect(taken > 50, "seed \(seed)")
    }

    private static let transfer: [(name: String, kind: Spelling.Kind)] = [
        ("quoteId", .id), ("fromAccountId", .id), ("toIban", .line), ("toAccountId", .id),
        ("amount", .money), ("reference", .line), ("hold", .bool),
    ]
    private static let transaction: [(name: String, kind: Spelling.Kind)] = [
        ("amount", .money), ("accountId", .id), ("name", .line), ("date", .day),
        ("categoryId", .id), ("description", .line), ("folderId", .id), ("tags", .rare),
        ("lines", .rare), ("location", .rare), ("recurrence", .rare),
    ]

    @Test(arguments: seeds) func everyFaultOfATransferIsTheDescriptions(seed: UInt64) {
        judge(NewTransfer.self, Self.transfer, seed: seed)
        judge(
            NewTransfers.self,
            Self.transfer,
            within: { #"{"transfers":[\#($0),{"hold":true}],"atomic":false}"# },
            seed: seed
        )
    }

    @Test(arguments: seeds) func everyFaultOfATransactionIsTheDescriptions(seed: UInt64) {
        judge(NewTransaction.self, Self.transaction, seed: seed)
        judge(
            TransactionBatch.self,
            Self.transaction,
            within: { #" { "transactions" : [ \#($0) ] } "# },
            seed: seed
        )
    }

    @Test func whatClientsSendIsReadByHand() throws {
        let one = ID<Account>.new().text
        let texts = [
            #"{"fromAccountId":"\#(one)","toAccountId":"\#(one)","#
                + #""amount":{"amount":"0.01","currency":"EUR"}}"#,
            #"{"toIban": "IT60X0542811101000000123456", "fromAccountId": "\#(one)", "#
                + #""reference": "Rent", "amount": {"currency": "JPY", "amount": "1200"}}"#,
            #"{"quoteId":"\#(one)","hold":true}"#,
        ]
        for text in texts {
            let transfer = try #require(plain(NewTransfer.self, Array(text.utf8)), "\(text)")
            #expect(described(Array(text.utf8)) == .success(transfer))
        }
        let batch = #"{"transfers":[\#(texts.joined(separator: ", "))]}"#
        let transfers = try #require(plain(NewTransfers.self, Array(batch.utf8)))
        #expect(transfers.isAtomic && transfers.transfers.count == texts.count)
    }

    @Test func aBatchHasItsBounds() {
        for (count, isTaken) in [(0, false), (1, true), (1_000, true), (1_001, false)] {
            let all = Array(repeating: #"{"hold":true}"#, count: count).joined(separator: ",")
            let bytes = Array(#"{"transfers":[\#(all)]}"#.utf8)
            #expect((plain(NewTransfers.self, bytes) != nil) == isTaken, "\(count)")
            let ours: Result<NewTransfers, JSONFault> = read(bytes)
            #expect(ours == described(bytes), "\(count)")
        }
    }

    // MARK: Writing

    func judge<Body: JSONObject & Equatable>(_ body: Body, seed: UInt64) {
        var writer = JSONWriter()
        Body.json.write(body, to: &writer)
        let ours = JSON.text(body)
        #expect(ours == String(decoding: writer.bytes, as: UTF8.self), "seed \(seed)")
        #expect(described(Array(ours.utf8)) == .success(body), "seed \(seed)")
    }

    @Test(arguments: seeds) func transfersAreWrittenAsDescribed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let amount = Money(minorUnits: .random(in: 1...1_000_000, using: &random), .eur)
            let transfer = NewTransfer(
                quoteID: random.maybe(.new()),
                fromAccountID: random.maybe(.new()),
                toIBAN: random.maybe("IT60X0542811101000000123456"),
                toAccountID: random.maybe(.new()),
                amount: random.maybe(amount),
                reference: random.maybe(random.text(0...50)),
                hold: .random(using: &random)
            )
            judge(transfer, seed: seed)
            let isASCII = transfer.reference?.utf8.allSatisfy { $0 < 0x80 } ?? true
            let hasEscapes = transfer.reference?.contains { "\"\\".contains($0) } ?? false
            #expect(isPlain(transfer) == (isASCII && !hasEscapes), "seed \(seed): \(transfer)")
            judge(
                TransferView(
                    id: .new(),
                    state: try #require(TransferState.allCases.randomElement(using: &random)),
                    fromAccountID: random.maybe(.new()),
                    toAccountID: random.maybe(.new()),
                    debit: random.money(),
                    credit: random.money(),
                    rate: random.maybe(
                        RateView(
                            value: ExactDecimal(coefficient: 123, scale: 2),
                            source: random.text(0...9),
                            day: try #require(Day("2026-01-02"))
                        )
                    ),
                    reference: random.maybe(random.text(0...50)),
                    expiresAt: random.maybe(random.instant()),
                    createdAt: random.instant()
                ),
                seed: seed
            )
        }
    }

    @Test(arguments: seeds) func transactionsAreWrittenAsDescribed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let amount = Money(minorUnits: .random(in: -1_000...1_000, using: &random), .jpy)
            let lines = [TransactionLine(categoryID: .new(), amount: amount)]
            let place = TransactionLocation(latitude: 1.5, longitude: -2, label: random.text(0...9))
            let day = try #require(
                Day(daysSince1970: .random(in: -700_000...2_900_000, using: &random))
            )
            judge(
                NewTransaction(
                    amount: amount,
                    accountID: random.maybe(.new()),
                    name: random.maybe(random.text(0...50)),
                    date: random.maybe(day),
                    categoryID: random.maybe(.new()),
                    lines: random.maybe(lines),
                    description: random.maybe(random.text(0...50) + "\n"),
                    location: random.maybe(place),
                    folderID: random.maybe(.new()),
                    tags: random.maybe([random.text(0...9), "b"]),
                    recurrence: nil
                ),
                seed: seed
            )
            var view = TransactionView(
                id: .new(),
                accountID: .new(),
                amount: random.money(),
                name: random.text(0...50),
                date: day,
                categoryID: .new(),
                tags: random.maybe([random.text(0...9), "b"]) ?? [],
                version: .random(in: 0...Int.max, using: &random),
                createdAt: random.instant()
            )
            (view.lines, view.location) = (random.maybe(lines), random.maybe(place))
            view.description = random.maybe(random.text(0...50))
            (view.folderID, view.transferID) = (random.maybe(.new()), random.maybe(.new()))
            (view.importID, view.recurrenceID) = (random.maybe(.new()), random.maybe(.new()))
            view.group = random.maybe(random.text(0...9))
            view.bookedFor = random.maybe(.new())
            view.alerts = random.maybe([])
            judge(view, seed: seed)
        }
    }

    @Test(arguments: seeds) func pointsOfTrendsAreWrittenAsDescribed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let currency = random.money().currency
            func day() throws -> Day {
                try #require(Day(daysSince1970: .random(in: -700_000...2_900_000, using: &random)))
            }
            func total() -> Total {
                let bound = Int128(1) << Int128.random(in: 0...120, using: &random)
                return Total(minorUnits: .random(in: -bound...bound, using: &random), currency)
            }
            let (from, to) = (try day(), try day())
            let point = TrendPoint(
                from: from,
                to: to,
                income: total(),
                expenses: total(),
                net: total()
            )
            judge(point, seed: seed)
        }
    }

    @Test func rareMembersOfAViewAreWrittenAsDescribed() throws {
        var view = TransactionView(
            id: .new(),
            accountID: .new(),
            amount: Money(minorUnits: -1, .kwd),
            name: "n",
            date: try #require(Day("2026-01-02")),
            categoryID: .new(),
            version: 1,
            createdAt: Instant(microseconds: 0)
        )
        let total = Total(minorUnits: 1 << 70, .eur)
        view.budgetRemaining = total
        view.converted = ConvertedAmount(amount: total, rate: nil)
        judge(view, seed: 0)
    }
}

extension SeededGenerator {
    mutating func maybe<Value>(_ value: Value) -> Value? {
        Bool.random(using: &self) ? value : nil
    }

    mutating func instant() -> Instant {
        let whole = Int64.random(in: 0...4_000_000_000, using: &self) * 1_000_000
        let part = [0, 120_000, 123_456].randomElement(using: &self) ?? 0
        return Instant(microseconds: whole + Int64(part))
    }
}
