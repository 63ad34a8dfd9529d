/// The prepared statements of one connection, by the statement's identity.
///
/// A name is kept after the server has prepared it, never before: PREPARE in a segment that fails
/// leaves nothing behind. While one is under way the same statement runs unprepared.
///
/// Cannot wrap: they count one by one, in 64 bits.
struct PreparedStatements {
    /// A statement that is being prepared.
    struct Candidate {
        let key: SQLText.Key
        let name: String
        let types: [UInt32]
    }
    enum Lookup {
        case prepared(name: String)
        case prepare(Candidate)
        /// Once, without a name.
        case unprepared
    }
    private struct Entry {
        let name: String
        let types: [UInt32]
        var lastUse: UInt64
    }
    private var entries: [SQLText.Key: Entry] = [:]
    private var underWay: Set<SQLText.Key> = []
    private var names: UInt64 = 0
    private var uses: UInt64 = 0
    let countMax: Int

    init(countMax: Int) { self.countMax = max(1, countMax) }

    var count: Int { entries.count }

    mutating func lookup(_ key: SQLText.Key, types: [UInt32]) -> Lookup {
        uses &+= 1
        if let index = entries.index(forKey: key) {
            // Parameters of other types than it was prepared for would be misread.
            guard entries.values[index].types == types else { return .unprepared }
            entries.values[index].lastUse = uses
            return .prepared(name: entries.values[index].name)
        }
        guard underWay.insert(key).inserted else { return .unprepared }
        names &+= 1
        return .prepare(Candidate(key: key, name: "s\(names)", types: types))
    }

    /// The server has prepared it; answers the name that had to go for it.
    mutating func succeeded(_ candidate: Candidate) -> String? {
        underWay.remove(candidate.key)
        var evicted: String?
        if entries.count >= countMax,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            evicted = oldest.value.name
            entries[oldest.key] = nil
        }
        entries[candidate.key] = Entry(
            name: candidate.name,
            types: candidate.types,
            lastUse: uses
        )
        return evicted
    }

    /// Whether the statement was never prepared here, so that its text is still to be looked at.
    func isNew(_ key: SQLText.Key) -> Bool { entries[key] == nil }

    mutating func failed(_ candidate: Candidate) { underWay.remove(candidate.key) }

    /// Forgets a name that the server no longer takes; false: it was forgotten before.
    mutating func forget(_ key: SQLText.Key, name: String) -> Bool {
        guard entries[key]?.name == name else { return false }
        entries[key] = nil
        return true
    }
}
