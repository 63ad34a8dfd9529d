import Text
import WalletProtocol

/// What a rule looks for, checked.
struct ImportRulePattern {
    let comparison: FoldedImportRule.Operator
    let text: String
    let folded: String

    /// - Throws: 422 unless exactly one of the three ways is given, with something to be seen.
    init(_ match: ImportRuleMatch) throws(APIError) {
        let given: [(FoldedImportRule.Operator, String?)] = [
            (.contains, match.contains), (.equals, match.equals), (.startsWith, match.startsWith),
        ]
        let ways = given.filter { $0.1 != nil }
        guard ways.count == 1, let way = ways.first, let text = way.1 else {
            throw .field(
                "/match",
                .invalidValue,
                "has exactly one of contains, equals and startsWith"
            )
        }
        comparison = way.0
        self.text = TextFolding.composed(text)
        folded = TextFolding.caseFolded(text)
        guard !folded.isEmpty else {
            throw .field("/match/\(way.0.rawValue)", .blank, "must not be blank")
        }
    }
}
