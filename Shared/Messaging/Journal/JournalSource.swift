public import Postgres
public import WalletProtocol

/// How a service's journal is read: by places that were drawn while the accounts were locked.
///
/// What a place holds never changes, so it is read again as often as it is asked for.
public struct JournalSource: Sendable {
    /// The places from `$1` to `$2` that hold an entry, ascending, `$3` of them at most.
    public var places: Statement<Int64>
    /// The same in the holes from `$1[n]` to `$2[n]`, `$3` of them at most, and the xmin of the
    /// snapshot in each row, one row at least: `OutboxStatements.holes` is the model.
    public var holes: Statement<(xmin: Int64, place: Int64?)>
    /// The postings of the places `$1`, in the order of places, what is taken back first.
    public var postings: Statement<TransactionPosted>
    /// The lowest and the highest place that hold an entry; 0 and 0: none does.
    public var span: Statement<(low: Int64, high: Int64)>
    /// Whether the first entry at or above the place `$1` is older than `$2` seconds.
    public var isOlder: Statement<Bool>
    /// How many entries lie above the place `$1`, 100,000 at most, and how many milliseconds old
    /// the first of them is.
    public var waiting: Statement<(entries: Int64, milliseconds: Int64)>

    /// A journal read by these statements.
    public init(
        places: Statement<Int64>,
        holes: Statement<(xmin: Int64, place: Int64?)>,
        postings: Statement<TransactionPosted>,
        span: Statement<(low: Int64, high: Int64)>,
        isOlder: Statement<Bool>,
        waiting: Statement<(entries: Int64, milliseconds: Int64)>
    ) {
        self.places = places
        self.holes = holes
        self.postings = postings
        self.span = span
        self.isOlder = isOlder
        self.waiting = waiting
    }

    /// How many entries are read at once.
    public static let pageMax = 512

    /// What a producer answers to a consumer that misses places: as many as go into a page.
    ///
    /// Served by the service's internal endpoint. Of places above the relay's saved mark only those
    /// are covered that hold something: others may still be written to.
    public func page(
        from first: Int64,
        through last: Int64,
        in database: some Querying
    ) async throws(DatabaseError) -> Postings {
        // The mark is read first: what it covers was visible before it was saved.
        let mark = try await database.queryOne(OutboxStatements.journalMark) ?? 0
        let found = try await database.query(places, first, last, Self.pageMax)
        let rows = try await found.isEmpty ? [] : database.query(postings, found)
        let end = found.count < Self.pageMax ? last : found.last ?? last
        var covers = found.map { $0...$0 }
        if first <= min(end, mark) { covers.append(first...min(end, mark)) }
        return Postings(covers: PlaceSet(covers).runs, rows: rows)
    }
}

/// Places that a consumer misses.
public struct JournalRequest: Sendable, Equatable {
    /// Whose journal.
    public var producer: ServiceName
    /// The first place that is missing.
    public var first: Int64
    /// The last one.
    public var last: Int64

    /// A request.
    public init(producer: ServiceName, first: Int64, last: Int64) {
        self.producer = producer
        self.first = first
        self.last = last
    }
}
