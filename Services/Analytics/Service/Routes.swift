import ServiceKit

/// Every endpoint of analytics, one line each; the right stands in the endpoint itself.
func addRoutes(to router: Router, _ reports: ReportStore, _ insights: InsightStore) {
    router.add(GetSummary(reports: reports))
    router.add(GetCategoryReport(reports: reports))
    router.add(GetSpendingInsights(insights: insights))
}
