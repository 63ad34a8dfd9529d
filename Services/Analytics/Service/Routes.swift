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
    router.add(GetSummary(reports: reports, documents: documents))
    router.add(GetCategoryReport(reports: reports, documents: documents))
    router.add(GetTrends(reports: reports, documents: documents))
    router.add(GetCashFlow(reports: reports, documents: documents))
    router.add(GetGroupSummary(reports: reports, documents: documents, rights: rights))
    router.add(GetGroupCategoryReport(reports: reports, documents: documents, rights: rights))
    router.add(GetGroupTrends(reports: reports, documents: documents, rights: rights))
    router.add(GetGroupCashFlow(reports: reports, documents: documents, rights: rights))
    router.add(GetChildSummary(reports: reports, documents: documents, rights: rights))
    router.add(GetChildCategoryReport(reports: reports, documents: documents, rights: rights))
    router.add(GetChildTrends(reports: reports, documents: documents, rights: rights))
    router.add(GetChildCashFlow(reports: reports, documents: documents, rights: rights))
    router.add(
        GetSpendingInsights(insights: insights, documents: documents.documents, audit: audit)
    )
    router.add(GetUsageInsights(usage: usage, audit: audit))
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
