import Text
import WalletProtocol

/// The sections of a file of Cospend, or of its app MoneyBuster: members, bills, categories, modes
/// of payment and currencies, each below a header of its own.
struct CospendSections {
    /// Someone in the project, and how many parts they bear, in millionths; nil: stated nowhere.
    struct Member {
        let name: String
        let weight: Int64?
    }

    private enum Section {
        case members, bills, categories, currencies, other
    }

    private(set) var members: [Member] = []
    /// Names of the columns of bills, and where each is.
    private(set) var columns: [String: Int] = [:]
    private(set) var bills: [CSVRecord] = []
    /// Names by id.
    private(set) var categories: [String: String] = [:]
    /// What the currency of all bills is called.
    private(set) var currency: String?

    /// Bills by which MoneyBuster states who is in the project.
    static let placeholder = "deleteMeIfYouWant"

    /// nil where the text has no bills.
    init?(_ text: [UInt8]) throws(UnreadableStatement) {
        guard text[...].range(of: "payer_name") != nil,
            let delimiter = CSVRecords.delimiters.first(where: { Self.hasBills(text, $0) })
        else { return nil }
        var records = CSVRecords(text, delimiter: delimiter)
        var section = Section.other
        while let record = try records.next() {
            guard !record.isBlank else { continue }
            if let next = Self.section(below: record) {
                section = next
                if next == .bills { columns = Self.columns(of: record) }
            } else {
                try take(record, in: section)
            }
        }
        if members.isEmpty { findMembers() }
        guard members.count <= GroupExportLimits.peopleMax else {
            throw .unreadable(line: 1, detail: "the file names more than 100 people")
        }
    }

    private static func hasBills(_ text: [UInt8], _ delimiter: UInt8) -> Bool {
        var records = CSVRecords(text, delimiter: delimiter)
        while let record = try? records.next() {
            if section(below: record) == .bills { return true }
        }
        return false
    }

    private static func section(below record: CSVRecord) -> Section? {
        switch record.fields[0] {
        case "name": return record.fields.dropFirst().first == "weight" ? .members : nil
        case "what":
            let needed = ["amount", "date", "payer_name", "owers"]
            return needed.allSatisfy(record.fields.contains) ? .bills : nil
        case "categoryname": return .categories
        case "currencyname": return .currencies
        case "paymentmodename": return .other
        default: return nil
        }
    }

    private static func columns(of record: CSVRecord) -> [String: Int] {
        Dictionary(
            record.fields.enumerated().map { ($1, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private mutating func take(
        _ record: CSVRecord,
        in section: Section
    ) throws(UnreadableStatement) {
        let second = GroupTable.field(1, of: record)
        switch section {
        case .members:
            members.append(Member(name: record.fields[0], weight: Self.weight(second)))
        case .bills:
            guard bills.count < GroupExportLimits.rowsMax + GroupExportLimits.peopleMax else {
                throw .unreadable(line: record.line, detail: "the file has more than 10,000 rows")
            }
            bills.append(record)
        case .categories: categories[second] = record.fields[0]
        // The project's own stands first.
        case .currencies: currency = currency ?? record.fields[0]
        case .other: break
        }
    }

    /// A weight in millionths; nil for more than a thousand million, and for what is none.
    private static func weight(_ text: String) -> Int64? {
        guard let weight = ExactDecimal(text), weight.coefficient >= 0, weight.scale <= 6 else {
            return nil
        }
        let factor = [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1] as [Int64]
        let (units, isOver) = weight.coefficient
            .multipliedReportingOverflow(by: factor[weight.scale])
        return isOver || units > 1_000_000_000_000_000 ? nil : units
    }

    /// Who is in the project by its bills: whoever paid one, with their weight, and whoever bears
    /// one.
    private mutating func findMembers() {
        var places: [String: Int] = [:]
        for bill in bills {
            let name = GroupTable.field(columns["payer_name"], of: bill)
            let weight = Self.weight(GroupTable.field(columns["payer_weight"], of: bill))
            guard !GroupTable.isBlank(name), places[name] == nil else { continue }
            places[name] = members.count
            members.append(Member(name: name, weight: weight))
        }
        let owers = CospendOwers(members.map(\.name))
        for bill in bills {
            let field = GroupTable.field(columns["owers"], of: bill)
            for (name, person) in owers.find(in: field) where person == nil {
                guard places[name] == nil, members.count <= GroupExportLimits.peopleMax else {
                    continue
                }
                places[name] = members.count
                members.append(Member(name: name, weight: nil))
            }
        }
    }
}

/// Who bears a bill: names with commas between, of which any may have commas of its own.
struct CospendOwers {
    private let people: [String: Int]
    private let partsMax: Int
    /// Of a name that is known again: looking for longer ones would take too long.
    private static let commasMax = 7

    init(_ names: [String]) {
        var people: [String: Int] = [:]
        for (person, name) in names.enumerated() {
            let key = Self.names(in: name).joined(separator: ",")
            if people[key] == nil { people[key] = person }
        }
        self.people = people
        let commas = names.map { name in name.utf8.count { $0 == 0x2C } }.max() ?? 0
        partsMax = min(commas, Self.commasMax) + 1
    }

    /// The texts between commas.
    static func names(in field: String) -> [String] {
        field.split(separator: ",").compactMap { FileText.line(String($0), scalarsMax: 200) }
    }

    /// One person.
    func person(_ name: String) -> Int? {
        people[Self.names(in: name).joined(separator: ",")]
    }

    /// The people of a field.
    func people(in field: String) throws(GroupRowFault) -> [Int] {
        var people: [Int] = []
        for (name, person) in find(in: field) {
            guard let person else {
                throw GroupRowFault(
                    "\(FileText.quoted(name)), who bears it, is none of the people"
                )
            }
            guard !people.contains(person) else {
                throw GroupRowFault("\(FileText.quoted(name)) bears it twice")
            }
            people.append(person)
        }
        guard !people.isEmpty else { throw GroupRowFault("nobody bears it") }
        return people
    }

    /// The names in a field; the longest that is known counts, else what stands before the next
    /// comma.
    func find(in field: String) -> [(name: String, person: Int?)] {
        let parts = Self.names(in: field)
        var found: [(name: String, person: Int?)] = []
        var start = 0
        while start < parts.count {
            let ends = stride(from: min(parts.count, start + partsMax), to: start, by: -1)
            let known = ends.lazy.compactMap { end in
                people[parts[start..<end].joined(separator: ",")].map { (end: end, person: $0) }
            }.first
            let end = known?.end ?? start + 1
            found.append((parts[start..<end].joined(separator: ","), known?.person))
            start = end
        }
        return found
    }
}
