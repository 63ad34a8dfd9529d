/// A division that the document shows, for clients to test theirs with.
public struct DivisionExample: Sendable, Hashable {
    /// What the example shows.
    public let about: String
    public let amount: Money
    public let day: Day
    public let weights: [Int64]
    public let shares: [Int64]

    /// All that the document shows.
    public static let all: [DivisionExample] = [
        example("equal parts, the third begins", 1_000, "2026-11-28", [1, 1, 1], [333, 333, 334]),
        example("a day later the first", 1_000, "2026-11-29", [1, 1, 1], [334, 333, 333]),
        example("money back", -1_000, "2026-11-28", [1, 1, 1], [-333, -333, -334]),
        example("before 1970 the second", 1_000, "1900-01-02", [1, 1, 1], [333, 334, 333]),
        example(
            "33.333333, 33.333333 and 33.333334 percent: the largest remainder",
            10_000,
            "2026-11-28",
            [33_333_333, 33_333_333, 33_333_334],
            [3_333, 3_333, 3_334]
        ),
        example(
            "shares of 1, 0.5 and 0.5: the first would begin, and is even",
            6,
            "2026-11-27",
            [100, 50, 50],
            [3, 2, 1]
        ),
    ].compactMap(\.self)

    private static func example(
        _ about: String,
        _ units: Int64,
        _ day: String,
        _ weights: [Int64],
        _ shares: [Int64]
    ) -> DivisionExample? {
        Day(day).map { day in
            DivisionExample(
                about: about,
                amount: Money(minorUnits: units, .eur),
                day: day,
                weights: weights,
                shares: shares
            )
        }
    }

    /// One line of the document.
    var line: String {
        let parts = shares.map { Money(minorUnits: $0, amount.currency).amount }
        return "\(amount) on \(day.text) (\(about)): \(parts.joined(separator: ", "))."
    }
}
