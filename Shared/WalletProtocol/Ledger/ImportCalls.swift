/// Bank statements.
public enum Imports {
    /// The largest file in bytes.
    public static let fileMax = 20 * 1_024 * 1_024

    /// Previews of one person.
    public static let previewsMax = 100
    /// Bytes of the files of all of them.
    public static let previewBytesMax = 20 * fileMax

    /// Reads a file; nothing is taken in yet.
    public static let upload = Endpoint<ImportQuery, NoBody, ImportView>(
        "uploadImport",
        .post,
        "/v1/imports",
        of: .ledger,
        for: .user,
        bodyLimit: fileMax,
        request: .raw([
            "application/octet-stream", "text/csv", "application/x-ofx", "application/xml",
            "text/plain",
        ]),
        statuses: [201],
        errors: [
            .notFound, .currencyMismatch, .unreadableFile, .unknownFormat, .accountNumberRequired,
            .accountClosed, .tooManyImports,
        ],
        isTagged: true,
        summary: "Read a bank statement",
        description: "The body is the file. The answer is the preview; commit takes it in."
    )

    /// One, with a page of its rows.
    public static let get = Endpoint<FullPageQuery, NoBody, ImportView>(
        "getImport",
        .get,
        "/v1/imports/{id}",
        of: .ledger,
        for: .user,
        errors: [.notFound],
        isTagged: true,
        summary: "Read an import",
        description: "The first rows are in it, and with `cursor` those behind."
    )

    /// Tells how a CSV is to be read, and which rows are taken in as what.
    public static let change = Endpoint<NoQuery, ImportChange, ImportView>(
        "changeImport",
        .patch,
        "/v1/imports/{id}",
        of: .ledger,
        for: .user,
        bodyLimit: 1_024 * 1_024,
        errors: [.notFound, .importState, .unreadableFile, .currencyMismatch, .preconditionFailed],
        isTagged: true,
        summary: "Change a preview",
        description: """
            `mapping` says how a CSV is read, `null` has it found again; its rows are then as if \
            it were sent anew. `rows` leaves rows out, names their categories, merges a row with \
            one of its `matches` or says that it is no transfer between own accounts. \
            `acceptBalances` has it taken in though its balances do not tie. Only while it is a \
            preview.
            """
    )

    /// Takes one in: all of it or nothing.
    public static let commit = Endpoint<NoQuery, NoBody, ImportView>(
        "commitImport",
        .post,
        "/v1/imports/{id}/commit",
        of: .ledger,
        for: .user,
        statuses: [200, 202],
        errors: [
            .notFound, .importState, .importFailed, .balancesDoNotTie, .insufficientFunds,
            .limitExceeded, .approvalRequired, .accountClosed,
        ],
        isTagged: true,
        summary: "Take an import in",
        description: "200 when it is done, 202 with `state` while it is under way."
    )

    /// Drops one, or takes a committed one back whole.
    public static let remove = Endpoint<NoQuery, NoBody, ImportView>(
        "removeImport",
        .delete,
        "/v1/imports/{id}",
        of: .ledger,
        for: .user,
        statuses: [202, 204],
        errors: [
            .notFound, .importState, .importFailed, .insufficientFunds, .limitExceeded,
            .approvalRequired,
            .preconditionFailed,
        ],
        summary: "Drop an import, or take it back",
        description: """
            204 when it is done, 202 with the `state` `withdrawing` while it is under way: it is \
            `withdrawn` then, or `committed` again with the `refusal`.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        upload.erased, get.erased, change.erased, commit.erased, remove.erased,
    ]
}
