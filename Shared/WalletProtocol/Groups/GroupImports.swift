/// An app whose exports of a group are read.
public enum GroupImportFormat: String, StringEnum {
    /// Splitwise's CSV of a group, in any language.
    case splitwise
    /// Tricount's CSV, in English, French, German or Dutch.
    case tricount
    /// Spliit's CSV of a group.
    case spliit
    /// Sesterce's CSV of a group.
    case sesterce
    /// Cospend's CSV of a project.
    case cospend
    /// SplitPro's CSV of what two people share.
    case splitpro
    /// This service's own table of a group's expenses.
    case ezwallet
}

/// Where an import is.
public enum GroupImportState: String, StringEnum {
    /// Read, not yet taken in.
    case preview
    /// Taken in.
    case committed
}

/// Where an export goes.
public struct GroupImportQuery: QueryObject, Hashable {
    public let groupID: ID<Group>
    public let format: GroupImportFormat?
    public let currency: Currency?

    public static let query = QueryFields(
        GroupImportQuery.init,
        QueryField("groupId", \.groupID, about: "The group."),
        QueryField("format", \.format, about: "The format; detected where left out."),
        QueryField(
            "currency",
            \.currency,
            about: """
                The currency of a file that names none, or only a sign such as `$`. If it is left \
                out, the group's currency is used, and a note says so.
                """
        )
    )
}

/// Which of an import's balances.
public struct GroupImportBalanceQuery: QueryObject, Hashable {
    public let cursor: Cursor?

    public init(cursor: Cursor? = nil) { self.cursor = cursor }

    public static let query = QueryFields(
        GroupImportBalanceQuery.init,
        QueryField(
            "cursor",
            \.cursor,
            about: "`nextCursor` of the answer before; the first balances where left out."
        )
    )
}

/// Somebody whom the file names, and who that is in the group.
public struct GroupImportPerson: JSONObject, Hashable {
    /// Of a name, and of a guest's.
    public static let nameMax = 80

    public let name: String
    public let memberID: ID<Member>?
    public let isGuest: Bool

    public init(name: String, memberID: ID<Member>? = nil, isGuest: Bool = false) {
        self.name = name
        self.memberID = memberID
        self.isGuest = isGuest
    }

    public static let json = Object(
        GroupImportPerson.init,
        Field("name", \.name, .line(1...nameMax), about: "As the file has it."),
        Field(
            "memberId",
            \.memberID,
            about: """
                Who it is; proposed where one member alone has that name, and in a committed one \
                the guest's place, too.
                """
        ),
        Field(
            "guest",
            \.isGuest,
            default: false,
            about: "Whether a guest of that name is made at the commit."
        )
    )
}

/// Where somebody stands by the file, one amount a currency; above zero: is owed.
public struct GroupImportBalance: JSONObject, Hashable {
    public let name: String
    public let stated: [Money]
    public let balances: [Money]

    public init(name: String, stated: [Money], balances: [Money]) {
        self.name = name
        self.stated = stated
        self.balances = balances
    }

    public static let json = Object(
        GroupImportBalance.init,
        Field("name", \.name, about: "Who, as the file has it."),
        Field("stated", \.stated, about: "What the file says; nothing where it says none."),
        Field("balances", \.balances, about: "What its rows come to.")
    )
}

/// An export of another app taken in, or about to be.
public struct GroupImportView: JSONObject, Hashable {
    public let id: ID<GroupImport>
    public let groupID: ID<Group>
    public let state: GroupImportState
    public let format: GroupImportFormat
    public let people: [GroupImportPerson]
    public let rowCount: Int
    public let expenseCount: Int
    public let settlementCount: Int
    public let duplicateCount: Int
    public let errors: [ImportFault]
    public let errorCount: Int
    public let notes: [ImportFault]
    public let leavesOutErrors: Bool
    public let balances: PageItems<GroupImportBalance>
    public let nextCursor: Cursor?
    public let ties: Bool
    public let createdAt: Instant

    public init(
        id: ID<GroupImport>,
        groupID: ID<Group>,
        state: GroupImportState,
        format: GroupImportFormat,
        people: [GroupImportPerson],
        rowCount: Int,
        expenseCount: Int,
        settlementCount: Int,
        duplicateCount: Int,
        errors: [ImportFault],
        errorCount: Int,
        notes: [ImportFault],
        leavesOutErrors: Bool,
        balances: PageItems<GroupImportBalance>,
        nextCursor: Cursor?,
        ties: Bool,
        createdAt: Instant
    ) {
        self.id = id
        self.groupID = groupID
        self.state = state
        self.format = format
        self.people = people
        self.rowCount = rowCount
        self.expenseCount = expenseCount
        self.settlementCount = settlementCount
        self.duplicateCount = duplicateCount
        self.errors = errors
        self.errorCount = errorCount
        self.notes = notes
        self.leavesOutErrors = leavesOutErrors
        self.balances = balances
        self.nextCursor = nextCursor
        self.ties = ties
        self.createdAt = createdAt
    }

    public static let json = Object(
        GroupImportView.init,
        Field("id", \.id, about: "The identifier."),
        Field("groupId", \.groupID, about: "The group."),
        Field("state", \.state, about: "Where it is."),
        Field("format", \.format, about: "The format."),
        Field("people", \.people, about: "Whom the file names, in its order."),
        Field("rowCount", \.rowCount, about: "How many rows can be read."),
        Field("expenseCount", \.expenseCount, about: "How many of them are expenses."),
        Field(
            "settlementCount",
            \.settlementCount,
            about: "How many of them are payments, or refunds: these become settlements."
        ),
        Field(
            "duplicates",
            \.duplicateCount,
            about: "How many of them the group has already, by an earlier import."
        ),
        Field("errors", \.errors, about: "The rows that cannot be read, 200 at most."),
        Field("errorCount", \.errorCount, about: "How many of them there are in all."),
        Field(
            "notes",
            \.notes,
            about: """
                The first 200 remarks on the file: rows that move no money and are left out, and \
                anything that the file does not state. They do not prevent the commit.
                """
        ),
        Field(
            "leaveOutErrors",
            \.leavesOutErrors,
            about: "Whether it may be taken in without these."
        ),
        Field(
            "balances",
            \.balances,
            about: "The balances of the people, in the order of `people`: 256 KiB at most."
        ),
        Field(
            "nextCursor",
            \.nextCursor,
            about: """
                More people have balances than are here: `getGroupImport` goes on with it as \
                `cursor`. Absent where all are here.
                """
        ),
        Field(
            "ties",
            \.ties,
            about: "Whether the rows come to what the file states; else it is not taken in."
        ),
        Field("createdAt", \.createdAt, about: "When it was sent.")
    )
}

/// What changes of a preview.
public struct GroupImportChange: JSONObject, Hashable {
    public let people: [GroupImportPerson]
    public let leavesOutErrors: Bool?

    public init(people: [GroupImportPerson] = [], leavesOutErrors: Bool? = nil) {
        self.people = people
        self.leavesOutErrors = leavesOutErrors
    }

    public static let json = Object(
        GroupImportChange.init,
        Field(
            "people",
            \.people,
            .count(0...GroupImports.peopleMax),
            default: [],
            about: "Who somebody is: a member, or a guest who is made at the commit."
        ),
        Field(
            "leaveOutErrors",
            \.leavesOutErrors,
            about: "Whether it may be taken in without the rows that cannot be read."
        )
    )
}
