import Text
import WalletProtocol

/// Insights as a table of text (RFC 4180), one line a cell; what is suppressed is empty.
///
/// What has no rate follows, one line a currency: its sum in `unconverted`, and no figures. The
/// column `approximate` is from when some were, and stays empty.
enum SpendingCSV {
    private static let header = [
        "category", "area", "ageBand", "month", "accountKind", "currency", "suppressed", "total",
        "count", "users", "mean", "median", "in",
        "from", "to", "unconverted", "p90", "approximate", "asOf", "monthsAsOf", "merged",
        "unlisted",
    ]

    static func write(_ view: SpendingInsights) -> [UInt8] {
        var text = line(header)
        let merged = view.merged.map(\.rawValue).joined(separator: " ")
        let isUnlisted = String(view.isUnlisted ?? false)
        let months = view.months.reduce(into: [:]) { $0[$1.month] = $1.asOf }
        for cell in view.cells {
            // Of several months, the oldest.
            let asOf = cell.month.map { months[$0] } ?? months.values.min()
            text += line([
                cell.category?.word, cell.area, cell.ages, cell.month?.text,
                cell.accountKind?.rawValue, cell.currency?.code,
                String(cell.isSuppressed), cell.total?.amount,
                cell.count.map(String.init), cell.users.map(String.init), cell.mean?.amount,
                cell.median?.amount, view.currency.code,
                view.from.text, view.to.text, nil, cell.p90?.amount,
                nil, view.asOf?.text, asOf?.text,
                merged, isUnlisted,
            ])
        }
        /// Of no cell, from the currency on.
        func append(_ currency: Currency, unconverted: String?, merged: String?) {
            let empty = [String?](repeating: nil, count: header.firstIndex(of: "in") ?? 0)
            text += line(
                empty + [
                    currency.code, view.from.text, view.to.text, unconverted, nil, nil,
                    view.asOf?.text, nil, merged, isUnlisted,
                ]
            )
        }
        for sum in view.unconverted {
            append(sum.currency, unconverted: sum.amount, merged: nil)
        }
        // Else it would read as if there were nothing.
        if view.cells.isEmpty, view.isUnlisted == true {
            append(view.currency, unconverted: nil, merged: merged)
        }
        return Array(text.utf8)
    }

    /// A line of such a table.
    static func line(_ fields: [String?]) -> String {
        fields.map { field($0 ?? "") }.joined(separator: ",") + "\r\n"
    }

    private static func field(_ text: String) -> String {
        var field: [UInt8] = []
        CSVField.append(text, to: &field)
        return String(decoding: field, as: UTF8.self)
    }
}

extension SpendingCell {
    /// The band of ages, or of several together.
    var ages: String? {
        guard let bands = ageBands else { return ageBand?.rawValue }
        return CubeTables.ages.first { $0.bands == bands }?.name
    }
}
