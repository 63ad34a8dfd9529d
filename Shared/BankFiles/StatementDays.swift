import WalletProtocol

/// The days that an account's statements tell of.
///
/// Reports tell what the statement of their days tells once more, and notices what either does, now
/// and then in other words: of those that are in a file with it only the rows of other days count.
struct StatementDays {
    /// Apart, in their order.
    private var spans: [ClosedRange<Day>] = []

    /// What of an account's parts counts.
    struct Told {
        /// Those of the message that tells most: their balances tie.
        var parts: [StatementPart] = []
        /// What others tell of other days, without balances.
        var more: [StatementPart] = []
        /// What is left out.
        var notes: [StatementFault] = []
    }

    /// The statements, then what of reports and then of notices is of days that nothing of these
    /// tells of; where there are no statements the reports are the first, else the notices.
    static func told(_ all: [StatementPart], _ format: StatementFormat) -> Told {
        var told = Told()
        for message in StatementMessage.allCases {
            let parts = all.filter { $0.message == message }
            guard !parts.isEmpty else { continue }
            if told.parts.isEmpty {
                told.parts = parts
                continue
            }
            let days = StatementDays(of: told.parts + told.more, format)
            for part in parts {
                let (rest, note) = days.rest(of: part)
                if let rest { told.more.append(rest) }
                if let note { told.notes.append(note) }
            }
        }
        return told
    }

    private init(of parts: [StatementPart], _ format: StatementFormat) {
        for span in parts.compactMap({ StatementDays.span(of: $0, format) })
            .sorted(by: { $0.lowerBound < $1.lowerBound })
        {
            if let last = spans.last, span.lowerBound <= last.upperBound {
                let end = max(last.upperBound, span.upperBound)
                spans[spans.count - 1] = last.lowerBound...end
            } else {
                spans.append(span)
            }
        }
    }

    /// From the first day to the last that a part tells of: of MT940 the opening balance is mostly
    /// that of the evening before.
    private static func span(
        of part: StatementPart,
        _ format: StatementFormat
    ) -> ClosedRange<Day>? {
        let days = part.rows.map(\.day)
        let isEvening = format == .mt940 && part.from != part.to
        let first = isEvening ? part.from?.adding(days: 1) : part.from
        guard let begin = [first, days.min()].compactMap(\.self).min(),
            let end = [part.to, days.max()].compactMap(\.self).max()
        else { return nil }
        return begin...max(begin, end)
    }

    private func contains(_ day: Day) -> Bool {
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].upperBound < day { low = middle + 1 } else { high = middle }
        }
        return low < spans.count && spans[low].contains(day)
    }

    /// What of a part is of other days, and what is left out of it.
    private func rest(of part: StatementPart) -> (rest: StatementPart?, note: StatementFault?) {
        let repeated = part.rows.map(\.day).filter(contains)
        var rest = part
        rest.rows.removeAll { contains($0.day) }
        // Neither ties with what is not there.
        (rest.opening, rest.closing, rest.balanceFault) = (nil, nil, nil)
        // A row that cannot be read is of the days of the others.
        let isKept = !rest.rows.isEmpty || (repeated.isEmpty && !part.faults.isEmpty)
        guard let first = repeated.min(), let last = repeated.max() else {
            return (isKept ? rest : nil, nil)
        }
        let days = first == last ? first.text : "\(first.text) to \(last.text)"
        let detail =
            "of a \(part.message.name) \(repeated.count) rows of \(days) are left out: others in "
            + "the file tell of these days"
        return (isKept ? rest : nil, StatementFault(line: part.line, detail: detail))
    }
}
