import TestKit
import Testing
import WalletProtocol

@Suite struct QueryTests {
    private func faults<Query: QueryObject>(_ type: Query.Type, _ text: String) -> [String] {
        do throws(APIError) {
            _ = try Query.read(query: text)
            return []
        } catch {
            #expect(error.code == .invalidQuery && error.code.status == 400)
            return error.errors.map { "\($0.pointer) \($0.code.text)" }
        }
    }

    @Test func namesEveryBadParameter() {
        let text =
            "from=2026-02-30&limit=201&limit=3&sort=size&nonsense=1&categoryId=x&minAmount=1e2"
        #expect(
            faults(TransactionQuery.self, text) == [
                "query:from invalid-day", "query:minAmount invalid-decimal",
                "query:categoryId invalid-id", "query:sort unknown-value", "query:limit duplicate",
                "query:nonsense unknown-field",
            ]
        )
        #expect(faults(TransactionQuery.self, "limit=0") == ["query:limit out-of-range"])
        #expect(faults(TransactionQuery.self, "limit=") == ["query:limit invalid-value"])
        #expect(faults(TransactionQuery.self, "limit=+5") == ["query:limit invalid-value"])
        #expect(faults(TransactionQuery.self, "query=%ff") == ["query:query invalid-value"])
        #expect(faults(TransactionQuery.self, "query=%00") == ["query:query invalid-value"])
        #expect(faults(TransactionQuery.self, "query=%4") == ["query:query invalid-value"])
        #expect(faults(TransactionQuery.self, "%ff=1") == ["query: invalid-value"])
        #expect(faults(ImportQuery.self, "") == ["query:accountId required"])
        #expect(faults(NoQuery.self, "a=1&a=2") == ["query:a unknown-field"])
    }

    @Test func defaultsAndRepeatedNames() throws {
        let empty = try TransactionQuery.read(query: "")
        #expect(empty == TransactionQuery())
        #expect(empty.limit == 50 && empty.sort == .newestFirst && empty.accountIDs.isEmpty)
        let (one, two) = (ID<Account>.new(), ID<Account>.new())
        let both = try TransactionQuery.read(
            query: "accountId=\(one)&accountId=\(two)&query=a+b%20c"
        )
        #expect(both.accountIDs == [one, two])
        #expect(both.words == "a b c")
    }

    @Test(arguments: seeds)
    func whatIsWrittenReadsBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let query = TransactionQuery(
                from: Day(daysSince1970: Int.random(in: 0...30_000, using: &random)),
                maxAmount: ExactDecimal(coefficient: Int64(random.next() >> 20), scale: 2),
                categoryIDs: (0..<Int.random(in: 0...3, using: &random)).map { _ in .new() },
                direction: Bool.random(using: &random) ? .incoming : nil,
                words: random.text(0...20),
                limit: Int.random(in: 1...200, using: &random),
                cursor: Cursor(random.text(0...20))
            )
            #expect(try TransactionQuery.read(query: query.queryText) == query, "seed \(seed)")
        }
    }

    @Test(arguments: seeds)
    func mutationsNeverCrash(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("&=%+ 0aF-limitfrom2026\u{0}é".unicodeScalars)
        for _ in 0..<3_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                text.append(alphabet.randomElement(using: &random) ?? "a")
            }
            _ = faults(TransactionQuery.self, String(text))
        }
    }
}

@Suite struct CursorTests {
    @Test func carriesItsPayload() throws {
        let cursor = Cursor(["a", "b"])
        let read = try #require(Cursor.parse(Array(cursor.queryText.utf8)[...]))
        #expect(try read.decode([String].self) == ["a", "b"])
        #expect(throws: APIError.self) { try read.decode(Int.self) }
    }

    @Test func everyChangedLetterIsNoticed() {
        let text = Array(
            Cursor(["2026-01-01", "0190a5c2-7b1e-7c3a-9f00-1234567890ab"]).queryText.utf8
        )
        let letters = Array("ABCxyz019-_=+/ ".utf8)
        for index in text.indices {
            for letter in letters where letter != text[index] {
                var other = text
                other[index] = letter
                #expect(Cursor.parse(other[...]) == nil)
            }
            #expect(Cursor.parse(text[..<index]) == nil)
        }
        #expect(Cursor.parse(text[...]) != nil)
    }

    @Test func pagesTellWhetherThereIsMore() throws {
        let rows = (0..<3).map {
            Debt(
                fromMemberID: .new(),
                toMemberID: .new(),
                amount: Money(minorUnits: $0, .eur)
            )
        }
        let page = Page(rows: rows, limit: 2) { Cursor($0.amount) }
        #expect(page.items.count == 2)
        #expect(try page.nextCursor?.decode(Money.self) == Money(minorUnits: 1, .eur))
        #expect(Page(rows: rows, limit: 3) { Cursor($0.amount) }.nextCursor == nil)
        #expect(JSON.text(Page<Debt>(items: [], nextCursor: nil)) == #"{"items":[]}"#)
        let again = try JSON.read(Page<Debt>.self, from: JSON.write(page))
        #expect(again.items == page.items && again.nextCursor == page.nextCursor)
    }

    @Test func whatIsWrittenByHandIsWhatTheDescriptionSays() {
        let debt = Debt(fromMemberID: .new(), toMemberID: .new(), amount: .zero(.eur))
        for page in [
            Page(items: [debt, debt], nextCursor: Cursor(1)), Page(items: [], nextCursor: nil),
        ] {
            var writer = JSONWriter()
            Page<Debt>.json.write(page, to: &writer)
            #expect(writer.bytes == JSON.write(page))
        }
        let snapshot = Snapshot(aggregate: "a\"b", sequence: .max, data: debt)
        var writer = JSONWriter()
        Snapshot<Debt>.json.write(snapshot, to: &writer)
        #expect(writer.bytes == JSON.write(snapshot))
    }

    /// RFC 4648, section 10, without the padding.
    @Test func base64HasOneTextAValue() {
        let vectors = [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ]
        for (plain, text) in vectors {
            #expect(Base64URL.encode(plain.utf8) == text)
            #expect(Base64URL.decode(Array(text.utf8)) == Array(plain.utf8))
        }
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        for text in ["Zh", "Zm9", "Z", "Zg==", "Zm+v", "Zm/v", "Zm 9v"] {
            #expect(Base64URL.decode(Array(text.utf8)) == nil, "\(text)")
        }
    }
}
