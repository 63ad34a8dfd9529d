/// A set of places of a journal, as the runs that it consists of; pure.
struct PlaceSet: Equatable, Sendable {
    /// Ascending, and never next to each other.
    private(set) var runs: [ClosedRange<Int64>] = []

    /// None.
    init() {}

    /// These places, in any order, some of them twice.
    init(_ ranges: some Sequence<ClosedRange<Int64>>) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // Cannot wrap: places end below the largest number.
            guard let last = runs.last, last.upperBound + 1 >= range.lowerBound else {
                runs.append(range)
                continue
            }
            guard range.upperBound > last.upperBound else { continue }
            runs[runs.count - 1] = last.lowerBound...range.upperBound
        }
    }

    var isEmpty: Bool { runs.isEmpty }
    var highest: Int64? { runs.last?.upperBound }

    /// How many places it has.
    ///
    /// Cannot wrap: there are fewer places than numbers.
    var count: Int64 { runs.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }

    func contains(_ place: Int64) -> Bool {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < place { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].contains(place)
    }

    func union(_ other: PlaceSet) -> PlaceSet {
        if other.isEmpty { return self }
        return isEmpty ? other : PlaceSet(runs + other.runs)
    }

    /// Those of its places that are no place of the other.
    func subtracting(_ other: PlaceSet) -> PlaceSet {
        var left: [ClosedRange<Int64>] = []
        var others = other.runs[...]
        for run in runs {
            var low = run.lowerBound
            while let next = others.first, next.upperBound < low { others = others.dropFirst() }
            var rest = others
            while let next = rest.first, next.lowerBound <= run.upperBound {
                if next.lowerBound > low { left.append(low...(next.lowerBound - 1)) }
                low = next.upperBound + 1
                rest = rest.dropFirst()
            }
            if low <= run.upperBound { left.append(low...run.upperBound) }
        }
        var made = PlaceSet()
        made.runs = left
        return made
    }

    /// Those of its places that lie in a range.
    func within(_ range: ClosedRange<Int64>) -> PlaceSet {
        var made = PlaceSet()
        made.runs = runs.filter { $0.overlaps(range) }.map { $0.clamped(to: range) }
        return made
    }

    /// Those of its places up to one, and those behind it.
    func parted(after place: Int64) -> (PlaceSet, PlaceSet) {
        (within(Int64.min...place), within((place + 1)...Int64.max))
    }
}
