/// What one look through a window finds: of the outbox its rows, of a journal its places.
struct RelayLook<Row> {
    /// Above the highest that was published, ascending.
    var head: [Row] = []
    /// In the holes below it, ascending.
    var found: [Row] = []
    /// What has ended by the snapshot of the holes; 0: nothing is known to have.
    var xmin: UInt64 = 0

    var count: Int { head.count + found.count }

    /// Nothing.
    init() {}

    /// Looks once.
    ///
    /// The head is read before the holes: of what the head's snapshot shows, whatever is earlier of
    /// the same aggregates and accounts is then in one of the two.
    init(
        through window: RelayWindow,
        limit: Int,
        head readHead: (_ highest: Int64) async throws -> [Row],
        holes readHoles: (_ lows: [Int64], _ highs: [Int64]) async throws -> ([Row], xmin: Int64)
    ) async throws {
        head = try await readHead(window.highest)
        guard !window.holes.isEmpty else { return }
        let (rows, seen) = try await readHoles(window.holes.map(\.low), window.holes.map(\.high))
        found = rows
        if rows.count < limit {
            xmin = UInt64(clamping: seen)
        } else {
            // There may be more in the holes, and it comes before the head.
            head = []
        }
    }
}

/// What goes in one message: events of the outbox, or entries of the journal.
enum RelayPack {
    case events(EventPack)
    case postings(PostingsPack)

    var message: OutgoingMessage {
        switch self {
        case .events(let pack): pack.message
        case .postings(let pack): pack.message
        }
    }

    /// How many events or postings it holds.
    var count: Int {
        switch self {
        case .events(let pack): pack.rows.count
        case .postings(let pack): pack.rows.count
        }
    }
}
