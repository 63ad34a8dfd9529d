import ServiceKit

/// Every endpoint of analytics, one line each; the right stands in the endpoint itself, or for a
/// group and a child in `ReportRights`.
func addRoutes(
    to router: Router,
    _ reports: ReportStore,
    _ rights: ReportRights,
    _ insights: InsightStore
) {
    router.add(GetSummary(reports: reports))
    router.add(GetCategoryReport(reports: reports))
    router.add(GetTrends(reports: reports))
    router.add(GetCashFlow(reports: reports))
    router.add(GetGroupSummary(reports: reports, rights: rights))
    router.add(GetGroupCategoryReport(reports: reports, rights: rights))
    router.add(GetGroupTrends(reports: reports, rights: rights))
    router.add(GetGroupCashFlow(reports: reports, rights: rights))
    router.add(GetChildSummary(reports: reports, rights: rights))
    router.add(GetChildCategoryReport(reports: reports, rights: rights))
    router.add(GetChildTrends(reports: reports, rights: rights))
    router.add(GetChildCashFlow(reports: reports, rights: rights))
    router.add(GetSpendingInsights(insights: insights))
}
