import Crypto
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// Entries of feeds that are written together: those of all events that come at once.
struct FeedLines {
    private struct Line {
        let kind: NotificationKind
        let user: ID<User>
        let id: ID<FeedNotification>
        var entry: FeedEntry
    }
    private var lines: [Line] = []

    /// Adds an entry to somebody's feed, once per event and reader.
    mutating func add(
        _ kind: NotificationKind,
        _ entry: FeedEntry,
        to user: ID<User>,
        _ event: EventEnvelope
    ) {
        let id = Self.id(of: event.id.bytes, at: event.time, for: user)
        lines.append(Line(kind: kind, user: user, id: id, entry: entry))
    }

    /// The same of a posting: once per entry of the journal and reader.
    mutating func add(_ kind: NotificationKind, _ entry: FeedEntry, of posted: TransactionPosted) {
        let user = posted.userID
        let id = Self.id(of: posted.source.entryID.bytes, at: posted.recordedAt, for: user)
        lines.append(Line(kind: kind, user: user, id: id, entry: entry))
    }

    /// Writes them all.
    ///
    /// Whose doing one is is left out where they are erased: the event may have come late.
    consuming func write(in transaction: Transaction) async throws {
        guard !lines.isEmpty else { return }
        let named = Set(lines.compactMap(\.entry.userID))
        if !named.isEmpty {
            let erased = try await ErasedUsers.those(of: named.sorted(), in: transaction)
            for (index, line) in lines.enumerated()
            where line.entry.userID.map(erased.contains) == true {
                lines[index].entry.userID = nil
            }
        }
        try await transaction.execute(
            FeedStatements.insert,
            lines.map(\.user),
            lines.map(\.id),
            lines.map(\.kind.rawValue),
            texts()
        )
    }

    /// What several are told in a row alike is written once.
    private func texts() -> [String] {
        var texts: [String] = []
        texts.reserveCapacity(lines.count)
        var last: (entry: FeedEntry, text: String)?
        for line in lines {
            if let last, last.entry == line.entry {
                texts.append(last.text)
                continue
            }
            let text = JSON.text(line.entry)
            last = (line.entry, text)
            texts.append(text)
        }
        return texts
    }

    /// A function of what happened and the recipient: in order of time, and the same however often
    /// it is made.
    static func id(
        of source: some Sequence<UInt8>,
        at time: Instant,
        for user: ID<User>
    ) -> ID<FeedNotification> {
        let digest = SHA256.digest(Array(source) + user.bytes)
        let random = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return ID<FeedNotification>.at(time, random: random)
    }
}
