@testable import Messaging
@testable import WalletProtocol

extension FuzzTarget {
    /// Every event of the suite; a test holds it against the sources.
    public static let eventTypes: [any EventBody.Type] = [
        UserRegistered.self, UserChanged.self, UserErased.self,
        WalletMemberChanged.self, AccountOpened.self, Postings.self,
        ReceivablePostingChanged.self,
        CategoryChanged.self, BudgetExceeded.self, RecurrenceSkipped.self,
        StandingOrderSkipped.self, HouseholdBudgetExceeded.self,
        AuditSealed.self, JournalSealed.self,
        GroupCreated.self, GroupChanged.self, GroupMemberJoined.self, GroupMemberLeft.self,
        GroupGuestMerged.self,
        GroupExpenseCommented.self, FamilyChildOverspent.self,
        AllowanceNoticed.self, FamilyChildNoticed.self, FamilyRoleAgreed.self,
        FamilyApprovalAsked.self, FamilyApprovalEnded.self, FamilyBudgetExceeded.self,
        FamilyAllowancePaid.self, FamilyAllowanceSkipped.self,
        InvitationSent.self, InvitationAnswered.self, GroupExpenseAdded.self,
        GroupExpenseChanged.self, GroupCategoryChanged.self,
        GroupExpenseRemoved.self, GroupSettlementRecorded.self, GroupSettlementRemoved.self,
        GroupThresholdCrossed.self, GroupImported.self, GroupExpenseSkipped.self,
        GroupLinkOutdated.self, GroupPostingKept.self,
        UserActive.self, UserDataExported.self, StatementImported.self, StatementExported.self,
        InsightsMonthReleased.self,
    ]

    static let events = [
        FuzzTarget(
            "events",
            words: jsonWords + eventWords,
            growths: [
                Growth("{", numbered: "\"a", "\":1,", "\"z\":1}"),
                Growth(head, numbered: "\"a", "\":1,", "\"z\":1}}"),
                Growth(head + "\"a\":\"", "\\u00e9", "\"}}"),
            ],
            seeds: { eventTypes.flatMap { seeds(of: $0) } },
            check: { bytes in try event(bytes) }
        ),
        FuzzTarget(
            "messages",
            words: jsonWords + eventWords,
            growths: [Growth("\n"), Growth("{}\n"), Growth(numbered: "{\"a", "\":1}\n")],
            seeds: {
                let all = eventTypes.flatMap { seeds(of: $0) }
                return stride(from: 0, to: all.count - 3, by: 3).map { first in
                    Array(all[first..<first + 3].joined(separator: [0x0A]))
                }
            },
            check: { bytes in
                for line in bytes.split(separator: 0x0A, maxSplits: 512) {
                    guard let read = try? IncomingEvent(Array(line)) else { continue }
                    try hold(Array(read.text.utf8) == Array(line), "the text is another one")
                    try hold(read.key.sequence > 0, "a sequence of \(read.key.sequence)")
                    try event(Array(line))
                }
            }
        ),
    ]

    private static let eventWords =
        [
            "\"specversion\":\"1.0\"", "\"traceparent\":\"", ",\"data\":{", "\"sequence\":",
            "\"source\":\"/ezwallet/", "}}", ",\"type\":\"", "\"ownTransfer\":true",
        ] + eventTypes.map { $0.eventType }

    private static let head =
        #"{"specversion":"1.0","id":"0190163d-8694-739b-aea5-966c26f8ad90","#
        + #""source":"/ezwallet/ledger","type":"wallet.postings.v1","#
        + #""time":"2024-02-29T23:59:59Z","datacontenttype":"application/json","#
        + #""aggregate":"account:1","sequence":1,"data":{"#

    /// As a relay writes it, and with other members in another order.
    private static func seeds<Body: EventBody>(of type: Body.Type) -> [[UInt8]] {
        var components = SchemaComponents()
        let schema = Body.schema(&components)
        return SchemaExamples.Extent.allCases.flatMap { extent in
            let examples = SchemaExamples(components: components, extent: extent)
            let envelope = EventEnvelope(
                id: ID(high: 1, low: 2),
                source: .ledger,
                type: Body.eventType,
                subject: extent == .others ? "x" : nil,
                time: Instant(microseconds: 1_700_000_000_000_000),
                aggregate: "account:1",
                sequence: 3,
                traceParent: extent == .all ? "00-aa-bb-01" : nil,
                data: examples.value(schema)
            )
            let described = JSON.write(envelope)
            let tree = try? JSON.read(JSONTree.self, from: described)
            guard let data = tree?["data"] else { return [described] }
            let relayed = head.replacing("wallet.postings.v1", with: Body.eventType)
            return [described, Array((relayed.dropLast() + JSON.text(data) + "}").utf8)]
        }
    }

    /// An envelope, and what it says: read by hand or by the description, both are the same.
    private static func event(_ bytes: [UInt8]) throws {
        let envelope: EventEnvelope
        do throws(APIError) {
            envelope = try EventEnvelope.read(bytes)
        } catch {
            return try judge(error, among: [.malformedJSON, .invalidBody])
        }
        let described = try? JSON.read(
            EventEnvelope.self,
            from: bytes,
            ignoringUnknownFields: true
        )
        if let described {
            try hold(described.id == envelope.id, "by hand it has another id")
            try hold(described.time == envelope.time, "by hand it is of another time")
            try hold(described.sequence == envelope.sequence, "by hand another sequence")
            try hold(described.aggregate == envelope.aggregate, "by hand another aggregate")
            try hold(described.type == envelope.type, "by hand it is of another type")
            try hold(described.traceParent == envelope.traceParent, "by hand another trace")
        }
        for type in eventTypes where type.eventType == envelope.type {
            try body(type, envelope, described)
        }
    }

    private static func body<Body: EventBody>(
        _ type: Body.Type,
        _ envelope: EventEnvelope,
        _ described: EventEnvelope?
    ) throws {
        let body: Body
        do throws(APIError) {
            body = try envelope.body(as: Body.self)
        } catch {
            return try judge(error, among: [.malformedJSON, .invalidBody])
        }
        let text = JSON.write(body)
        let again = try? JSON.read(Body.self, from: text, ignoringUnknownFields: true)
        try hold(again.map { areEqual($0, body) } == true, "is not what it was written as")
        if let data = described?.data.bytes {
            let plain = Body.plain(data)
            let slow = try? JSON.read(Body.self, from: data, ignoringUnknownFields: true)
            try hold(plain == nil || slow != nil, "by hand it is read, and otherwise not")
            try hold(slow.map { areEqual($0, body) } == true, "by hand it says something else")
        }
    }
}
