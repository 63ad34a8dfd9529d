/// Which rows of the outbox, or of a journal, the relay has published, and which may still appear
/// among them.
///
/// Ids are drawn in order but committed in any: a row may become visible below rows that were
/// published long ago. Such an id is a *hole*. Facts that this rests on:
/// - a transaction has its transaction id before it draws a row's id (it wrote the aggregate's
///   sequence first; of an entry of the journal, its key), so once a hole is noticed its writer's
///   transaction id is assigned;
/// - `bound`, a transaction id drawn after that, is therefore above the writer's;
/// - once a snapshot's xmin has reached the bound, every such writer has ended, and what that same
///   snapshot does not show is never going to appear (rolled back, or an id skipped).
///
/// `mark` is the id up to which all that can ever appear was published: what is saved. Pure.
struct RelayWindow: Equatable {
    /// Ids that were passed over, all drawn before `bound`; nil: the bound is not drawn yet.
    struct Hole: Equatable {
        var low: Int64
        var high: Int64
        var bound: UInt64?
    }

    /// The highest id that was published.
    private(set) var highest: Int64
    /// What may still appear below it, ascending and apart from each other.
    private(set) var holes: [Hole] = []

    /// Everything up to `mark` was published.
    init(mark: Int64) { highest = mark }

    /// The id up to which nothing can appear any more and everything was published.
    var mark: Int64 { holes.first.map { $0.low - 1 } ?? highest }

    /// Whether some hole waits for a bound.
    var wantsBound: Bool { holes.contains { $0.bound == nil } }

    /// Rows above `highest` were published: these ids, ascending.
    mutating func publishedHead(_ ids: [Int64]) {
        for id in ids where id > highest {
            if id > highest + 1 {
                holes.append(Hole(low: highest + 1, high: id - 1, bound: nil))
            }
            highest = id
        }
    }

    /// A transaction id drawn after all holes without a bound were noticed.
    mutating func bind(_ transactionID: UInt64) {
        for index in holes.indices where holes[index].bound == nil {
            holes[index].bound = transactionID
        }
    }

    /// What one snapshot showed of the holes was published: these ids, ascending.
    ///
    /// Holes whose bound the snapshot's xmin has reached are closed: nothing is left in them.
    mutating func publishedInHoles(_ ids: [Int64], xmin: UInt64) {
        var left: [Hole] = []
        var next = ids[...]
        for hole in holes {
            if let bound = hole.bound, xmin >= bound {
                while let id = next.first, id <= hole.high { next = next.dropFirst() }
                continue
            }
            var low = hole.low
            while let id = next.first, id <= hole.high {
                if id > low { left.append(Hole(low: low, high: id - 1, bound: hole.bound)) }
                low = max(low, id + 1)
                next = next.dropFirst()
            }
            if low <= hole.high {
                left.append(Hole(low: low, high: hole.high, bound: hole.bound))
            }
        }
        holes = left
    }

    /// What one look settles: the ids that it shows, and the holes that its snapshot's xmin closes.
    ///
    /// Asked before it is told that they were published.
    func settled(head: [Int64], inHoles ids: [Int64], xmin: UInt64) -> PlaceSet {
        let closed = holes.filter { hole in hole.bound.map { xmin >= $0 } ?? false }
        return PlaceSet(closed.map { $0.low...$0.high } + (ids + head).map { $0...$0 })
    }
}
