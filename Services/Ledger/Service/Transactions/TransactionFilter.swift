import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Which transactions of a person a list has; nothing in it comes from the request unread.
struct TransactionFilter: Sendable {
    let user: ID<User>
    var from: Day?
    var to: Day?
    var categories: [CategoryID] = []
    var accounts: [ID<Account>] = []
    /// All that are seen, where amounts are walked or bounded, or where wallets are shared.
    var ownAccounts: [ID<Account>] = []
    /// In whose books rows may be, where the person shares wallets, or in a folder: `accounts` has
    /// all then.
    var people: [ID<User>] = []
    /// Of a folder `people` are those who are in it, `accounts` what any of them sees.
    var folder: ID<Folder>?
    /// What brings its transactions into the folder.
    var folderCategories: [FolderCategory] = []
    /// In lower case.
    var tags: [String] = []
    var direction: Direction?
    /// Magnitudes in minor units.
    var least: Int64?
    var most: Int64?
    var near: TransactionVicinity?
    /// Whether they have a location.
    var isLocated = false
    /// Words to be found, and what is too new to have been taken up.
    var search: Search?

    struct Search: Sendable, Hashable {
        /// In the language of text search.
        let query: String
        let fresh: [ID<MoneyTransaction>]
    }

    /// What a list walks: an index in its order, or one that leaves few to be sorted.
    enum Source: Sendable, Hashable, CaseIterable {
        case everything, accounts, located, categories, tags, folder
        /// Unordered: found first, then sorted.
        case amounts, words, place, days
    }

    /// Those that an index over each account's amounts is walked for.
    var walkedAccounts: [ID<Account>] { accounts.isEmpty ? ownAccounts : accounts }

    /// Whether others may have recorded on what the person sees, or the person on what they see no
    /// more.
    var isShared: Bool { !people.isEmpty }

    /// Whether amounts are bounded.
    var hasAmounts: Bool { least != nil || most != nil || direction != nil }

    /// The sources that would serve, the ordered ones for an order by day first.
    var candidates: [Source] {
        var sources: [Source] = []
        if search != nil { sources.append(.words) }
        if near != nil { sources.append(.place) }
        // Fewer than a tag or a category has, as a rule; over the accounts where there are any.
        if isLocated { sources.append(.located) }
        if !tags.isEmpty { sources.append(.tags) }
        if !categories.isEmpty { sources.append(.categories) }
        if folder != nil { sources.append(.folder) }
        if !isLocated, !accounts.isEmpty { sources.append(.accounts) }
        if hasAmounts { sources.append(.amounts) }
        if from != nil || to != nil, !isShared { sources.append(.days) }
        return sources
    }
}

/// An order and where in it a page begins.
struct TransactionWalk: Sendable {
    let order: TransactionOrder
    let place: TransactionPlace?
    /// One more than are shown.
    let limit: Int

    var isByDay: Bool { order == .newestFirst || order == .oldestFirst }
}

/// Where a page of transactions ends.
struct TransactionPlace: JSONObject, Hashable {
    let order: TransactionOrder
    let day: Day
    let amount: Int64
    let id: ID<MoneyTransaction>
    /// The group that the row stands under, in a list by groups.
    let group: String?

    init(
        order: TransactionOrder,
        day: Day,
        amount: Int64,
        id: ID<MoneyTransaction>,
        group: String?
    ) {
        self.order = order
        self.day = day
        self.amount = amount
        self.id = id
        self.group = group
    }

    /// Where a page begins; nil at the beginning.
    /// - Throws: 400 where the cursor is one of a list in another order, or in groups or not.
    static func of(
        _ cursor: Cursor?,
        in order: TransactionOrder,
        isGrouped: Bool
    ) throws -> TransactionPlace? {
        guard let place = try cursor?.decode(TransactionPlace.self) else { return nil }
        guard place.order == order, (place.group != nil) == isGrouped else {
            throw APIError.query("cursor", .invalidCursor, "is a cursor of another list")
        }
        return place
    }

    init(_ row: TransactionRow, in order: TransactionOrder, group: String?) {
        self.init(order: order, day: row.day, amount: row.amount, id: row.id, group: group)
    }

    static let json = Object(
        TransactionPlace.init(order:day:amount:id:group:),
        Field("o", \.order),
        Field("d", \.day),
        Field("a", \.amount),
        Field("i", \.id),
        Field("g", \.group)
    )
}
