import WalletProtocol

/// Says what is told of an answer's cells, and why not more: by the answer alone, so that nothing
/// follows that it does not tell.
struct Explanation {
    let told: Int
    let suppressed: Int
    let usersMin: Int
    let limit: Int
    var merged: [SpendingDimension] = []
    /// How many months are asked for, and are told.
    let months: (asked: Int, told: Int)
    /// Whether cells that are not told are left out.
    let isUnlisted: Bool

    var view: InsightExplanation {
        InsightExplanation(
            told: told,
            suppressed: suppressed,
            notes: ([suppression, unlisted, releases] + merged.map(note(of:)) + [cut]).compactMap(
                \.self
            )
        )
    }

    private var suppression: InsightNote? {
        guard suppressed > 0 else { return nil }
        return InsightNote(
            .suppressed,
            """
            In each of these cells are fewer than \(usersMin) people, or nobody; or its figures \
            would give away a cell in which so few are, or what so few have changed. Which it is, \
            is told of none: it would change with a single person.
            """
        )
    }

    private var unlisted: InsightNote? {
        guard isUnlisted else { return nil }
        return InsightNote(
            .unlisted,
            """
            More than 5,000 cells could be named: those alone are listed that are told. Any other \
            is as a suppressed one; with fewer dimensions, or filters, all are listed.
            """
        )
    }

    private var releases: InsightNote? {
        guard months.told < months.asked else { return nil }
        return InsightNote(
            .notReleased,
            """
            Of \(months.asked) months \(months.told) are told: one is released from the third day \
            after its end on, and none is of a month in which nobody, or too few, did anything.
            """
        )
    }

    private func note(of dimension: SpendingDimension) -> InsightNote? {
        switch dimension {
        case .area:
            InsightNote(
                .merged,
                of: .area,
                """
                Regions are told as their countries: cells of regions that may be told have fewer \
                than nine in ten of the people of those of countries. Asked for by a filter, they \
                are told as they are, or not.
                """
            )
        case .ageBand:
            InsightNote(
                .merged,
                of: .ageBand,
                """
                Bands of ages are told together: cells of single bands that may be told have \
                fewer than nine in ten of the people of those of several. Asked for by a filter, \
                they are told as they are, or not.
                """
            )
        case .category, .month, .accountKind, .currency: nil
        }
    }

    private var cut: InsightNote? {
        guard told + suppressed > limit else { return nil }
        return InsightNote(
            .beyondLimit,
            "\(told + suppressed - limit) cells are beyond the limit."
        )
    }
}
