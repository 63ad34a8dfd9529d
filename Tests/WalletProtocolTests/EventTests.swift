import Testing

@testable import WalletProtocol

@Suite struct EventTests {
    private let posted: TransactionPosted
    private let body: Postings

    init() throws {
        posted = TransactionPosted(
            source: JournalLine(entryID: .new(), place: 7),
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
        body = Postings(covers: [7...7], rows: [posted])
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
            body: body
        )
    }

    @Test func hasTheAttributesOfCloudEvents() throws {
        let bytes = JSON.write(envelope(trace: "00-aa-bb-01"))
        let tree = try JSON.read(JSONTree.self, from: bytes)
        #expect(tree["specversion"] == "1.0")
        #expect(tree["type"] == "wallet.postings.v1")
        #expect(tree["source"] == "/ezwallet/ledger")
        #expect(tree["datacontenttype"] == "application/json")
        #expect(tree["traceparent"] == "00-aa-bb-01")
        #expect(tree["sequence"] == 3)
        #expect(tree["data"]?["amount"] == [-1_250])
        #expect(tree["data"]?["currency"] == ["EUR"])
        #expect(tree["data"]?["coicop"] == ["01"])
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
        #expect(try read.body(as: Postings.self).rows() == [posted])
    }

    @Test func consumersPassOverWhatTheyDoNotKnow() throws {
        var tree = try JSON.read(JSONTree.self, from: JSON.write(envelope()))
        tree = tree.setting("later", ["a": [1, 2]])
        tree = tree.setting("data", try #require(tree["data"]).setting("more", ["b": nil]))
        let read = try EventEnvelope.read(JSON.write(tree))
        #expect(try read.body(as: Postings.self) == body)
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
