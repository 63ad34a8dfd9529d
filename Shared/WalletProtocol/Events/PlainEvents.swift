// What comes hundreds of times a second is read by hand, as its writers write it; anything else,
// and anything that might be wrong, is left to the descriptions.

extension EventEnvelope {
    /// An envelope as an outbox's relay writes it: one line, without spaces, `data` last.
    ///
    /// What `data` is worth is found when a consumer asks for its type.
    static func plain(_ bytes: [UInt8]) -> EventEnvelope? {
        var json = PlainJSON(bytes)
        guard json.skip(#"{"specversion":"1.0","id":""#), let id = json.value(ID<Event>.self),
            json.skip(#","source":""#), let source = json.string(),
            json.skip(#","type":""#), let type = json.string(),
            json.skip(#","time":""#), let time = json.value(Instant.self),
            json.skip(#","datacontenttype":"application/json","aggregate":""#),
            let aggregate = json.string(),
            json.skip(#","sequence":"#), let sequence = json.positive()
        else { return nil }
        var traceParent: String?
        if json.skip(#","traceparent":""#) {
            guard let text = json.string() else { return nil }
            traceParent = text
        }
        guard json.skip(#","data":{"#), bytes.last == UInt8(ascii: "}"), json.rest.count >= 2
        else { return nil }
        return EventEnvelope(
            version: "1.0",
            id: id,
            source: source,
            type: type,
            subject: nil,
            time: time,
            contentType: "application/json",
            data: RawJSON(unchecked: Array(bytes[(json.at - 1)..<(bytes.count - 1)])),
            traceParent: traceParent,
            aggregate: aggregate,
            sequence: sequence
        )
    }
}

extension TransactionPosted {
    /// A posting as the ledger writes it: in the description's order, without spaces.
    public static func plain(_ bytes: [UInt8]) -> TransactionPosted? {
        var json = PlainJSON(bytes)
        guard json.skip(#"{"transactionId":""#),
            let transactionID = json.value(ID<MoneyTransaction>.self),
            json.skip(#","version":"#), let version = json.positive(),
            json.skip(#","kind":""#), let kind = json.string().flatMap(PostingKind.init),
            json.skip(#","userId":""#), let userID = json.value(ID<User>.self),
            json.skip(#","accountId":""#), let accountID = json.value(ID<Account>.self),
            json.skip(#","accountKind":""#),
            let accountKind = json.string().flatMap(AccountKind.init),
            json.skip(#","amount":{"amount":""#), let amount = json.text(),
            json.skip(#","currency":""#), let currency = json.value(Currency.self),
            let units: Int64 = try? Money.parse(amount, exponent: currency.exponent),
            json.skip(#"},"day":""#), let day = json.value(Day.self),
            json.skip(#","categoryId":""#), let categoryID = json.value(CategoryID.self)
        else { return nil }
        var coicop: Coicop?
        if json.skip(#","coicop":""#) {
            guard let division = json.string().flatMap(Coicop.init) else { return nil }
            coicop = division
        }
        var transferID: ID<Transfer>?
        if json.skip(#","transferId":""#) {
            guard let transfer = json.value(ID<Transfer>.self) else { return nil }
            transferID = transfer
        }
        let isOwnTransfer = json.skip(#","ownTransfer":true"#)
        guard isOwnTransfer || json.skip(#","ownTransfer":false"#),
            json.skip(#","recordedAt":""#), let recordedAt = json.value(Instant.self),
            json.skip("}"), json.rest.isEmpty
        else { return nil }
        return TransactionPosted(
            transactionID: transactionID,
            version: Int(version),
            kind: kind,
            userID: userID,
            accountID: accountID,
            accountKind: accountKind,
            amount: Money(minorUnits: units, currency),
            day: day,
            categoryID: categoryID,
            coicop: coicop,
            transferID: transferID,
            isOwnTransfer: isOwnTransfer,
            recordedAt: recordedAt
        )
    }
}
