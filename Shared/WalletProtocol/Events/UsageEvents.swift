// What tells that the suite is used, and how; of whom by their id alone.

/// Somebody was there: told with the first log-in or refresh of a day in UTC.
public struct UserActive: EventBody, Hashable {
    /// `user.active`.
    public static let eventType = "user.active"
    public let userID: ID<User>
    public let day: Day

    public init(userID: ID<User>, day: Day) {
        self.userID = userID
        self.day = day
    }

    public static let json = Object(
        UserActive.init,
        Field("userId", \.userID, about: "Who."),
        Field("day", \.day, about: "The day, in UTC.")
    )
}

/// Somebody has asked for everything that is held on them.
public struct UserDataExported: EventBody, Hashable {
    /// `user.data.exported`.
    public static let eventType = "user.data.exported"
    public let exportID: ID<Export>
    public let userID: ID<User>

    public init(exportID: ID<Export>, userID: ID<User>) {
        self.exportID = exportID
        self.userID = userID
    }

    public static let json = Object(
        UserDataExported.init,
        Field("exportId", \.exportID, about: "The export."),
        Field("userId", \.userID, about: "Who.")
    )
}

/// A bank's statement has been taken in.
public struct StatementImported: EventBody, Hashable {
    /// `wallet.statement.imported.v1`.
    public static let eventType = "wallet.statement.imported.v1"
    public let importID: ID<StatementImport>
    public let userID: ID<User>
    public let format: StatementFormat

    public init(importID: ID<StatementImport>, userID: ID<User>, format: StatementFormat) {
        self.importID = importID
        self.userID = userID
        self.format = format
    }

    public static let json = Object(
        StatementImported.init,
        Field("importId", \.importID, about: "The import."),
        Field("userId", \.userID, about: "Who took it in."),
        Field("format", \.format, about: "The file's format.")
    )
}

/// A statement of an account is made as a file, and nothing of it is kept.
public struct StatementExported: EventBody, Hashable {
    /// `wallet.statement.exported.v1`.
    public static let eventType = "wallet.statement.exported.v1"
    public let exportID: ID<StatementExported>
    public let userID: ID<User>
    public let format: StatementFileType

    public init(exportID: ID<StatementExported>, userID: ID<User>, format: StatementFileType) {
        self.exportID = exportID
        self.userID = userID
        self.format = format
    }

    public static let json = Object(
        StatementExported.init,
        Field("exportId", \.exportID, about: "The export, of which this alone tells."),
        Field("userId", \.userID, about: "Who has it."),
        Field("format", \.format, about: "The file's format.")
    )
}
