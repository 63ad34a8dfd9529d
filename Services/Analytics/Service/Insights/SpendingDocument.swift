import Documents
import Palette
import ReportFiles
import WalletProtocol

extension SpendingInsights: DocumentedReport {
    static let name = "spending"

    func csv(_ labels: LabelBook) -> [UInt8] { SpendingCSV.write(self) }

    func printed(by composer: ReportComposer) -> PrintedReport {
        let words = composer.words
        let way = direction == .incoming ? words.income : words.expenses
        let rows = cells.map { cell in
            guard let total = cell.total, !cell.isSuppressed else {
                return [cell.keys, words.hidden] + [String](repeating: "", count: 5)
            }
            return [
                cell.keys, total.amount, cell.count.map { String($0) } ?? "",
                cell.users.map { String($0) } ?? "", cell.mean?.amount ?? "",
                cell.median?.amount ?? "", cell.p90?.amount ?? "",
            ]
        }
        let table = PrintedTable(
            columns: [
                PrintedColumn(words.insights, .text), PrintedColumn(words.amount, .amount),
                PrintedColumn(words.count, .count), PrintedColumn(words.people, .count),
                PrintedColumn(words.mean, .amount), PrintedColumn(words.median, .amount),
                PrintedColumn("p90", .amount),
            ],
            rows: rows
        )
        return composer.report(
            "\(words.insights) – \(way)",
            [composer.period(from, to), PrintedFact(words.people, "≥ \(usersMin)")]
                + (asOf.map { [composer.fact(words.asOf, $0)] } ?? [])
                + merged.map { PrintedFact(words.merged, $0.coarser) }
                + composer.unconverted(unconverted),
            [chart(way, composer)],
            [table],
            in: currency
        )
    }

    /// What is told, and nothing else: of what is suppressed no slice is left, nor is it in a sum.
    private func chart(_ way: String, _ composer: ReportComposer) -> PrintedChart {
        let hidden = cells.count(where: \.isSuppressed)
        // Nobody and too few look the same, as in the list of cells. How many cells are not listed
        // is not told: an ellipsis stands for them.
        let untold = isUnlisted == true ? "…" : hidden > 0 ? String(hidden) : nil
        let note = untold.map { "\(composer.words.hidden): \($0)" } ?? ""
        let told = cells.compactMap { cell in
            cell.isSuppressed ? nil : cell.total.map { (cell: cell, total: $0) }
        }
        let totals = told.map(\.total)
        if !told.isEmpty, told.allSatisfy({ $0.cell.isOfMonthAlone }) {
            let series = composer.series(way, ReportComposer.expenses, totals)
            let months = told.compactMap(\.cell.month).map {
                composer.days($0.firstDay, $0.lastDay)
            }
            return composer.chart(.bars, way, months, [series], note: note)
        }
        let values = totals.map(\.minorUnits)
        let colours = Palette.view.colors
        let series = PrintedSeries(
            name: way,
            colours: values.indices.map { colours[$0 % colours.count].rgb },
            values: values
        )
        // Totals that are too large for percents are none that a chart could show.
        let percents = (try? Percentages.of(values)) ?? []
        return composer.chart(
            .pie,
            way,
            told.map(\.cell.keys),
            [series],
            tenths: values.indices.map { percents.indices.contains($0) ? percents[$0].tenths : 0 },
            note: note
        )
    }
}

extension SpendingDimension {
    /// As what it is told where it is merged, in no language.
    fileprivate var coarser: String {
        switch self {
        case .area: "ISO 3166-2 → ISO 3166-1"
        case .ageBand:
            CubeTables.ages.filter { $0.bands.count > 1 }.map(\.name).joined(separator: ", ")
        case .category, .month, .accountKind, .currency: rawValue
        }
    }
}

extension SpendingCell {
    /// Its coordinates as words.
    fileprivate var keys: String {
        let words = [
            category?.word, area, ages, month?.text, accountKind?.rawValue,
            currency?.code,
        ].compactMap(\.self)
        return words.joined(separator: " · ")
    }

    fileprivate var isOfMonthAlone: Bool {
        let others: [Bool] = [
            category == nil, area == nil, ages == nil, accountKind == nil, currency == nil,
        ]
        return month != nil && others.allSatisfy(\.self)
    }
}
