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

    init(_ body: NewExpense, of group: ID<Group>) {
        name = body.name
        description = body.description
        category = body.categoryID == .others(of: group) ? nil : body.categoryID
        var seen: Set<String> = []
        tags = body.tags.map { TransactionTags.trimmed($0) }.filter { seen.insert($0).inserted }
        location = body.location.map { Location($0) }
    }

    init(
        name: String,
        description: String?,
        category: ID<GroupCategory>?,
        tags: [String],
        location: Location?
    ) {
        self.name = name
        self.description = description
        self.category = category
        self.tags = tags
        self.location = location
    }
}

extension ExpenseDetails.Location {
    private static let scale = 1_000_000.0

    /// The bounds are the protocol's (`TransactionLocation.json`): both fit.
    init(_ location: TransactionLocation) {
        self.init(
            latitude: Int32((location.latitude * Self.scale).rounded()),
            longitude: Int32((location.longitude * Self.scale).rounded()),
            label: location.label
        )
    }

    /// As it is shown.
    var view: TransactionLocation {
        TransactionLocation(
            latitude: Double(latitude) / Self.scale,
            longitude: Double(longitude) / Self.scale,
            label: label
        )
    }
}
