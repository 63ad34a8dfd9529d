/// How far an export is.
public enum ExportState: String, StringEnum {
    /// The parts are being gathered.
    case gathering
    /// The file can be fetched.
    case ready
    /// It could not be made, several times; another may be asked for.
    case failed
}

/// Everything that is held on somebody, in one file.
public struct ExportView: JSONObject, Hashable {
    public let id: ID<Export>
    public let state: ExportState
    public let requestedAt: Instant
    public let readyAt: Instant?
    public let expiresAt: Instant?
    public let size: Int?

    public init(
        id: ID<Export>,
        state: ExportState,
        requestedAt: Instant,
        readyAt: Instant? = nil,
        expiresAt: Instant? = nil,
        size: Int? = nil
    ) {
        self.id = id
        self.state = state
        self.requestedAt = requestedAt
        self.readyAt = readyAt
        self.expiresAt = expiresAt
        self.size = size
    }

    public static let json = Object(
        ExportView.init,
        Field("id", \.id, about: "The identifier."),
        Field("state", \.state, about: "How far it is."),
        Field("requestedAt", \.requestedAt, about: "When it was asked for."),
        Field("readyAt", \.readyAt, about: "When it was ready."),
        Field("expiresAt", \.expiresAt, about: "When the file is deleted."),
        Field("size", \.size, about: "The file's length in bytes.")
    )
}

/// One's own data, to take along.
public enum Exports {
    /// Begins one, or gives the one under way.
    public static let request = Endpoint<NoQuery, NoBody, ExportView>(
        "requestExport",
        .post,
        "/v1/users/me/exports",
        of: .auth,
        for: .user,
        statuses: [202],
        errors: [.stepUpRequired, .tooManyRequests],
        summary: "Have everything held on oneself put into a file",
        description: """
            Takes a log-in not older than ten minutes. One is made at a time, and at most five a \
            day. The file is a ZIP of JSON, a list a file; it is kept for seven days.
            """
    )

    /// How far one is.
    public static let get = Endpoint<NoQuery, NoBody, ExportView>(
        "getExport",
        .get,
        "/v1/users/me/exports/{id}",
        of: .auth,
        for: .user,
        errors: [.notFound],
        summary: "How far an export is"
    )

    /// The file.
    public static let file = Endpoint<NoQuery, NoBody, NoView>(
        "getExportFile",
        .get,
        "/v1/users/me/exports/{id}/file",
        of: .auth,
        for: .user,
        response: .file(["application/zip"]),
        statuses: [200],
        errors: [.notFound, .stepUpRequired],
        summary: "The file of an export",
        description: "Takes a log-in not older than ten minutes."
    )

    /// All of them.
    public static let all: [EndpointDescription] = [request.erased, get.erased, file.erased]
}

/// Which page of a person's data is wanted.
public struct ExportQuery: QueryObject, Hashable {
    public let part: String?
    public let after: String?

    public init(part: String? = nil, after: String? = nil) {
        self.part = part
        self.after = after
    }

    public static let query = QueryFields(
        ExportQuery.init,
        QueryField("part", \.part, .line(1...40), about: "The part; the first where left out."),
        QueryField("after", \.after, .line(1...200), about: "Behind which row of it.")
    )
}

/// A page of one part of a person's data.
public struct ExportPage: JSONObject, Hashable {
    public let part: String
    public let items: [RawJSON]
    public let after: String?
    public let nextPart: String?

    public init(part: String, items: [RawJSON], after: String?, nextPart: String?) {
        self.part = part
        self.items = items
        self.after = after
        self.nextPart = nextPart
    }

    public static let json = Object(
        ExportPage.init,
        Field("part", \.part, about: "The part: a file of this name."),
        Field("items", \.items, about: "The items."),
        Field(
            "after",
            \.after,
            about: "Behind which row the part goes on; absent on its last page."
        ),
        Field("nextPart", \.nextPart, about: "The part that comes next; absent on the last.")
    )
}

/// What auth gathers from the other services for one's own data.
public enum InternalExports {
    /// The ledger's parts.
    public static let ledger = export(from: .ledger)
    /// The parts of groups.
    public static let groups = export(from: .groups)
    /// The parts of analytics.
    public static let analytics = export(from: .analytics)
    /// The parts of notifications.
    public static let notifications = export(from: .notifications)

    private static func export(
        from service: ServiceName
    ) -> Endpoint<ExportQuery, NoBody, ExportPage> {
        let name = service.rawValue
        return Endpoint(
            "exportFrom\(name.prefix(1).uppercased())\(name.dropFirst())",
            .get,
            PathTemplate(stringLiteral: "/internal/\(name)/exports/{id}"),
            of: service,
            for: .internalService,
            errors: [.notFound],
            summary: "A page of what is held on a person"
        )
    }

    /// All of them, for the gateway's table.
    public static let all: [EndpointDescription] = [
        ledger.erased, groups.erased, analytics.erased, notifications.erased,
    ]
}
