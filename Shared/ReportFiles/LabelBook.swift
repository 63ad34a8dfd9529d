import Palette
package import WalletProtocol

/// What the categories of a report are called.
package struct LabelBook: Sendable {
    private let labels: [CategoryID: CategoryLabel]

    /// Labels of any number; none where a report names none.
    package init(_ labels: [CategoryLabel] = []) {
        self.labels = Dictionary(labels.map { ($0.categoryID, $0) }) { first, _ in first }
    }

    /// Nil for one that is gone since.
    package func name(of category: CategoryID) -> String? { labels[category]?.name }

    /// As its owner has chosen; of one that is gone, grey.
    package func colour(of category: CategoryID) -> UInt32 {
        (labels[category]?.color ?? Palette.grey).rgb
    }
}
