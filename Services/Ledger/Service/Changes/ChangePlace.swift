import WalletProtocol

/// What is told one after another; a client may go by the order.
enum ChangeStage: String, StringEnum {
    case access
    case folderAccess
    case folders
    case categories
    case recurrences
    case standingOrders
    case importRules
    case allocations
    case accounts
    case transactions
    /// Those that stood, and were taken back or lost their words.
    case touched
    /// Transactions again: those of which only the attachments have changed.
    case attachments

    /// The first of all.
    static let first = ChangeStage.access

    /// The one behind; nil at the end.
    var next: ChangeStage? {
        let all = Self.allCases
        return all.firstIndex(of: self).flatMap { $0 + 1 < all.count ? all[$0 + 1] : nil }
    }
}

/// A place in a stage: behind a row, by what the stage's index is in order of.
struct StagePlace: JSONObject, Hashable {
    /// The account or owner whose rows they are, where there are several.
    let scope: ID<Change>
    /// The transaction that wrote it.
    let xid: Int64
    let id: ID<Change>
    /// Of lines, which are told from the newest down: the number in its account's history.
    let seq: Int64?

    init(scope: ID<Change>, xid: Int64, id: ID<Change>, seq: Int64? = nil) {
        (self.scope, self.xid, self.id, self.seq) = (scope, xid, id, seq)
    }

    /// Before everything.
    static func start(_ floor: Int64) -> StagePlace {
        StagePlace(scope: .zero, xid: floor, id: .zero)
    }

    static let json = Object(
        StagePlace.init,
        Field("s", \.scope),
        Field("x", \.xid),
        Field("i", \.id),
        Field("q", \.seq)
    )
}

extension ID {
    /// Below every identifier.
    static var zero: ID { ID(high: 0, low: 0) }
}

/// A round that is not at its end.
struct ChangeRound: JSONObject, Hashable {
    /// Where the next round begins: below it everything had ended when this one began.
    let next: Int64
    /// What is at or above it had not begun then; it is left to the next round, so that a round
    /// ends however much is written meanwhile.
    let end: Int64
    let stage: ChangeStage
    let position: StagePlace

    static let json = Object(
        ChangeRound.init,
        Field("n", \.next),
        Field("e", \.end),
        Field("s", \.stage),
        Field("p", \.position)
    )
}

/// What a client's cursor says.
struct ChangePlace: JSONObject, Hashable {
    /// Whose it is.
    let user: ID<User>
    /// Which books it is of.
    let epoch: String
    /// What is at or above it is told; 0 of a first load.
    let floor: Int64
    /// Nil between two rounds.
    let round: ChangeRound?

    static let json = Object(
        ChangePlace.init,
        Field("u", \.user),
        Field("e", \.epoch),
        Field("f", \.floor),
        Field("r", \.round)
    )

    /// What somebody's cursor says; nil where there is none, for a first load.
    /// - Throws: `invalid-cursor` for another person's, and for what cannot be.
    static func read(_ cursor: Cursor?, of user: ID<User>) throws -> ChangePlace? {
        guard let place = try cursor?.decode(ChangePlace.self, from: "since") else { return nil }
        guard place.user == user, place.isWellFormed else {
            throw APIError.query("since", .invalidCursor, "is no cursor of your changes")
        }
        return place
    }

    /// Whether what it says can be at all.
    var isWellFormed: Bool {
        guard floor >= 0 else { return false }
        guard let round else { return true }
        return round.next >= floor && round.end >= round.next
            && (round.position.seq.map { $0 >= 0 } ?? (round.position.xid >= floor))
    }

    /// The highest transaction id that whoever gave it out had seen.
    var highest: Int64 { max(floor, round?.end ?? 0, round?.position.xid ?? 0) }
}
