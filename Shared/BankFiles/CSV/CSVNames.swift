/// What columns of CSV files are called, as the embedded tables tell: `Data/columns.txt` and
/// `Data/exporters.txt`.
struct CSVNames: Sendable {
    /// How good a name is for a role: 0 is the best.
    private var ranks: [String: [CSVColumns.Role: Int]] = [:]
    private var next = 0
    /// First words that will do.
    private var firstWords: [CSVColumns.Role: Set<String>] = [:]
    /// Words of which none may be in such a name.
    private var otherWords: [CSVColumns.Role: Set<String>] = [:]
    /// Words for what was paid elsewhere.
    private var foreign: Set<String> = []
    /// Those of the most columns first.
    private(set) var exporters: [CSVExporter] = []

    /// What is compiled in.
    static let shipped = CSVNames(
        columns: EmbeddedTexts.file("columns.txt"),
        exporters: EmbeddedTexts.file("exporters.txt")
    )

    init(columns: String, exporters: String) {
        for line in columns.split(separator: "\n") where !line.hasPrefix("#") {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            add(String(halves[0]), CSVNames.list(halves[1]).map(CSVColumns.plain))
        }
        self.exporters = exporters.split(separator: "\n").compactMap { CSVExporter(line: $0) }
            .sorted { $0.signature.count > $1.signature.count }
    }

    private mutating func add(_ key: String, _ names: [String]) {
        if key == "foreign" {
            foreign.formUnion(names)
            otherWords[.amount, default: []].formUnion(names)
        } else if key.hasSuffix("~"), let role = CSVColumns.Role(rawValue: String(key.dropLast())) {
            firstWords[role, default: []].formUnion(names)
        } else if key.hasSuffix("!"), let role = CSVColumns.Role(rawValue: String(key.dropLast())) {
            otherWords[role, default: []].formUnion(names)
        } else if let role = CSVColumns.Role(rawValue: key) {
            for name in names where ranks[name]?[role] == nil {
                next += 1
                ranks[name, default: [:]][role] = next
            }
        }
    }

    /// What stands between semicolons.
    static func list(_ text: Substring) -> [String] {
        text.split(separator: ";").map { part in
            part.split(separator: " ").joined(separator: " ")
        }
    }

    /// The lower, the better the name fits; nil where it is none of the role's.
    func rank(of name: String, _ role: CSVColumns.Role) -> Int? { ranks[name]?[role] }

    /// Whether a name that is none of the role's tells it all the same, by its first word.
    func isLoosely(_ name: String, _ role: CSVColumns.Role) -> Bool {
        let words = name.split(separator: " ").map(String.init)
        guard let first = words.first, firstWords[role]?.contains(first) == true else {
            return false
        }
        return otherWords[role]?.isDisjoint(with: words) ?? true
    }

    /// Whether a word of a name is one of amounts, and none is one of fees and the like.
    func isAmount(_ name: String) -> Bool {
        let words = name.split(separator: " ").map(String.init)
        let others = otherWords[.amount, default: []].subtracting(foreign)
        return others.isDisjoint(with: words)
            && (ranks[name]?[.amount] != nil
                || !firstWords[.amount, default: []].isDisjoint(with: words))
    }

    /// Whether a name speaks of what was paid elsewhere, in a currency of its own.
    func isForeign(_ name: String) -> Bool {
        !foreign.isDisjoint(with: name.split(separator: " ").map(String.init))
    }

    /// Whose file has these columns.
    func exporter(of names: [String]) -> CSVExporter? {
        let names = Set(names)
        return exporters.first { exporter in
            exporter.isExact ? exporter.signature == names : exporter.signature.isSubset(of: names)
        }
    }
}

/// How a known exporter lays its files out: a line of `Data/exporters.txt`.
struct CSVExporter: Hashable, Sendable {
    let name: String
    /// The columns by which its files are known.
    let signature: Set<String>
    private(set) var roles: [CSVColumns.Role: String] = [:]
    /// Roles that none of its columns has.
    private(set) var absent: Set<CSVColumns.Role> = []
    /// Whether its files have no other column.
    private(set) var isExact = false
    /// Whether money out has no sign, and money in a minus.
    private(set) var isInverted = false
    private(set) var order: StatementDates.Order?
    private(set) var decimal: UInt8?

    init?(line: Substring) {
        guard !line.hasPrefix("#") else { return nil }
        let parts = line.split(separator: "|")
        guard parts.count == 3 else { return nil }
        name = CSVNames.list(parts[0]).joined()
        signature = Set(CSVNames.list(parts[1]))
        for word in parts[2].split(separator: " ") {
            let halves = word.split(separator: "=", omittingEmptySubsequences: false)
            let value = halves.count == 2 ? String(halves[1].map { $0 == "+" ? " " : $0 }) : ""
            switch String(halves[0]) {
            case "invert": isInverted = true
            case "exact": isExact = true
            case "order": order = value == "monthFirst" ? .monthFirst : .dayFirst
            case "decimal": decimal = value == "comma" ? 0x2C : 0x2E
            case let key:
                guard let role = CSVColumns.Role(rawValue: key) else { return nil }
                if value.isEmpty { absent.insert(role) } else { roles[role] = value }
            }
        }
    }

    /// Its columns among these.
    func columns(in names: [String]) -> [CSVColumns.Role: Int] {
        roles.compactMapValues { name in names.firstIndex(of: name) }
    }
}
