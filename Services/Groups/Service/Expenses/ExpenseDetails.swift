import WalletProtocol

/// What an expense is, without its money.
struct ExpenseDetails: Sendable, Hashable {
    let name: String
    let description: String?
    /// None: «Others».
    let category: ID<GroupCategory>?
    let tags: [String]
    let location: Location?

    /// Where something was: millionths of a degree, and the place in words.
    struct Location: Sendable, Hashable {
        let latitude: Int32
        let longitude: Int32
        let label: String?
    }
}

extension ExpenseDetails {
    init(_ body: NewExpense, of group: ID<Group>) {
        var seen: Set<String> = []
        self.init(
            name: body.name,
            description: body.description,
            category: body.categoryID == .others(of: group) ? nil : body.categoryID,
            tags: body.tags.map { TransactionTags.trimmed($0) }.filter {
                seen.insert($0).inserted
            },
            location: body.location.map { Location($0) }
        )
    }
}

extension ExpenseDetails.Location {
    /// The bounds are the protocol's (`TransactionLocation.json`).
    init(_ location: TransactionLocation) {
        let (latitude, longitude) = location.millionths
        self.init(latitude: latitude, longitude: longitude, label: location.label)
    }

    /// As it is shown.
    var view: TransactionLocation {
        TransactionLocation(latitude: latitude, longitude: longitude, label: label)
    }
}
