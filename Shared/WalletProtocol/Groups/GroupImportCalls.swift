/// Exports of other apps, taken into a group.
public enum GroupImports {
    /// The largest file in bytes.
    public static let fileMax = 5 * 1_024 * 1_024

    /// The most people whom a file names.
    public static let peopleMax = 100

    /// Previews of one person.
    public static let previewsMax = 10

    /// Reads a file; nothing is taken in yet.
    public static let upload = Endpoint<GroupImportQuery, NoBody, GroupImportView>(
        "uploadGroupImport",
        .post,
        "/v1/group-imports",
        of: .groups,
        for: .user,
        bodyLimit: fileMax,
        request: .raw(["application/octet-stream", "text/csv", "text/plain"]),
        statuses: [201],
        errors: [
            .notFound, .forbidden, .groupArchived, .defaultGroup, .unknownFormat, .unreadableFile,
            .tooManyImports,
        ],
        isTagged: true,
        summary: "Read another app's export of a group",
        description: """
            The body is the file: a CSV of at most 10,000 rows from Splitwise, Tricount, Spliit, \
            Sesterce, Cospend or SplitPro, or the table of `listExpenses`. The answer is the \
            preview; commit takes it in. Whoever sent it alone sees it, for a day.
            """
    )

    /// One of one's own.
    public static let get = Endpoint<GroupImportBalanceQuery, NoBody, GroupImportView>(
        "getGroupImport",
        .get,
        "/v1/group-imports/{id}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden],
        isTagged: true,
        summary: "Read an import into a group"
    )

    /// Says who the people are.
    public static let change = Endpoint<NoQuery, GroupImportChange, GroupImportView>(
        "changeGroupImport",
        .patch,
        "/v1/group-imports/{id}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .groupArchived, .importState, .preconditionFailed],
        isTagged: true,
        summary: "Say who is who in an import into a group",
        description: """
            Whom `people` names is changed, the others stay as they are. `leaveOutErrors` has it \
            taken in without the rows that cannot be read. Only while it is a preview.
            """
    )

    /// Takes one in: all of it or nothing.
    public static let commit = Endpoint<NoQuery, NoBody, GroupImportView>(
        "commitGroupImport",
        .post,
        "/v1/group-imports/{id}/commit",
        of: .groups,
        for: .user,
        idempotency: .required,
        statuses: [200],
        errors: [
            .notFound, .forbidden, .groupArchived, .notAgreed, .peopleNotMapped, .importHasErrors,
            .balancesDoNotTie, .pairGroup,
        ],
        isTagged: true,
        summary: "Take an import into a group",
        description: """
            Each row becomes an expense or a settlement, and each balance moves by what the file \
            states, or nothing happens. Rows that the group has by an earlier import add nothing.
            """
    )

    /// Drops a preview.
    public static let remove = Endpoint<NoQuery, NoBody, NoView>(
        "removeGroupImport",
        .delete,
        "/v1/group-imports/{id}",
        of: .groups,
        for: .user,
        errors: [.notFound, .forbidden, .importState, .preconditionFailed],
        summary: "Drop an import into a group",
        description: "Only while it is a preview: what was taken in stays."
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        upload.erased, get.erased, change.erased, commit.erased, remove.erased,
    ]
}
