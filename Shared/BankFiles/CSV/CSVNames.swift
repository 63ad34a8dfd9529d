import BankFilesData
import CEmbedded

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
    /// Those of the most columns first.
    private(set) var exporters: [CSVExporter] = []

    /// What is compiled in.
    static let shipped = CSVNames(columns: file("columns.txt"), exporters: file("exporters.txt"))

    init(columns: String, exporters: String) {
        for line in columns.split(separator: "\n") where !line.hasPrefix("#") {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            add(String(halves[0]), CSVNames.list(halves[1]))
        }
        self.exporters = exporters.split(separator: "\n").compactMap { CSVExporter(line: $0) }
            .sorted { $0.signature.count > $1.signature.count }
    }

    private mutating func add(_ key: String, _ names: [String]) {
        if key.hasSuffix("~"), let role = CSVColumns.Role(rawValue: String(key.dropLast())) {
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

    // Safety: the files are constants of the executable, with their own count.
    private static func file(_ wanted: String) -> String {
        for index in 0..<bank_files_data_count {
            let file = unsafe bank_files_data[index]
            guard unsafe String(cString: file.name) == wanted else { continue }
            let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.length)
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
        return ""
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

    /// Whose file has these columns.
    func exporter(of names: [String]) -> CSVExporter? {
        let names = Set(names)
        return exporters.first { $0.signature.isSubset(of: names) }
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
