import WalletProtocol

/// Cospend's export of a project.
///
/// One person pays a bill, and its owers bear it by their weights. The currency is that of the
/// project, which a file without foreign currencies does not name.
struct CospendFile: GroupExportReader {
    private let sections: CospendSections
    private let people: [String]
    private let owers: CospendOwers
    private let assumed: AssumedCurrency?

    /// Categories of every project, by the id that the app gives them.
    private static let categories = [
        "-1": "Groceries", "-2": "Bar or party", "-3": "Rent", "-4": "Bills", "-5": "Culture",
        "-6": "Health", "-10": "Shopping", "-12": "Restaurant", "-13": "Accommodation",
        "-14": "Transport", "-15": "Sport",
    ]
    /// The category of payments.
    private static let reimbursement = "-11"

    /// nil where the text is none.
    init?(_ text: [UInt8], _ assumed: AssumedCurrency?) throws(UnreadableStatement) {
        guard let sections = try CospendSections(text) else { return nil }
        self.sections = sections
        self.assumed = assumed
        people = GroupTable.people(sections.members.map(\.name))
        owers = CospendOwers(sections.members.map(\.name))
    }

    private func field(_ name: String, of bill: CSVRecord) -> String {
        GroupTable.field(sections.columns[name], of: bill)
    }

    func read() throws(UnreadableStatement) -> GroupExport {
        let bills = sections.bills.filter { field("what", of: $0) != CospendSections.placeholder }
        let writing = GroupWriting(
            days: bills.lazy.map { field("date", of: $0) },
            amounts: bills.lazy.map { field("amount", of: $0) },
            hasPoints: true
        )
        var currencies = GroupCurrencies(assumed, of: [sections.currency ?? ""])
        var rows = GroupExportRows(.cospend, people: people)
        for bill in bills {
            try rows.add(bill.line) { () throws(GroupRowFault) in
                try row(bill, writing, &currencies)
            }
        }
        if let note = currencies.note { rows.note(note.line, note.detail) }
        return rows.export
    }

    private func row(
        _ bill: CSVRecord,
        _ writing: GroupWriting,
        _ currencies: inout GroupCurrencies
    ) throws(GroupRowFault) -> GroupExportRow {
        guard bill.fields.count == sections.columns.count else {
            throw GroupRowFault("has not as many fields as the header")
        }
        guard field("deleted", of: bill) != "1" else { throw .note("is in the trash of Cospend") }
        let currency = try currencies.currency(sections.currency ?? "", line: bill.line)
        let amount = try writing.amount(field("amount", of: bill), in: currency, isRounding: true)
        guard amount != 0 else { throw .nothing }
        let name = field("payer_name", of: bill)
        guard let payer = owers.person(name) else {
            throw GroupRowFault("\(FileText.quoted(name)), who paid, is none of the people")
        }
        let day = try writing.day(field("date", of: bill))
        let id = field("categoryid", of: bill)
        let category = sections.categories[id] ?? Self.categories[id] ?? ""
        let comment = field("comment", of: bill)
        let head = GroupRowHead(
            line: bill.line,
            day: day,
            name: field("what", of: bill),
            category: category,
            description: Percent.decode(comment.utf8, plusIsSpace: true) ?? comment
        )
        let sides = try GroupSides(
            amount: amount,
            paid: [GroupExportRow.Part(person: payer, amount: abs(amount))],
            shares: try GroupSides.divided(abs(amount), try weights(of: bill), on: day),
            isPayment: id == Self.reimbursement || GroupWords.kind(category) == .transfer
        )
        return GroupExportRow(head, sides, in: currency)
    }

    private func weights(of bill: CSVRecord) throws(GroupRowFault) -> [GroupExportRow.Part] {
        var weights: [GroupExportRow.Part] = []
        for person in try owers.people(in: field("owers", of: bill)).sorted() {
            guard let weight = sections.members[person].weight else {
                let name = FileText.quoted(people[person])
                throw GroupRowFault("the weight of \(name) is stated nowhere")
            }
            weights.append(GroupExportRow.Part(person: person, amount: weight))
        }
        return weights
    }
}
