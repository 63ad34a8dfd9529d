import BankFiles
import Postgres
import ServiceKit
import WalletProtocol

/// A category as a file names it.
struct FileCategory: Sendable {
    /// Its parents first.
    let path: [String]
    let type: CategoryType

    /// Whether an amount in it is income: both kinds go by the sign.
    func isIncome(_ amount: Int64) -> Bool {
        switch type {
        case .income: true
        case .expense: false
        case .both: amount > 0
        }
    }
}

/// The names that stand in a file in place of ids.
struct FileNames {
    /// Those that the reader sees, in the order in which they were made.
    let accounts: [FileAccount]
    private let numbers: [ID<Account>: Int]
    private let folders: [ID<Folder>: String]
    private var rows: [CategoryID: CategoryRow] = [:]
    private var categories: [CategoryID: FileCategory] = [:]

    /// Reads those that a person has; categories come with the rows.
    init(of user: ID<User>, in database: some Querying) async throws {
        accounts = try await database.query(TransactionFileStatements.accounts, user)
        numbers = Dictionary(accounts.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let found = try await database.query(TransactionFileStatements.folders, user)
        folders = Dictionary(found.map { ($0.id, $0.name) }) { first, _ in first }
    }

    func account(_ id: ID<Account>) -> FileAccount? { numbers[id].map { accounts[$0] } }

    func folder(_ id: ID<Folder>?) -> String? { id.flatMap { folders[$0] } }

    func category(_ id: CategoryID) -> FileCategory {
        categories[id] ?? FileCategory(path: [], type: .both)
    }

    /// Reads the categories of rows that are not known yet.
    ///
    /// Of what is in another's books only the category is named: its parents are that other's to
    /// know.
    mutating func add(
        _ page: [TransactionRow],
        for user: ID<User>,
        in database: some Querying
    ) async throws {
        var owners: [CategoryID: ID<User>] = [:]
        for row in page {
            for id in [row.category] + row.lines.map(\.category) where categories[id] == nil {
                owners[id] = row.owner
            }
        }
        var wanted = Set(owners.keys)
        while !wanted.isEmpty {
            let found = try await database.query(CategoryStatements.ofRows, Array(wanted))
            for row in found { rows[row.id] = row }
            wanted = Set(
                found.compactMap(\.parent).filter { parent in
                    rows[parent] == nil
                }
            )
        }
        for (id, owner) in owners {
            guard let row = rows[id] else { continue }
            categories[id] = FileCategory(
                path: owner == user ? path(of: row) : [row.name],
                type: row.type
            )
        }
    }

    private func path(of row: CategoryRow) -> [String] {
        var path = [row.name]
        var seen: Set = [row.id]
        var parent = row.parent
        while let id = parent, seen.insert(id).inserted, let next = rows[id] {
            path.insert(next.name, at: 0)
            parent = next.parent
        }
        return path
    }
}
