import Testing

@testable import WalletProtocol

@Suite struct EventTests {
    private let posted: TransactionPosted

    init() throws {
        posted = TransactionPosted(
            transactionID: .new(),
            version: 1,
            kind: .posted,
            userID: .new(),
            accountID: .new(),
            accountKind: .current,
            amount: Money(minorUnits: -1_250, .eur),
            day: try #require(Day("2026-03-01")),
            categoryID: .new(),
            coicop: .food,
            recordedAt: Instant(microseconds: 1_700_000_000_000_000)
        )
    }

    private func envelope(trace: String? = nil) -> EventEnvelope {
        EventEnvelope(
            id: .new(),
            source: .ledger,
            subject: posted.userID.text,
            time: posted.recordedAt,
            aggregate: "account:\(posted.accountID)",
            sequence: 3,
            traceParent: trace,
            body: posted
        )
    }

    @Test func hasTheAttributesOfCloudEvents() throws {
        let bytes = JSON.write(envelope(trace: "00-aa-bb-01"))
        let tree = try JSON.read(JSONTree.self, from: bytes)
        #expect(tree["specversion"] == "1.0")
        #expect(tree["type"] == "wallet.transaction.posted.v1")
        #expect(tree["source"] == "/ezwallet/ledger")
        #expect(tree["datacontenttype"] == "application/json")
        #expect(tree["traceparent"] == "00-aa-bb-01")
        #expect(tree["sequence"] == 3)
        #expect(tree["data"]?["amount"] == ["amount": "-12.50", "currency": "EUR"])
        #expect(tree["data"]?["coicop"] == "01")
        // Attribute names of CloudEvents are lower-case letters and digits.
        guard case .object(let members) = tree else { return }
        for member in members {
            #expect(member.name.wholeMatch(of: /[a-z0-9]+/) != nil, "\(member.name)")
        }
    }

    @Test func readsBackAndKeepsItsBody() throws {
        let event = envelope()
        let read = try EventEnvelope.read(JSON.write(event))
        #expect(read == event)
        #expect(try read.body(as: TransactionPosted.self) == posted)
    }

    @Test func consumersPassOverWhatTheyDoNotKnow() throws {
        var tree = try JSON.read(JSONTree.self, from: JSON.write(envelope()))
        tree = tree.setting("later", ["a": [1, 2]])
        tree = tree.setting("data", try #require(tree["data"]).setting("more", ["b": nil]))
        let read = try EventEnvelope.read(JSON.write(tree))
        #expect(try read.body(as: TransactionPosted.self) == posted)
    }

    @Test func bodiesOfAnotherShapeAreRefused() throws {
        #expect(throws: APIError.self) { try envelope().body(as: GroupCreated.self) }
        let bad = try JSON.read(JSONTree.self, from: JSON.write(envelope())).setting("sequence", 0)
        #expect(throws: APIError.self) { try EventEnvelope.read(JSON.write(bad)) }
    }

    @Test func aBodyFromTheOutboxIsPassedOnAsItIs() throws {
        let raw = try JSON.read(RawJSON.self, from: Array(#"{"groupID": 1 }"#.utf8))
        let event = EventEnvelope(
            id: .new(),
            source: .groups,
            type: "x",
            time: posted.recordedAt,
            aggregate: "a",
            sequence: 1,
            data: raw
        )
        #expect(JSON.text(event).contains(#""data":{"groupID": 1 }"#))
    }
}

@Suite struct ProblemTests {
    @Test func saysEverythingOfARefusal() throws {
        let error = APIError(
            .invalidBody,
            "two fields",
            errors: [FieldError(pointer: "/a", code: .required, detail: "is required")],
            members: [JSONMember("resendsLeft", 1)]
        )
        let problem = Problem(error, traceID: "abc")
        #expect(
            JSON.text(problem)
                == #"{"type":"urn:ezwallet:problem:invalid-body","#
                + #""title":"The body has fields that cannot be taken","status":422,"#
                + #""detail":"two fields","code":"invalid-body","traceId":"abc","#
                + #""errors":[{"pointer":"/a","code":"required","detail":"is required"}],"#
                + #""resendsLeft":1}"#
        )
        #expect(try JSON.read(Problem.self, from: JSON.write(problem)) == problem)
    }

    @Test func saysWhatToDoWhereNothingElseIsSaid() {
        #expect(
            JSON.text(Problem(.notFound))
                == #"{"type":"urn:ezwallet:problem:not-found","title":"Absent or not yours","#
                + #""status":404,"detail":"Nothing that you may see is at this address: check the "#
                + #"identifiers.","code":"not-found"}"#
        )
    }
}

/// What is read by hand is what the description reads.
@Suite struct PlainEventTests {
    private func posted(_ random: inout SystemRandomNumberGenerator) throws -> TransactionPosted {
        let currency = try #require(Currency.all.randomElement(using: &random))
        let units = Int64.random(in: .min + 1 ... .max, using: &random)
        return TransactionPosted(
            transactionID: .new(),
            version: Int.random(in: 1...1_000_000, using: &random),
            kind: Bool.random(using: &random) ? .posted : .reversed,
            userID: .new(),
            accountID: .new(),
            accountKind: try #require(AccountKind.allCases.randomElement(using: &random)),
            amount: Money(
                minorUnits: Bool.random(using: &random) ? units : units % 1_000,
                currency
            ),
            day: try #require(Day(daysSince1970: Int.random(in: 0...40_000, using: &random))),
            categoryID: .new(),
            coicop: Bool.random(using: &random) ? Coicop.allCases.randomElement() : nil,
            transferID: Bool.random(using: &random) ? .new() : nil,
            isOwnTransfer: Bool.random(using: &random),
            recordedAt: Instant(
                microseconds: Int64.random(in: 0...4_000_000_000_000_000, using: &random)
            )
        )
    }

    @Test func aPostingReadByHandIsThatOfTheDescription() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let body = try posted(&random)
            let bytes = JSON.write(body)
            #expect(TransactionPosted.plain(bytes) == body)
            // Whatever one byte is changed to, what is read by hand is what was written.
            var other = bytes
            other[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 32...126)
            if let plain = TransactionPosted.plain(other) {
                let described = try JSON.read(TransactionPosted.self, from: other)
                #expect(plain == described)
            }
            #expect(TransactionPosted.plain(Array(bytes.dropLast())) == nil)
            #expect(TransactionPosted.plain(bytes + [0x20]) == nil)
        }
    }

    @Test func whatIsOutOfTheCommonIsLeftToTheDescription() throws {
        var random = SystemRandomNumberGenerator()
        let body = try posted(&random)
        let tree = try JSON.read(JSONTree.self, from: JSON.write(body)).setting("later", 1)
        #expect(TransactionPosted.plain(JSON.write(tree)) == nil)
        let envelope = EventEnvelope(
            id: .new(),
            source: .ledger,
            time: .now(),
            aggregate: "a:1",
            sequence: 1,
            body: body
        )
        let odd = try JSON.read(JSONTree.self, from: JSON.write(envelope)).setting("data", tree)
        #expect(try EventEnvelope.read(JSON.write(odd)).body(as: TransactionPosted.self) == body)
    }
}
