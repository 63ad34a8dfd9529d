/// Since when which places are missing, by one replica's clock.
///
/// What overtakes is there in a moment; what stays missing is asked for. Pure.
struct GapWatch {
    private struct Seen {
        var places: PlaceSet
        var since: UInt64
    }
    private var seen: [Seen] = []

    /// How many times of a first sight are told apart; beyond, the youngest are taken together.
    static let sightsMax = 64

    /// Looks at what is missing now, and answers what has been missing for long.
    mutating func look(
        at missing: PlaceSet,
        now: UInt64,
        olderThan nanoseconds: UInt64
    ) -> PlaceSet {
        var new = missing
        var kept: [Seen] = []
        for old in seen {
            new = new.subtracting(old.places)
            let still = old.places.subtracting(old.places.subtracting(missing))
            if !still.isEmpty { kept.append(Seen(places: still, since: old.since)) }
        }
        if !new.isEmpty {
            if kept.count >= Self.sightsMax {
                kept[kept.count - 1].places = kept[kept.count - 1].places.union(new)
            } else {
                kept.append(Seen(places: new, since: now))
            }
        }
        seen = kept
        // Wraps: the clock never goes back.
        return kept.filter { now &- $0.since >= nanoseconds }
            .reduce(PlaceSet()) { $0.union($1.places) }
    }
}
