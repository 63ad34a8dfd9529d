package import Documents
import Palette
package import Text
package import WalletProtocol

/// Puts printed reports together in the reader's language.
package struct ReportComposer {
    package let words: ReportWords
    package let labels: LabelBook
    /// What the report was asked for, where one way alone.
    package let way: Direction?
    private let reader: DocumentReader
    private let days: DayText
    private let madeAt: Instant

    package init(
        _ reader: DocumentReader,
        _ labels: LabelBook,
        _ way: Direction?,
        madeAt: Instant
    ) {
        self.reader = reader
        self.labels = labels
        self.way = way
        self.madeAt = madeAt
        words = .of(reader.language)
        days = DayText(language: reader.language, pattern: reader.datePattern)
    }

    /// Told apart by their lightness, too.
    package static let income = Palette.view.colors[0].rgb
    package static let expenses = Palette.view.colors[1].rgb

    /// A report in a currency.
    package func report(
        _ title: String,
        _ facts: [PrintedFact],
        _ charts: [PrintedChart],
        _ tables: [PrintedTable],
        in currency: Currency
    ) -> PrintedReport {
        var report = PrintedReport(
            language: reader.language,
            title: title,
            facts: facts,
            charts: charts,
            tables: tables,
            digits: currency.exponent,
            madeAt: madeAt.text,
            madeOn: reader.day(of: madeAt)
        )
        report.datePattern = reader.datePattern
        return report
    }

    // MARK: Facts

    package func period(_ from: Day, _ to: Day) -> PrintedFact {
        PrintedFact(words.period, range(from, to))
    }

    private func range(_ from: Day, _ to: Day) -> String {
        let ends = [from.text, to.text].map { days.text($0) ?? $0 }
        return from == to ? ends[0] : ends.joined(separator: " – ")
    }

    package func fact(_ name: String, _ total: Total) -> PrintedFact {
        PrintedFact(name, money(total))
    }

    package func fact(_ name: String, _ instant: Instant) -> PrintedFact {
        let day = reader.day(of: instant)
        return PrintedFact(name, days.text(day) ?? day)
    }

    /// What has no rate, where there is any.
    package func unconverted(_ totals: [Total]) -> [PrintedFact] {
        totals.isEmpty
            ? []
            : [PrintedFact(words.noRate, totals.map { money($0) }.joined(separator: " · "))]
    }

    /// An amount in its own currency.
    package func money(_ total: Total) -> String {
        PrintedText.money(
            total.amount,
            total.currency.code,
            digits: total.currency.exponent,
            language: reader.language
        )
    }

    // MARK: Charts

    package func chart(
        _ shape: PrintedChart.Shape,
        _ title: String,
        _ names: [String],
        _ series: [PrintedSeries],
        tenths: [Int] = [],
        note: String = ""
    ) -> PrintedChart {
        PrintedChart(
            shape,
            title: title,
            names: names,
            series: series,
            tenths: tenths,
            others: words.others,
            note: note
        )
    }

    package func series(_ name: String, _ colour: UInt32, _ totals: [Total]) -> PrintedSeries {
        PrintedSeries(name: name, colours: [colour], values: totals.map(\.minorUnits))
    }

    /// What a category is called.
    package func name(of category: CategoryID) -> String { labels.name(of: category) ?? "–" }

    /// Days as tables and charts have them.
    package func days(_ from: Day, _ to: Day) -> String {
        from == to ? from.text : "\(from)/\(to)"
    }
}

extension ExactDecimal {
    /// Of a percentage with one digit after its point.
    package var tenths: Int { Int(scale == 0 ? coefficient * 10 : coefficient) }
}

extension CSVTable.Field {
    package static func amount(_ total: Total) -> CSVTable.Field { .plain(total.amount) }
    package static func day(_ day: Day) -> CSVTable.Field { .plain(day.text) }
}
