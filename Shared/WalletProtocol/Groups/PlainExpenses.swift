// Shared expenses, as transfers, are read and written by hand: one of ten people has a hundred
// members. Rare ones are left to the description when they are read, and write themselves.

extension NewExpense {
    /// The members in any order, but for words, place, recurrence and what is in one's own ledger.
    public static func read(plain json: inout PlainJSON) -> NewExpense? {
        var (name, description): (String?, String?)
        var (amount, date): (Money?, Day?)
        var (paidBy, split): ([MemberAmount]?, Split?)
        var categoryID: ID<GroupCategory>?
        guard json.begins("{") else { return nil }
        repeat {
            let isRead: Bool
            if name == nil, json.names(#""name""#) {
                name = json.line(1...140)
                isRead = name != nil
            } else if amount == nil, json.names(#""amount""#) {
                amount = Money.read(plain: &json)
                isRead = amount.map { !$0.isZero && !$0.isBeyondSent } ?? false
            } else if split == nil, json.names(#""split""#) {
                split = Split.read(plain: &json)
                isRead = split != nil
            } else if paidBy == nil, json.names(#""paidBy""#) {
                paidBy = json.elements(countMax: 50)
                isRead = paidBy != nil
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
            } else {
                isRead = false
            }
            guard isRead else { return nil }
        } while json.goesOn()
        guard json.ends("}"), let name, let amount else { return nil }
        return NewExpense(
            name: name,
            amount: amount,
            date: date,
            paidBy: paidBy,
            split: split,
            description: description,
            categoryID: categoryID
        )
    }

    /// As the description writes it: the canonical form that an idempotency key is bound to.
    public func write(to writer: inout JSONWriter) {
        writer.append(literal: #"{"name":"#)
        writer.append(name)
        writer.append(behind: #","amount":"#, amount)
        if let date { writer.append(behind: #","date":""#, quoted: date) }
        if let paidBy { writer.append(behind: #","paidBy":"#, paidBy) }
        if let split { writer.append(behind: #","split":"#, split) }
        if let description { writer.append(behind: #","description":"#, description) }
        if let categoryID { writer.append(behind: #","categoryId":""#, quoted: categoryID) }
        writer.append(behind: #","tags":"#, tags)
        if let location { writer.append(behind: #","location":"#, location) }
        if let rule { writer.append(behind: #","recurrence":"#, rule) }
        if let accountID { writer.append(behind: #","accountId":""#, quoted: accountID) }
        if let ownCategoryID {
            writer.append(behind: #","ownCategoryId":""#, quoted: ownCategoryID)
        }
        writer.append(literal: "}")
    }
}

extension Split {
    /// Its kind and parts, without a bill.
    public static func read(plain json: inout PlainJSON) -> Split? {
        var (kind, parts): (SplitKind?, [SplitPart]?)
        guard json.begins("{") else { return nil }
        repeat {
            if kind == nil, json.names(#""kind""#) {
                kind = json.quoted()
                guard kind != nil else { return nil }
            } else if parts == nil, json.names(#""parts""#) {
                parts = json.elements(countMax: 200)
                guard parts != nil else { return nil }
            } else {
                return nil
            }
        } while json.goesOn()
        guard json.ends("}"), let kind else { return nil }
        return Split(kind: kind, parts: parts ?? [])
    }

    /// As the description writes it.
    public func write(to writer: inout JSONWriter) {
        writer.append(literal: #"{"kind":"#)
        kind.write(to: &writer)
        writer.append(behind: #","parts":"#, parts)
        if let items { writer.append(behind: #","items":"#, items) }
        writer.append(literal: "}")
    }
}

extension SplitPart {
    /// One of equal ones: what has a value is left to the description.
    public static func read(plain json: inout PlainJSON) -> SplitPart? {
        guard json.begins("{"), json.names(#""memberId""#),
            let member: ID<Member> = json.quoted(), json.ends("}")
        else { return nil }
        return SplitPart(memberID: member)
    }

    /// As the description writes it.
    public func write(to writer: inout JSONWriter) {
        writer.append(behind: #"{"memberId":""#, quoted: memberID)
        if let value { writer.append(behind: #","value":"#, value) }
        writer.append(literal: "}")
    }
}

extension MemberAmount {
    /// In either order.
    public static func read(plain json: inout PlainJSON) -> MemberAmount? {
        var (member, amount): (ID<Member>?, Money?)
        guard json.begins("{") else { return nil }
        repeat {
            if member == nil, json.names(#""memberId""#) {
                member = json.quoted()
                guard member != nil else { return nil }
            } else if amount == nil, json.names(#""amount""#) {
                amount = Money.read(plain: &json)
                guard amount?.isBeyondSent == false else { return nil }
            } else {
                return nil
            }
        } while json.goesOn()
        guard json.ends("}"), let member, let amount else { return nil }
        return MemberAmount(memberID: member, amount: amount)
    }

    /// As the description writes it.
    public func write(to writer: inout JSONWriter) {
        writer.append(behind: #"{"memberId":""#, quoted: memberID)
        writer.append(behind: #","amount":"#, amount)
        writer.append(literal: "}")
    }
}

extension ExpenseView {
    /// As the description writes it.
    public func write(to writer: inout JSONWriter) {
        writer.append(behind: #"{"id":""#, quoted: id)
        writer.append(behind: #","groupId":""#, quoted: groupID)
        writer.append(behind: #","name":"#, name)
        writer.append(behind: #","amount":"#, amount)
        writer.append(behind: #","date":""#, quoted: date)
        writer.append(behind: #","paidBy":"#, paidBy)
        if let split { writer.append(behind: #","split":"#, split) }
        writer.append(behind: #","shares":"#, shares)
        if let description { writer.append(behind: #","description":"#, description) }
        writer.append(behind: #","categoryId":""#, quoted: categoryID)
        writer.append(behind: #","tags":"#, tags)
        if let location { writer.append(behind: #","location":"#, location) }
        writer.append(behind: #","addedBy":""#, quoted: addedBy)
        if let recurrenceID { writer.append(behind: #","recurrenceId":""#, quoted: recurrenceID) }
        writer.append(literal: #","version":"#)
        writer.append(Int64(version))
        writer.append(behind: #","createdAt":""#, quoted: createdAt)
        if let group { writer.append(behind: #","group":"#, group) }
        if let category { writer.append(behind: #","category":"#, category) }
        if let converted { writer.append(behind: #","converted":"#, converted) }
        if let link { writer.append(behind: #","link":"#, link) }
        writer.append(literal: "}")
    }
}
