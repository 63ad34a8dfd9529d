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
        writer.append(behind: #"{"amount":"#, amount)
        if let accountID { writer.append(behind: #","accountId":""#, quoted: accountID) }
        if let name { writer.append(behind: #","name":"#, name) }
        if let date { writer.append(behind: #","date":""#, quoted: date) }
        if let categoryID { writer.append(behind: #","categoryId":""#, quoted: categoryID) }
        if let lines { writer.append(behind: #","lines":"#, lines) }
        if let description { writer.append(behind: #","description":"#, description) }
        if let location { writer.append(behind: #","location":"#, location) }
        if let folderID { writer.append(behind: #","folderId":""#, quoted: folderID) }
        if let tags { writer.append(behind: #","tags":"#, tags) }
        if let recurrence { writer.append(behind: #","recurrence":"#, recurrence) }
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
        writer.append(behind: #"{"id":""#, quoted: id)
        writer.append(behind: #","accountId":""#, quoted: accountID)
        writer.append(behind: #","amount":"#, amount)
        writer.append(behind: #","name":"#, name)
        writer.append(behind: #","date":""#, quoted: date)
        writer.append(behind: #","categoryId":""#, quoted: categoryID)
        if let lines { writer.append(behind: #","lines":"#, lines) }
        if let description { writer.append(behind: #","description":"#, description) }
        if let location { writer.append(behind: #","location":"#, location) }
        if let folderID { writer.append(behind: #","folderId":""#, quoted: folderID) }
        if tags.isEmpty {
            writer.append(literal: #","tags":[]"#)
        } else {
            writer.append(behind: #","tags":"#, tags)
        }
        if let transferID { writer.append(behind: #","transferId":""#, quoted: transferID) }
        if let importID { writer.append(behind: #","importId":""#, quoted: importID) }
        if let recurrenceID { writer.append(behind: #","recurrenceId":""#, quoted: recurrenceID) }
        writer.append(literal: #","version":"#)
        writer.append(Int64(version))
        writer.append(behind: #","createdAt":""#, quoted: createdAt)
        if let budgetRemaining { writer.append(behind: #","budgetRemaining":"#, budgetRemaining) }
        if let alerts { writer.append(behind: #","alerts":"#, alerts) }
        if let group { writer.append(behind: #","group":"#, group) }
        if let category { writer.append(behind: #","category":"#, category) }
        if let bookedFor { writer.append(behind: #","bookedFor":""#, quoted: bookedFor) }
        if let converted { writer.append(behind: #","converted":"#, converted) }
        if let receivable { writer.append(behind: #","receivable":"#, receivable) }
        if let settles { writer.append(behind: #","settles":"#, settles) }
        writer.append(literal: "}")
    }
}
