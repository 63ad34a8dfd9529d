/// Which places of a producer's journal a consumer has applied: the mirror of `RelayWindow`.
///
/// Messages overtake each other, come twice, and are cut otherwise when they come again; each says
/// which places it settles, and what is kept is their union: all up to `mark`, and some above it.
/// Pure.
struct AppliedWindow: Equatable, Sendable {
    /// Everything up to this place is applied.
    private(set) var mark: Int64
    /// What is applied above it.
    private(set) var above: PlaceSet

    /// How many runs are kept at most.
    ///
    /// The highest are forgotten first: they are applied again once the mark comes there, which is
    /// harmless, for effects bear a repeat.
    static let runsMax = 4_096

    init(mark: Int64 = 0, above: PlaceSet = PlaceSet()) {
        self.mark = mark
        self.above = above
        settle()
    }

    /// These places are applied, too.
    mutating func add(_ places: PlaceSet) {
        above = above.union(places)
        settle()
    }

    private mutating func settle() {
        above = above.within((mark + 1)...Int64.max)
        // Cannot wrap: places end below the largest number.
        if let first = above.runs.first, first.lowerBound == mark + 1 {
            mark = first.upperBound
            above = above.within((mark + 1)...Int64.max)
        }
        if above.runs.count > Self.runsMax {
            above = PlaceSet(above.runs.prefix(Self.runsMax))
        }
    }

    func contains(_ place: Int64) -> Bool { place <= mark || above.contains(place) }

    /// What is missing below the highest place that is applied.
    var gaps: PlaceSet {
        guard let highest = above.highest else { return PlaceSet() }
        return PlaceSet(CollectionOfOne((mark + 1)...highest)).subtracting(above)
    }
}
