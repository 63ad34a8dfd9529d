import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of what is told; each statement names the index that serves it.
enum UsageAnswerStatements {
    /// The months that are told, each with how many people a figure of it needs.
    static let months = Statement(
        by: "usage_month_pkey",
        """
        select month, users_min
        from analytics.usage_month
        where month >= $1
        order by month
        limit 12000
        """
    ) { row in (month: try row.value(0, as: Day.self).month, usersMin: Int(try row.int64(1))) }

    /// A table's cells in these months, on these paths: those that are told, so that not even
    /// whether an answer is too large depends on others.
    static let cells = Statement(
        by: "usage_cell_pkey",
        """
        select month, path, country, area, age_band, language, users, days, week_days, times
        from analytics.usage_cell
        where kind = $1 and month = any ($2) and levels = $3 and path = any ($4) and is_told
        order by month, place
        limit $5
        """
    ) { row in
        try UsageCellRow(
            month: row.value(0),
            path: row.string(1),
            country: row.value(2),
            area: row.value(3),
            ageBand: row.value(4),
            language: row.value(5),
            figures: UsageFigures(
                users: row.int64(6),
                days: row.int64(7),
                weekDays: row.int64(8),
                times: row.int64(9)
            )
        )
    }
}
