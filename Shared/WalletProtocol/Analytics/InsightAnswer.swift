/// Why cells of an answer are not as they were asked for.
public enum InsightReason: String, StringEnum {
    /// They would tell of too few people, or of a cell that does.
    case suppressed
    /// They are told coarser.
    case merged
    /// Some of their months are not released yet, or nobody is in them, or too few.
    case notReleased = "not-released"
    /// They are beyond the limit that was asked for.
    case beyondLimit = "beyond-limit"
    /// Too many could be named for those to be listed that are not told.
    case unlisted
}

/// What answers say where cells that are not told are left out.
enum UnlistedCells {
    static let about =
        "True where more than 5,000 cells could be named: those alone are listed then that are "
        + "told, and the others are as suppressed ones."
}

/// One reason, in words.
public struct InsightNote: JSONObject, Hashable {
    public let reason: InsightReason
    public let dimension: InsightDimension?
    public let detail: String

    public init(_ reason: InsightReason, of dimension: InsightDimension? = nil, _ detail: String) {
        self.reason = reason
        self.dimension = dimension
        self.detail = detail
    }

    public static let json = Object(
        { @Sendable in InsightNote($0, of: $1, $2) },
        Field("reason", \.reason, about: "What it is."),
        Field("dimension", \.dimension, about: "Of `merged`: what is told coarser."),
        Field("detail", \.detail, about: "The same for people, with the rule.")
    )
}

/// What is told of a query's cells, and why not more.
///
/// All of it follows from the answer to the same query without a limit: it tells of no cell why it
/// is suppressed. Whether it has too few people itself, or goes with one that has, would change
/// with a single person.
public struct InsightExplanation: JSONObject, Hashable {
    public let told: Int
    public let suppressed: Int
    public let notes: [InsightNote]

    public init(told: Int, suppressed: Int, notes: [InsightNote]) {
        self.told = told
        self.suppressed = suppressed
        self.notes = notes
    }

    public static let json = Object(
        InsightExplanation.init,
        Field("told", \.told, about: "How many cells are told, beyond the limit, too."),
        Field(
            "suppressed",
            \.suppressed,
            about: """
                How many are listed as suppressed, beyond the limit, too; none where the answer is \
                `unlisted`.
                """
        ),
        Field("notes", \.notes, about: "Why not everything is told as it was asked for.")
    )
}

/// The figures that a query asks for: of spending or of usage.
public struct InsightAnswer: JSONObject, Hashable {
    public let spending: SpendingInsights?
    public let usage: UsageInsights?
    public let explanation: InsightExplanation

    public init(
        spending: SpendingInsights? = nil,
        usage: UsageInsights? = nil,
        explanation: InsightExplanation
    ) {
        self.spending = spending
        self.usage = usage
        self.explanation = explanation
    }

    public static let json = Object(
        InsightAnswer.init,
        Field(
            "spending",
            \.spending,
            about: "What `getSpendingInsights` tells, of these measures, in this order."
        ),
        Field("usage", \.usage, about: "What `getUsageInsights` tells, in this order."),
        Field("explanation", \.explanation, about: "What is told of the cells, and why not more.")
    )
}

extension Insights {
    /// Asks for figures of everybody.
    public static let query = Endpoint<NoQuery, Unjudged<InsightQuery>, InsightAnswer>(
        "queryInsights",
        .post,
        "/v1/insights/queries",
        of: .analytics,
        for: .role(.coo),
        idempotency: .ignored,
        errors: [.unknownMeasure],
        summary: "Ask for figures of everybody by one typed query",
        description: """
            Answered from the same releases, under the same suppression, as the other insights: \
            the same figures, in the order and number asked for. Order and limit are applied to \
            what is told; a suppressed cell has no figure to be ordered by, and counts for the \
            limit as any other. Nothing is kept but that it was asked, in the audit log.
            """
    )
}
