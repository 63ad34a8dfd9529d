internal import Loops
public import Postgres
public import WalletProtocol

/// Finds out what ends the process that does it: a piece of work is noted as begun, in a statement
/// of its own, before anything of it is touched, and the note goes with its end, whatever that is.
///
/// An error, a refusal, a drain (SIGTERM), a database that was away: the process lives and says so,
/// and nothing is counted; nor is what two replicas take up at once. What was begun and not ended
/// three times in a row, each at about the same place, is not done again: the caller sets it aside
/// with a reason that its owner can see. Work of many parts tells how far it is, so that a long
/// import through several kills, which find it at another place each time, is not taken for what
/// kills. Table: `work_begun` in the service's schema, as README.md has it; whoever looks for work
/// passes over what is to be begun `again_at` a later time, or has leases of a random length: of
/// two that were under way when the process ended the innocent is not at hand every time.
public final class BegunWork {
    /// How often in a row something may end its process.
    static let timesMax = 3

    private let database: Database
    private let logger: Logger?
    private let metrics: Metrics?
    /// Of whose end the database does not know yet, and how it is told.
    private var unended: [Piece: Statement<Void>] = [:]

    fileprivate struct Piece: Hashable {
        let kind: String
        let id: String
        /// Whoever else takes the same up meanwhile leaves our note alone.
        let attempt = ID<Attempt>.new()
    }

    /// The work of a service.
    public convenience init(_ service: ServiceLoop) {
        self.init(database: service.database, logger: service.logger, metrics: service.metrics)
    }

    /// Of a database with the table.
    public init(database: Database, logger: Logger? = nil, metrics: Metrics? = nil) {
        self.database = database
        self.logger = logger
        self.metrics = metrics
    }

    /// What is under way.
    public final class Attempt {
        private let work: BegunWork
        private let piece: Piece
        private var place = 0
        /// It was begun three times and never ended: nothing of it is to be touched.
        public let isHopeless: Bool

        fileprivate init(_ piece: Piece, of work: BegunWork, isHopeless: Bool) {
            self.work = work
            self.piece = piece
            self.isHopeless = isHopeless
        }

        /// Notes that another part of it begins; never waited for, so it is known to within a part.
        public func advance() {
            place += 1
            work.reach(place, of: piece)
        }
    }

    /// Does a piece of work, noted as begun until it has ended in whatever way.
    ///
    /// Where it is hopeless `body` sets it aside, and no more; then that is counted and told.
    public func attempt<Tag>(
        _ kind: String,
        _ id: ID<Tag>,
        _ body: (Attempt) async throws -> Void
    ) async throws {
        let piece = Piece(kind: kind, id: id.text)
        for (piece, statement) in unended { try await write(statement, of: piece) }
        let times = try await database.queryOne(
            BegunWorkStatements.begin,
            kind,
            id.text,
            piece.attempt
        )
        let attempt = Attempt(piece, of: self, isHopeless: times ?? 0 >= Self.timesMax)
        do {
            try await body(attempt)
        } catch {
            // What could not be set aside is as hopeless as it was.
            let end = attempt.isHopeless ? BegunWorkStatements.release : BegunWorkStatements.end
            await finish(piece, by: end)
            throw error
        }
        await finish(piece, by: BegunWorkStatements.end)
        if attempt.isHopeless { try await tell(of: piece) }
    }

    private func tell(of piece: Piece) async throws {
        metrics?.counter(
            "ezwallet_work_set_aside_total",
            "Work that was begun several times and never ended.",
            labels: "kind=\"\(piece.kind)\""
        ).add()
        logger?.error("work set aside", [("kind", piece.kind), ("id", piece.id)])
        try await database.execute(
            BegunWorkStatements.bury,
            piece.kind,
            piece.id,
            "begun \(Self.timesMax) times and never ended"
        )
    }

    /// In a task of its own, for ours may be cancelled: a drain is an end, too.
    private func finish(_ piece: Piece, by statement: Statement<Void>) async {
        unended[piece] = statement
        let bound = LoopBound(self, to: database.loop.actor)
        await database.loop.actor.spawn { actor in
            // Where the database is away it is told with the next that is begun here.
            try? await bound.on(actor).write(statement, of: piece)
        }.value
    }

    private func write(_ statement: Statement<Void>, of piece: Piece) async throws {
        try await database.execute(statement, piece.kind, piece.id, piece.attempt)
        unended[piece] = nil
    }

    /// Whoever holds a lease waits for no shared connection.
    fileprivate func reach(_ place: Int, of piece: Piece) {
        let bound = LoopBound(self, to: database.loop.actor)
        database.loop.actor.spawn { actor in
            _ = try? await bound.on(actor).database.execute(
                BegunWorkStatements.reach,
                piece.kind,
                piece.id,
                piece.attempt,
                Int32(clamping: place)
            )
        }
    }
}
