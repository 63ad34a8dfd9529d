import BankFiles
import Text
import WalletProtocol

/// A rule as rows are held against it.
struct FoldedImportRule: Sendable, Hashable {
    /// How the pattern must stand in the text.
    enum Operator: String, Sendable {
        case contains, equals, startsWith
    }

    let field: ImportRuleField
    let comparison: Operator
    /// NFKC_Casefold; never empty.
    let pattern: [UInt8]
    let account: ID<Account>?
    let direction: Direction?
    let category: CategoryID

    func fits(name: [UInt8], description: [UInt8]) -> Bool {
        switch field {
        case .name: fits(name)
        case .description: fits(description)
        case .both: fits(name) || fits(description)
        }
    }

    private func fits(_ text: [UInt8]) -> Bool {
        switch comparison {
        case .equals: text == pattern
        case .startsWith: text.starts(with: pattern)
        case .contains: text.contains(bytes: pattern)
        }
    }
}

/// A person's rules, in the order in which they are asked.
struct ImportRuleBook: Sendable {
    let rules: [FoldedImportRule]

    /// What the first rule that fits names; nil where none does.
    func category(of row: StatementRow, in account: ID<Account>) -> CategoryID? {
        if rules.isEmpty { return nil }
        let direction: Direction = row.amount < 0 ? .outgoing : .incoming
        let name = Array(TextFolding.caseFolded(row.name).utf8)
        let description = row.description.map { Array(TextFolding.caseFolded($0).utf8) } ?? []
        return rules.first { rule in
            (rule.account == nil || rule.account == account)
                && (rule.direction == nil || rule.direction == direction)
                && rule.fits(name: name, description: description)
        }?.category
    }
}
