import BankFiles
import Text
import WalletProtocol

/// What stands on an account.
struct StandingTransaction: Sendable, Hashable {
    let id: ID<MoneyTransaction>
    let day: Day
    let amount: Int64
    let name: String?
    let description: String?
    /// What brought it; nil for what was entered by hand.
    let importID: ID<StatementImport>?
    /// Whether amount and day suffice: it was entered by hand, or is missing in a file that covers
    /// its day.
    var mayHaveAnotherName = false
}

/// Which rows of a file look like what stands on its account.
///
/// The amount is the same, the days are near, and the names are alike. A row without such a match
/// is shown with transactions of another name that may be the same. One transaction is shown with
/// one row: each row takes the nearest day's likest; what is left goes to rows that have one.
/// Linear in the rows, whatever they are: of one day and amount only so many are compared, and of a
/// whole file only so many pairs. The rows behind are shown with none.
struct LookAlikes {
    /// The days that may lie between the two: a bank books later than one notes.
    static let daysMax = 5
    /// What a row is called of which the file tells no name.
    private static let unnamed = "Unnamed"
    /// Of one amount and day, how many are compared with a row.
    static let comparedMax = 64
    /// Pairs of names of a file: some seconds; long ones count several times.
    static let pairsMax = 2_000_000
    /// Bytes of two texts that are compared as quickly as two names.
    private static let pairBytes = 128

    private struct Key: Hashable {
        let amount: Int64
        let day: Int32
    }

    /// The words of a row, or of what stands, once they were asked for.
    private struct Texts {
        var name: NameWords?
        /// With the description behind it.
        var all: NameWords?
    }

    /// A transaction that a row has taken.
    private struct Match {
        let transaction: ID<MoneyTransaction>
        let likeness: Int
        let distance: Int32
    }

    private let rows: [StatementRow]
    private let standing: [StandingTransaction]
    /// Those that no row has taken.
    private var free: [Key: [Int]] = [:]
    private var found: [[Match]]
    private var rowTexts: [Texts]
    private var standingTexts: [Texts]
    private var pairsLeft: Int
    /// False once amount and day suffice.
    private var isNameAsked = true

    /// - Parameter isAsked: for each row, whether it is looked for.
    static func find(
        _ rows: [StatementRow],
        _ isAsked: [Bool],
        among standing: [StandingTransaction],
        pairsMax: Int = pairsMax
    ) -> [[ID<MoneyTransaction>]?] {
        var matching = LookAlikes(rows, standing, pairsMax)
        let amounts = Set(standing.map(\.amount))
        let asked = rows.indices.filter { isAsked[$0] && amounts.contains(rows[$0].amount) }
        matching.share(among: asked)
        matching.isNameAsked = false
        matching.free = matching.free.mapValues { $0.filter { standing[$0].mayHaveAnotherName } }
        matching.share(among: asked.filter { matching.found[$0].isEmpty })
        return matching.found.map(likestFirst)
    }

    /// Each row takes one of the nearest day; then those that have one take more.
    private mutating func share(among all: [Int]) {
        var asked = all
        for distance in 0...Int32(Self.daysMax) { asked = asked.filter { !take($0, distance) } }
        for _ in 1..<ImportRow.matchesMax {
            for row in all where !found[row].isEmpty {
                for distance in 0...Int32(Self.daysMax) where take(row, distance) { break }
            }
        }
    }

    private static func likestFirst(_ matches: [Match]) -> [ID<MoneyTransaction>]? {
        guard matches.count > 1 else { return matches.first.map { [$0.transaction] } }
        return matches.sorted {
            ($0.likeness, $1.distance) > ($1.likeness, $0.distance)
        }.map(\.transaction)
    }

    private init(_ rows: [StatementRow], _ standing: [StandingTransaction], _ pairsMax: Int) {
        self.rows = rows
        pairsLeft = pairsMax
        self.standing = standing
        found = Array(repeating: [], count: rows.count)
        rowTexts = Array(repeating: Texts(), count: rows.count)
        standingTexts = Array(repeating: Texts(), count: standing.count)
        // The last stand first: the first is taken from the end.
        for index in standing.indices.reversed() {
            let key = Key(amount: standing[index].amount, day: standing[index].day.daysSince1970)
            free[key, default: []].append(index)
        }
    }

    /// Gives a row the likest of those that lie so many days before or behind it.
    private mutating func take(_ row: Int, _ distance: Int32) -> Bool {
        let day = rows[row].day.daysSince1970
        var best: (key: Key, place: Int, likeness: Int)?
        // Cannot wrap: days of the calendar, and five at most.
        for other in distance == 0 ? [day] : [day &- distance, day &+ distance] {
            let key = Key(amount: rows[row].amount, day: other)
            guard let candidates = free[key], let last = candidates.indices.last else { continue }
            guard isNameAsked else {
                best = (key, last, Self.otherName)
                break
            }
            for (place, index) in candidates.enumerated().suffix(Self.comparedMax).reversed() {
                guard pairsLeft > 0 else { break }
                pairsLeft -= 1
                guard let likeness = likeness(row, index), likeness > best?.likeness ?? -1 else {
                    continue
                }
                best = (key, place, likeness)
                if likeness == Self.likenessMax { break }
            }
        }
        guard let best, let index = free[best.key]?.remove(at: best.place) else { return false }
        found[row].append(
            Match(
                transaction: standing[index].id,
                likeness: best.likeness,
                distance: distance
            )
        )
        return true
    }

    /// Of names that are not alike.
    private static let otherName = -1
    /// Of names that are the same.
    private static let likenessMax = 3

    /// How alike a row's names are to those of what stands; nil where they are not.
    private mutating func likeness(_ row: Int, _ index: Int) -> Int? {
        let (name, otherName) = (name(ofRow: row), name(ofStanding: index))
        spend(name, otherName)
        if let likeness = name.likeness(to: otherName) { return likeness + 1 }
        // A bank may tell the payee in its text, and so may who noted it.
        let (all, otherAll) = (all(ofRow: row), all(ofStanding: index))
        spend(all, otherAll)
        return all.hold(otherName) || otherAll.hold(name) ? 0 : nil
    }

    private mutating func spend(_ one: NameWords, _ other: NameWords) {
        pairsLeft -= (one.joined.count + other.joined.count) / Self.pairBytes
    }

    private mutating func name(ofRow index: Int) -> NameWords {
        let name = rows[index].name
        return Self.words(&rowTexts[index].name, name == Self.unnamed ? "" : name)
    }

    private mutating func name(ofStanding index: Int) -> NameWords {
        Self.words(&standingTexts[index].name, standing[index].name ?? "")
    }

    private mutating func all(ofRow index: Int) -> NameWords {
        let row = rows[index]
        return Self.words(&rowTexts[index].all, "\(row.name) \(row.description ?? "")")
    }

    private mutating func all(ofStanding index: Int) -> NameWords {
        let other = standing[index]
        return Self.words(
            &standingTexts[index].all,
            "\(other.name ?? "") \(other.description ?? "")"
        )
    }

    private static func words(
        _ known: inout NameWords?,
        _ text: @autoclosure () -> String
    ) -> NameWords {
        if let known { return known }
        let made = NameWords(text())
        known = made
        return made
    }
}

/// The words of a name, without case, marks between them, numbers alone, and what many names have.
struct NameWords: Hashable, Sendable {
    private static let common: Set<String> = [
        "ag", "and", "bv", "co", "de", "der", "die", "e", "gmbh", "inc", "kg", "la", "llc", "ltd",
        "nv", "sa", "sas", "spa", "srl", "the", "und",
    ]
    let words: Set<String>
    /// The bytes of all of them in their order, without spaces.
    let joined: [UInt8]

    init(_ text: String) {
        let all = TextFolding.caseFolded(text).split { !$0.isLetter && !$0.isNumber }
            .filter { !$0.allSatisfy(\.isNumber) }.map(String.init)
        joined = all.flatMap(\.utf8)
        words = Set(all).subtracting(Self.common)
    }

    /// 2 where they are the same, 1 where they share enough, 0 where one tells nothing.
    func likeness(to other: NameWords) -> Int? {
        if words.isEmpty || other.words.isEmpty { return 0 }
        if joined == other.joined { return 2 }
        return hold(other) || other.hold(self) ? 1 : nil
    }

    /// Whether half of the other's words are here at least, or its letters in a row.
    func hold(_ other: NameWords) -> Bool {
        guard !other.words.isEmpty else { return false }
        if other.joined.count >= 4, joined.contains(bytes: other.joined) { return true }
        return words.intersection(other.words).count * 2 >= other.words.count
    }
}
