import WalletProtocol

/// What a cell is ordered by.
enum CellRank: Comparable, Sendable {
    case number(Int128)
    case text(String)
}

/// Puts an answer's cells in the order that is asked for, and cuts it.
///
/// It is given what would be told without, and nothing else: so no order and no limit tells more
/// than the whole answer does. A suppressed cell has no figures here; by a figure it comes behind
/// those that are told, whichever way that goes, among its like by its keys.
struct CellOrder<Cell: Sendable>: Sendable {
    struct Key: Sendable {
        let isDescending: Bool
        /// Nil for what comes last.
        let rank: @Sendable (Cell) -> CellRank?
    }
    let keys: [Key]
    let limit: Int

    /// - Parameter cells: by their keys.
    func apply(to cells: [Cell]) -> [Cell] {
        guard !keys.isEmpty else { return Array(cells.prefix(limit)) }
        let ranks = cells.map { cell in keys.map { $0.rank(cell) } }
        let places = cells.indices.sorted { left, right in
            for (index, key) in keys.enumerated() {
                switch (ranks[left][index], ranks[right][index]) {
                case (let one?, let other?) where one != other:
                    return key.isDescending ? other < one : one < other
                case (.some, nil): return true
                case (nil, .some): return false
                default: continue
                }
            }
            return left < right
        }
        return places.prefix(limit).map { cells[$0] }
    }
}

extension AskedInsights.Key {
    var ofSpending: CellOrder<SpendingCell>.Key {
        CellOrder<SpendingCell>.Key(isDescending: isDescending) { [measure, dimension] cell in
            measure.flatMap { cell.rank(by: $0) } ?? dimension.flatMap { cell.rank(by: $0) }
        }
    }

    var ofUsage: CellOrder<UsageCell>.Key {
        CellOrder<UsageCell>.Key(isDescending: isDescending) { [dimension] cell in
            guard let dimension else { return cell.users.map { .number(Int128($0)) } }
            return cell.rank(by: dimension)
        }
    }
}

extension SpendingCell {
    fileprivate func rank(by measure: SpendingMeasure) -> CellRank? {
        let number =
            switch measure {
            case .count: count.map { Int128($0) }
            case .users: users.map { Int128($0) }
            case .total: total?.minorUnits
            case .mean: mean?.minorUnits
            case .median: median?.minorUnits
            case .p90: p90?.minorUnits
            }
        return number.map { .number($0) }
    }

    fileprivate func rank(by dimension: InsightDimension) -> CellRank? {
        switch dimension {
        case .category: category.map { .text($0.word) }
        case .area: area.map { .text($0) }
        case .ageBand: (ageBands?.first ?? ageBand)?.rank
        case .month: month.map { .text($0.text) }
        case .accountKind: accountKind.map { .text($0.rawValue) }
        case .currency: currency.map { .text($0.code) }
        case .language, .kind: nil
        }
    }
}

extension UsageCell {
    fileprivate func rank(by dimension: InsightDimension) -> CellRank? {
        switch dimension {
        case .area: area.map { .text($0) }
        case .ageBand: ageBand?.rank
        case .month: .text(month.text)
        case .language: language.map { .text($0) }
        case .kind: kind.map { .text($0.rawValue) }
        case .category, .accountKind, .currency: nil
        }
    }
}

extension AgeBand {
    /// By age; who tells none comes last.
    fileprivate var rank: CellRank? {
        AgeBand.allCases.firstIndex(of: self).map { .number(Int128($0)) }
    }
}
