// Transfers come thousands of times a second: they are read and written by hand, in a tenth of the
// time that their descriptions take. A test holds both the same.

extension NewTransfer {
    /// The members in any order; what breaks a rule is left to the description.
    public static func read(plain json: inout PlainJSON) -> NewTransfer? {
        var (quoteID, fromAccountID, toAccountID): (ID<Quote>?, ID<Account>?, ID<Account>?)
        var (toIBAN, reference): (String?, String?)
        var (amount, hold): (Money?, Bool?)
        guard json.begins("{") else { return nil }
        repeat {
            let isRead: Bool
            if fromAccountID == nil, json.names(#""fromAccountId""#) {
                fromAccountID = json.quoted()
                isRead = fromAccountID != nil
            } else if toAccountID == nil, json.names(#""toAccountId""#) {
                toAccountID = json.quoted()
                isRead = toAccountID != nil
            } else if toIBAN == nil, json.names(#""toIban""#) {
                toIBAN = json.line(15...42)
                isRead = toIBAN != nil
            } else if amount == nil, json.names(#""amount""#) {
                amount = Money.read(plain: &json)
                isRead = amount.map { $0.isPositive && !$0.isBeyondSent } ?? false
            } else if reference == nil, json.names(#""reference""#) {
                reference = json.line(1...140)
                isRead = reference != nil
            } else if quoteID == nil, json.names(#""quoteId""#) {
                quoteID = json.quoted()
                isRead = quoteID != nil
            } else if hold == nil, json.names(#""hold""#) {
                hold = json.bool()
                isRead = hold != nil
            } else {
                isRead = false
            }
            guard isRead else { return nil }
        } while json.goesOn()
        guard json.ends("}") else { return nil }
        return NewTransfer(
            quoteID: quoteID,
            fromAccountID: fromAccountID,
            toIBAN: toIBAN,
            toAccountID: toAccountID,
            amount: amount,
            reference: reference,
            hold: hold ?? false
        )
    }

    /// As the description writes it: the canonical form that an idempotency key is bound to.
    public func write(to writer: inout JSONWriter) {
        writer.append(literal: "{")
        if let quoteID { writer.append(quoteID, as: #""quoteId":""#) }
        if let fromAccountID { writer.append(fromAccountID, as: #""fromAccountId":""#) }
        if let toIBAN { writer.append(toIBAN, as: #""toIban":"#) }
        if let toAccountID { writer.append(toAccountID, as: #""toAccountId":""#) }
        if let amount { writer.append(amount, as: #""amount":"#) }
        if let reference { writer.append(reference, as: #""reference":"#) }
        writer.append(literal: hold ? #""hold":true}"# : #""hold":false}"#)
    }
}

extension NewTransfers {
    /// The transfers one by one.
    public static func read(plain json: inout PlainJSON) -> NewTransfers? {
        var (transfers, isAtomic): ([NewTransfer]?, Bool?)
        guard json.begins("{") else { return nil }
        repeat {
            if transfers == nil, json.names(#""transfers""#) {
                transfers = json.elements(countMax: 1_000)
                guard transfers != nil else { return nil }
            } else if isAtomic == nil, json.names(#""atomic""#) {
                isAtomic = json.bool()
                guard isAtomic != nil else { return nil }
            } else {
                return nil
            }
        } while json.goesOn()
        guard json.ends("}"), let transfers else { return nil }
        return NewTransfers(transfers: transfers, isAtomic: isAtomic ?? true)
    }
}

extension TransferView {
    /// As the description writes it.
    public func write(to writer: inout JSONWriter) {
        writer.append(literal: #"{"id":""#)
        id.appendText(to: &writer)
        writer.append(literal: #"","state":""#)
        writer.append(literal: state.literal)
        writer.append(literal: #"","#)
        if let fromAccountID { writer.append(fromAccountID, as: #""fromAccountId":""#) }
        if let toAccountID { writer.append(toAccountID, as: #""toAccountId":""#) }
        writer.append(debit, as: #""debit":"#)
        writer.append(credit, as: #""credit":"#)
        if let rate {
            writer.append(literal: #""rate":"#)
            rate.write(to: &writer)
            writer.append(literal: ",")
        }
        if let reference { writer.append(reference, as: #""reference":"#) }
        if let expiresAt {
            writer.append(literal: #""expiresAt":""#)
            writer.appendInstant(expiresAt)
            writer.append(literal: #"","#)
        }
        writer.append(literal: #""createdAt":""#)
        writer.appendInstant(createdAt)
        writer.append(literal: #""}"#)
    }
}

extension TransferState {
    /// The word, which is copied at once.
    fileprivate var literal: StaticString {
        switch self {
        case .posted: "posted"
        case .pending: "pending"
        case .voided: "voided"
        case .expired: "expired"
        }
    }
}

// Members that another one follows: each with the comma behind it.
extension JSONWriter {
    /// An identifier, behind its name and the quote that opens it.
    mutating func append<Tag>(_ id: ID<Tag>, as opening: StaticString) {
        append(literal: opening)
        id.appendText(to: &self)
        append(literal: #"","#)
    }

    /// A text, behind its name.
    mutating func append(_ text: String, as opening: StaticString) {
        append(literal: opening)
        append(text)
        append(literal: ",")
    }

    /// An amount, behind its name.
    mutating func append(_ money: Money, as opening: StaticString) {
        append(literal: opening)
        money.write(to: &self)
        append(literal: ",")
    }
}
