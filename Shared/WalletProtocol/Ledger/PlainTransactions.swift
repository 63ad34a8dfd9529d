// Transactions, as transfers, are read and written by hand. Rare members are left to the
// description when they are read, and write themselves.

extension NewTransaction {
    /// The members in any order, but for lines, place and recurrence.
    public static func read(plain json: inout PlainJSON) -> NewTransaction? {
        var (accountID, categoryID, folderID): (ID<Account>?, CategoryID?, ID<Folder>?)
        var (amount, date): (Money?, Day?)
        var (name, description): (String?, String?)
        guard json.begins("{") else { return nil }
        repeat {
            let isRead: Bool
            if accountID == nil, json.names(#""accountId""#) {
                accountID = json.quoted()
                isRead = accountID != nil
            } else if amount == nil, json.names(#""amount""#) {
                amount = Money.read(plain: &json)
                isRead = amount.map { !$0.isBeyondSent } ?? false
            } else if name == nil, json.names(#""name""#) {
                name = json.line(1...140)
                isRead = name != nil
            } else if date == nil, json.names(#""date""#) {
                date = json.quoted()
                isRead = date != nil
            } else if categoryID == nil, json.names(#""categoryId""#) {
                categoryID = json.quoted()
                isRead = categoryID != nil
            } else if description == nil, json.names(#""description""#) {
                // Stricter than its rule, which lets spaces alone pass.
                description = json.line(1...2_000)
                isRead = description != nil
            } else if folderID == nil, json.names(#""folderId""#) {
                folderID = json.quoted()
                isRead = folderID != nil
            } else {
                isRead = false
            }
            guard isRead else { return nil }
        } while json.goesOn()
        guard json.ends("}"), let amount else { return nil }
        return NewTransaction(
            amount: amount,
            accountID: accountID,
            name: name,
            date: date,
            categoryID: categoryID,
            lines: nil,
            description: description,
            location: nil,
            folderID: folderID,
            tags: nil,
            recurrence: nil
        )
    }

    /// As the description writes it: the canonical form that an idempotency key is bound to.
    public func write(to writer: inout JSONWriter) {
        writer.append(literal: #"{"amount":"#)
        amount.write(to: &writer)
        if let accountID { writer.append(#","accountId":""#, accountID) }
        if let name { writer.append(#","name":"#, name) }
        if let date { writer.append(#","date":""#, date) }
        if let categoryID { writer.append(#","categoryId":""#, categoryID) }
        if let lines { writer.append(#","lines":"#, rare: lines) }
        if let description { writer.append(#","description":"#, description) }
        if let location { writer.append(#","location":"#, rare: location) }
        if let folderID { writer.append(#","folderId":""#, folderID) }
        if let tags { writer.append(#","tags":"#, rare: tags) }
        if let recurrence { writer.append(#","recurrence":"#, rare: recurrence) }
        writer.append(literal: "}")
    }
}

extension TransactionBatch {
    /// The transactions one by one.
    public static func read(plain json: inout PlainJSON) -> TransactionBatch? {
        guard json.begins("{"), json.names(#""transactions""#),
            let transactions: [NewTransaction] = json.elements(countMax: countMax),
            json.ends("}")
        else { return nil }
        return TransactionBatch(transactions: transactions)
    }
}

extension TransactionView {
    /// As the description writes it.
    public func write(to writer: inout JSONWriter) {
        writer.append(literal: #"{"id":""#)
        id.appendText(to: &writer)
        writer.append(literal: "\"")
        writer.append(#","accountId":""#, accountID)
        writer.append(literal: #","amount":"#)
        amount.write(to: &writer)
        writer.append(#","name":"#, name)
        writer.append(#","date":""#, date)
        writer.append(#","categoryId":""#, categoryID)
        if let lines { writer.append(#","lines":"#, rare: lines) }
        if let description { writer.append(#","description":"#, description) }
        if let location { writer.append(#","location":"#, rare: location) }
        if let folderID { writer.append(#","folderId":""#, folderID) }
        if tags.isEmpty {
            writer.append(literal: #","tags":[]"#)
        } else {
            writer.append(#","tags":"#, rare: tags)
        }
        if let transferID { writer.append(#","transferId":""#, transferID) }
        if let importID { writer.append(#","importId":""#, importID) }
        if let recurrenceID { writer.append(#","recurrenceId":""#, recurrenceID) }
        writer.append(literal: #","version":"#)
        writer.append(Int64(version))
        writer.append(literal: #","createdAt":""#)
        writer.appendInstant(createdAt)
        writer.append(literal: "\"")
        if let budgetRemaining { writer.append(#","budgetRemaining":"#, rare: budgetRemaining) }
        if let alerts { writer.append(#","alerts":"#, rare: alerts) }
        if let group { writer.append(#","group":"#, group) }
        if let category { writer.append(#","category":"#, rare: category) }
        if let bookedFor { writer.append(#","bookedFor":""#, bookedFor) }
        if let converted { writer.append(#","converted":"#, rare: converted) }
        if let receivable { writer.append(#","receivable":"#, rare: receivable) }
        if let settles { writer.append(#","settles":"#, rare: settles) }
        writer.append(literal: "}")
    }
}

// Members that follow another one: each with the comma before it.
extension JSONWriter {
    fileprivate mutating func append<Tag>(_ opening: StaticString, _ id: ID<Tag>) {
        append(literal: opening)
        id.appendText(to: &self)
        append(literal: "\"")
    }

    fileprivate mutating func append(_ opening: StaticString, _ day: Day) {
        append(literal: opening)
        appendDay(day)
        append(literal: "\"")
    }

    fileprivate mutating func append(_ opening: StaticString, _ text: String) {
        append(literal: opening)
        append(text)
    }

    fileprivate mutating func append(_ opening: StaticString, rare value: some JSONValue) {
        append(literal: opening)
        value.write(to: &self)
    }
}
