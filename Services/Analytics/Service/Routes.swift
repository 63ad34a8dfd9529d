import ServiceKit

/// Every endpoint of analytics, one line each; the right stands in the endpoint itself, or for a
/// group and a child in `ReportRights`.
func addRoutes(
    to router: Router,
    _ reports: ReportStore,
    _ rights: ReportRights,
    _ documents: ScopeDocuments,
    _ insights: InsightStore,
    _ usage: UsageStore,
    _ audit: InsightAudit
) {
    router.add(heavy: GetSummary(reports: reports, documents: documents))
    router.add(heavy: GetCategoryReport(reports: reports, documents: documents))
    router.add(heavy: GetTrends(reports: reports, documents: documents))
    router.add(heavy: GetCashFlow(reports: reports, documents: documents))
    router.add(heavy: GetGroupSummary(reports: reports, documents: documents, rights: rights))
    router.add(
        heavy: GetGroupCategoryReport(reports: reports, documents: documents, rights: rights)
    )
    router.add(heavy: GetGroupTrends(reports: reports, documents: documents, rights: rights))
    router.add(heavy: GetGroupCashFlow(reports: reports, documents: documents, rights: rights))
    router.add(heavy: GetChildSummary(reports: reports, documents: documents, rights: rights))
    router.add(
        heavy: GetChildCategoryReport(reports: reports, documents: documents, rights: rights)
    )
    router.add(heavy: GetChildTrends(reports: reports, documents: documents, rights: rights))
    router.add(heavy: GetChildCashFlow(reports: reports, documents: documents, rights: rights))
    router.add(
        heavy: GetSpendingInsights(insights: insights, documents: documents.documents, audit: audit)
    )
    router.add(heavy: GetUsageInsights(usage: usage, audit: audit))
}

/// Queries for everybody's figures, for their role alone, and those that somebody has kept.
func addQueryRoutes(
    to router: Router,
    _ queries: InsightQueries,
    _ saved: SavedQueryStore,
    _ effects: KeyedEffects,
    _ audit: InsightAudit
) {
    router.add(QueryInsights(queries: queries, audit: audit))
    router.add(MakeSavedQuery(effects: effects, saved: saved))
    router.add(ListSavedQueries(saved: saved))
    router.add(GetSavedQuery(saved: saved))
    router.add(ChangeSavedQuery(saved: saved))
    router.add(RemoveSavedQuery(saved: saved))
    router.add(AnswerSavedQuery(saved: saved, queries: queries, audit: audit))
}
