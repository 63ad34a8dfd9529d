import WalletProtocol

/// Usage as a table of text (RFC 4180), one line a cell; what is suppressed is empty.
enum UsageCSV {
    private static let header = [
        "measure", "month", "later", "step", "kind", "area", "ageBand", "language", "suppressed",
        "users", "daily", "weekly", "count", "of", "percent", "from", "to", "asOf",
        "unlisted",
    ]

    static func write(_ view: UsageInsights) -> [UInt8] {
        var text = SpendingCSV.line(header)
        for cell in view.cells {
            text += SpendingCSV.line([
                view.measure.rawValue, cell.month.text, cell.later.map(String.init),
                cell.step?.rawValue, cell.kind?.rawValue, cell.area, cell.ageBand?.rawValue,
                cell.language, String(cell.isSuppressed), cell.users.map(String.init),
                cell.daily?.text, cell.weekly?.text, cell.count.map(String.init),
                cell.of.map(String.init), cell.percent?.text, view.from.text, view.to.text,
                view.asOf?.text, String(view.isUnlisted ?? false),
            ])
        }
        // Else it would read as if there were nothing.
        if view.cells.isEmpty, view.isUnlisted == true {
            let from = header.firstIndex(of: "from") ?? 1
            let empty = [String?](repeating: nil, count: from - 1)
            text += SpendingCSV.line(
                [view.measure.rawValue] + empty + [
                    view.from.text, view.to.text, view.asOf?.text, "true",
                ]
            )
        }
        return Array(text.utf8)
    }
}
