// An added expense is told to each of its members, and counted: so its event is read and written by
// hand.

extension UserShare {
    /// As the description writes it.
    public func write(to writer: inout JSONWriter) {
        writer.append(behind: #"{"memberId":""#, quoted: memberID)
        if let userID { writer.append(behind: #","userId":""#, quoted: userID) }
        writer.append(behind: #","paid":"#, paid)
        writer.append(behind: #","owed":"#, owed)
        writer.append(literal: "}")
    }

    /// As it is written.
    fileprivate static func read(written json: inout PlainJSON) -> UserShare? {
        guard json.skip(#"{"memberId":""#), let member: ID<Member> = json.value() else {
            return nil
        }
        var user: ID<User>?
        if json.skip(#","userId":""#) {
            user = json.value()
            guard user != nil else { return nil }
        }
        guard json.skip(#","paid":"#), let paid = Money.read(plain: &json),
            json.skip(#","owed":"#), let owed = Money.read(plain: &json), json.skip("}")
        else { return nil }
        return UserShare(memberID: member, userID: user, paid: paid, owed: owed)
    }
}

extension GroupExpenseAdded {
    /// As its writers write it, in the order of the description.
    public static func plain(_ bytes: [UInt8]) -> GroupExpenseAdded? {
        var json = PlainJSON(bytes)
        guard json.skip(#"{"expenseId":""#), let expense: ID<Expense> = json.value(),
            json.skip(#","groupId":""#), let group: ID<Group> = json.value(),
            json.skip(#","amount":"#), let amount = Money.read(plain: &json),
            json.skip(#","day":""#), let day: Day = json.value()
        else { return nil }
        var (category, coicop, kind): (ID<GroupCategory>?, Coicop?, SplitKind?)
        if json.skip(#","categoryId":""#) {
            category = json.value()
            guard category != nil else { return nil }
        }
        if json.skip(#","coicop":""#) {
            coicop = json.value()
            guard coicop != nil else { return nil }
        }
        if json.skip(#","splitKind":""#) {
            kind = json.value()
            guard kind != nil else { return nil }
        }
        guard json.skip(#","shares":["#) else { return nil }
        var shares: [UserShare] = []
        while !json.skip("]") {
            guard shares.isEmpty || json.skip(","), let share = UserShare.read(written: &json)
            else { return nil }
            shares.append(share)
        }
        guard json.skip(#","addedBy":""#), let user: ID<User> = json.value(),
            json.skip(#","imported":"#), let isImported = json.bool(),
            json.skip(#","madeUpFor":"#), let isMadeUpFor = json.bool(),
            json.skip("}"), json.rest.isEmpty
        else { return nil }
        return GroupExpenseAdded(
            expenseID: expense,
            groupID: group,
            amount: amount,
            day: day,
            categoryID: category,
            coicop: coicop,
            splitKind: kind,
            shares: shares,
            addedBy: user,
            isImported: isImported,
            isMadeUpFor: isMadeUpFor
        )
    }

    /// As the description writes it.
    public func write(to writer: inout JSONWriter) {
        writer.append(behind: #"{"expenseId":""#, quoted: expenseID)
        writer.append(behind: #","groupId":""#, quoted: groupID)
        writer.append(behind: #","amount":"#, amount)
        writer.append(behind: #","day":""#, quoted: day)
        if let categoryID { writer.append(behind: #","categoryId":""#, quoted: categoryID) }
        if let coicop { writer.append(behind: #","coicop":"#, coicop) }
        if let splitKind { writer.append(behind: #","splitKind":"#, splitKind) }
        writer.append(behind: #","shares":"#, shares)
        writer.append(behind: #","addedBy":""#, quoted: addedBy)
        writer.append(literal: isImported ? #","imported":true"# : #","imported":false"#)
        writer.append(literal: isMadeUpFor ? #","madeUpFor":true}"# : #","madeUpFor":false}"#)
    }
}
