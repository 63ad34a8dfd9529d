import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of which months have been told of.
enum MonthAnnouncementStatements {
    /// Notes those that are told and not told of; which, oldest first.
    ///
    /// A month is done with its usage, which a running one never has.
    static let announce = Statement(
        by: "usage_month_pkey, announced_month_pkey",
        """
        insert into analytics.announced_month (month)
        select u.month
        from analytics.usage_month u
        where u.month > coalesce(
            (select a.month from analytics.announced_month a order by a.month desc limit 1),
            (select n.month - 1 from analytics.usage_month n order by n.month desc limit 1))
        order by u.month
        limit 12
        on conflict (month) do nothing
        returning month
        """
    ) { row in try row.value(0, as: Day.self) }
}
