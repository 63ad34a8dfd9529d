import ReportFiles
import ServiceKit
import WalletProtocol

/// Whose categories a report is of.
enum CategoryOwner: Hashable {
    case person(ID<User>)
    case group(ID<Group>)
}

/// Asks for the names and colours of categories when a document is made: they are not kept here.
struct CategoryLabelReader {
    /// Asks the ledger.
    typealias AskLedger = (CategoryLabelRequest) async throws(APIError) -> CategoryLabels
    /// Asks groups, as a member.
    typealias AskGroups = (ID<Group>, UserIdentity) async throws(APIError) -> [GroupCategoryView]
    private let ledger: AskLedger
    private let groups: AskGroups

    init(ledger: @escaping AskLedger, groups: @escaping AskGroups) {
        self.ledger = ledger
        self.groups = groups
    }

    /// The labels of some categories.
    /// - Throws: 404 where the reader is in the group no more; 503 without an answer.
    func read(
        _ categories: [CategoryID],
        of owner: CategoryOwner,
        for reader: UserIdentity
    ) async throws(APIError) -> LabelBook {
        guard !categories.isEmpty else { return LabelBook([]) }
        do {
            switch owner {
            case .person(let person): return LabelBook(try await labels(categories, of: person))
            case .group(let group):
                return LabelBook(
                    try await groups(group, reader).map { category in
                        CategoryLabel(
                            categoryID: category.id.retagged(WalletProtocol.Category.self),
                            name: category.name,
                            color: category.color
                        )
                    }
                )
            }
        } catch {
            if error.code == .notFound { throw error }
            throw APIError(.unavailable, retryAfterSeconds: 1)
        }
    }

    /// In one call, but for more than a call may ask for.
    private func labels(
        _ categories: [CategoryID],
        of person: ID<User>
    ) async throws(APIError) -> [CategoryLabel] {
        var labels: [CategoryLabel] = []
        var rest = categories[...]
        while !rest.isEmpty {
            let some = rest.prefix(CategoryLabelRequest.countMax)
            rest = rest.dropFirst(some.count)
            let request = CategoryLabelRequest(userID: person, categoryIDs: Array(some))
            labels += try await ledger(request).items
        }
        return labels
    }
}
