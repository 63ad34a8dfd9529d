import WalletProtocol

/// Judges a query field by field, so that all that is wrong is told at once.
struct InsightQueryChecks {
    private var errors: [FieldError]
    private let root: String
    private var failures = 0
    private var unknownMeasures = 0
    /// Nil while no measure is known.
    private var isOfUsage: Bool?

    /// - Parameters:
    ///   - faults: what the schema has found already.
    ///   - root: where the query stands in its body.
    init(faults: [FieldError], root: String) {
        errors = faults
        failures = faults.count
        self.root = root
    }

    private mutating func wrong(_ pointer: String, _ code: FieldCode, _ detail: String) {
        failures += 1
        guard errors.count < JSONReading.errorsMax else { return }
        errors.append(FieldError(pointer: root + pointer, code: code, detail: detail))
    }

    /// - Throws: 422 where anything was wrong.
    func finish() throws(APIError) {
        guard failures > 0 else { return }
        let hasOthers = unknownMeasures < failures
        throw APIError(hasOthers ? .invalidBody : .unknownMeasure, errors: errors)
    }

    // MARK: Figures

    /// What is asked; of what is wrong, something.
    mutating func figures(of query: InsightQuery) -> AskedInsights.Figures {
        let (spending, usage) = measures(of: query)
        checkDimensions(of: query)
        checkFields(of: query)
        let (dimensions, filters) = (query.dimensions ?? [], query.filters ?? InsightFilters())
        if let usage {
            return .usage(
                UsageQuery(
                    measure: usage.rawValue,
                    from: query.from,
                    to: query.to,
                    groupBy: dimensions.compactMap { UsageDimension(rawValue: $0.rawValue) },
                    areas: filters.areas?.map(\.text) ?? [],
                    ageBands: filters.ageBands ?? [],
                    languages: filters.languages?.map(\.text) ?? [],
                    months: filters.months ?? []
                )
            )
        }
        return .spending(
            SpendingQuery(
                from: query.from,
                to: query.to,
                groupBy: dimensions.compactMap { SpendingDimension(rawValue: $0.rawValue) },
                categories: filters.categories ?? [],
                areas: filters.areas?.map(\.text) ?? [],
                ageBands: filters.ageBands ?? [],
                months: filters.months ?? [],
                accountKinds: filters.accountKinds ?? [],
                currencies: filters.currencies ?? [],
                direction: query.direction ?? .outgoing,
                convertedTo: query.convertedTo ?? .eur
            ),
            Set(spending)
        )
    }

    private mutating func measures(
        of query: InsightQuery
    ) -> (spending: [SpendingMeasure], usage: UsageMeasure?) {
        var seen: Set<String> = []
        var spending: [SpendingMeasure] = []
        var usage: UsageMeasure?
        for (index, name) in query.measures.enumerated() {
            let pointer = "/measures/\(index)"
            guard seen.insert(name).inserted else {
                wrong(pointer, .duplicate, "is named twice")
                continue
            }
            if let measure = SpendingMeasure(rawValue: name) {
                if usage != nil { tellApart(pointer) }
                spending.append(measure)
            } else if let measure = UsageMeasure(rawValue: name) {
                if usage != nil || !spending.isEmpty { tellApart(pointer) }
                usage = measure
            } else {
                unknownMeasures += 1
                wrong(pointer, .unknownValue, "no figures of this are kept")
            }
        }
        isOfUsage = usage != nil ? true : spending.isEmpty ? nil : false
        return (spending, usage)
    }

    private mutating func tellApart(_ pointer: String) {
        wrong(pointer, .conflict, "a measure of usage is asked for alone")
    }

    private mutating func checkDimensions(of query: InsightQuery) {
        var seen: Set<InsightDimension> = []
        for (index, dimension) in (query.dimensions ?? []).enumerated() {
            let pointer = "/dimensions/\(index)"
            guard seen.insert(dimension).inserted else {
                wrong(pointer, .duplicate, "is named twice")
                continue
            }
            // Of usage there is always the month.
            let isUsages =
                dimension == .month || UsageDimension(rawValue: dimension.rawValue) != nil
            let isSpendings = SpendingDimension(rawValue: dimension.rawValue) != nil
            switch isOfUsage {
            case true? where !isUsages: wrong(pointer, .unknownValue, "is no dimension of usage")
            case false? where !isSpendings:
                wrong(pointer, .unknownValue, "is no dimension of spending")
            default: break
            }
        }
    }

    /// Fields that are of the other figures.
    private mutating func checkFields(of query: InsightQuery) {
        guard let isOfUsage else { return }
        let filters = query.filters
        let spendings = [
            ("/filters/category", filters?.categories != nil),
            ("/filters/accountKind", filters?.accountKinds != nil),
            ("/filters/currency", filters?.currencies != nil),
            ("/direction", query.direction != nil), ("/in", query.convertedTo != nil),
        ]
        let usages = [("/filters/language", filters?.languages != nil)]
        for (pointer, isThere) in isOfUsage ? spendings : usages where isThere {
            wrong(pointer, .unknownField, "is no field of \(isOfUsage ? "usage" : "spending")")
        }
    }

    // MARK: Order

    /// What the cells are ordered by.
    mutating func order(of query: InsightQuery) -> [AskedInsights.Key] {
        var names = Set(query.measures).union(query.dimensions?.map(\.rawValue) ?? [])
        if isOfUsage == true { names.insert(InsightDimension.month.rawValue) }
        var seen: Set<String> = []
        for (index, order) in (query.order ?? []).enumerated() {
            let pointer = "/order/\(index)/by"
            if !names.contains(order.by) {
                wrong(pointer, .unknownValue, "is no measure or dimension of the query")
            } else if !seen.insert(order.by).inserted {
                wrong(pointer, .duplicate, "is named twice")
            }
        }
        return (query.order ?? []).map { order in
            AskedInsights.Key(
                measure: SpendingMeasure(rawValue: order.by),
                dimension: InsightDimension(rawValue: order.by),
                isDescending: order.isDescending ?? false
            )
        }
    }
}
