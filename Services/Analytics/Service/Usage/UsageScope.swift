import WalletProtocol

/// What insights of usage are of, their defaults filled in.
struct UsageScope: Sendable {
    let measure: UsageMeasure
    let period: Period
    let groupBy: Set<UsageDimension>
    let areas: [String]
    let ageBands: [String]
    let languages: [String]
    private let named: [Month]

    init(_ query: UsageQuery, today: Day) throws(APIError) {
        guard let measure = UsageMeasure(rawValue: query.measure) else {
            let list = UsageMeasure.allCases.map(\.rawValue).joined(separator: ", ")
            throw APIError(.unknownMeasure, "there are \(list)")
        }
        self.measure = measure
        period = try .ofInsight(from: query.from, to: query.to, today: today)
        groupBy = Set(query.groupBy)
        areas = query.areas
        ageBands = query.ageBands.map(\.rawValue)
        languages = query.languages
        named = query.months
        guard !groupBy.contains(.kind) || measure == .imports || measure == .exports else {
            throw .query("groupBy", .unknownValue, "imports and exports alone are of kinds")
        }
        guard period.months.count <= Self.monthsMax else {
            throw .query("to", .outOfRange, "at most \(Self.monthsMax) months are told at once")
        }
        try checkIsOfCells()
    }

    /// A figure is a cell of a table, never a sum of several: with somebody's region beside a large
    /// one a sum would be told if nobody is there, and withheld if somebody is.
    private func checkIsOfCells() throws(APIError) {
        let filters: [(name: String, dimension: UsageDimension, values: [String])] = [
            ("area", .area, areas), ("ageBand", .ageBand, ageBands),
            ("language", .language, languages),
        ]
        let faults = filters.filter { !groupBy.contains($0.dimension) && Set($0.values).count > 1 }
            .map { filter in
                FieldError(
                    pointer: "query:\(filter.name)",
                    code: .tooMany,
                    detail: "sums of several are not told: ask for one, or group by it"
                )
            }
        guard faults.isEmpty else { throw APIError(.invalidQuery, errors: faults) }
    }

    /// Ten years.
    static let monthsMax = 120

    /// The months that are asked for.
    var months: [Month] {
        period.months.filter { named.isEmpty || named.contains($0) }
    }

    /// How fine the table is that answers come from, below the first axis.
    var levels: [Int] {
        let hasParts = areas.contains { $0.contains("-") }
        return [
            groupBy.contains(.area) || hasParts ? 2 : areas.isEmpty ? 0 : 1,
            groupBy.contains(.ageBand) || !ageBands.isEmpty ? 1 : 0,
            groupBy.contains(.language) || !languages.isEmpty ? 1 : 0,
        ]
    }

    /// Whether a cell passes the filters; a country includes its parts.
    func accepts(_ cell: UsageCellRow) -> Bool {
        accepts(area: cell.area ?? cell.country ?? "") && accepts(ageBand: cell.ageBand ?? "")
            && accepts(language: cell.language ?? "")
    }

    func accepts(area: String) -> Bool {
        areas.isEmpty || areas.contains { $0 == area || area.hasPrefix($0 + "-") }
    }

    func accepts(ageBand: String) -> Bool { ageBands.isEmpty || ageBands.contains(ageBand) }

    func accepts(language: String) -> Bool { languages.isEmpty || languages.contains(language) }

    /// The answer's cell that one of the table is part of.
    func people(of cell: UsageCellRow) -> UsagePeople {
        UsagePeople(
            area: groupBy.contains(.area) ? cell.area : nil,
            ageBand: groupBy.contains(.ageBand) ? cell.ageBand : nil,
            language: groupBy.contains(.language) ? cell.language : nil
        )
    }
}

/// Whom a cell of an answer is of; nil for what it is not grouped by.
struct UsagePeople: Hashable, Sendable {
    let area: String?
    let ageBand: String?
    let language: String?
}

/// A cell that is told, as the table has it.
struct UsageCellRow: Sendable {
    let month: Day
    /// The cohort, the step by those before it, or the format.
    let path: String
    let country: String?
    let area: String?
    let ageBand: String?
    let language: String?
    let figures: UsageFigures
}
