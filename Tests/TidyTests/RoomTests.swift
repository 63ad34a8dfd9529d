import Foundation
import Testing

/// The rooms of a service and of the protocol: which of their folders need each other.
///
/// A room needs another where its code names a type or a function that is declared there, and in no
/// other room. Files at the root are a room, too.
@Suite struct RoomTests {
    /// The pairs of rooms that need each other, and why they may; no others come to be.
    static let circles: [String: Set<String>] = [
        // A code may be the second factor's, and what ends that ends the codes; devices are
        // passkeys' and sessions'; whoever changes an address ends recoveries to the old one; a
        // profile is what a registration makes, held to the same rules.
        "Auth": [
            "Challenges, SecondFactors", "Passkeys, Sessions", "Passwords, Profiles",
            "Profiles, Registration",
        ],
        "Analytics": [],
        "Gateway": ["(root), Proxy"],
        // A recurrence begins with an expense, and writes down more of them; a category may take
        // what is in it along; a settlement goes once the ledger has taken its clearing back.
        "Groups": [
            "Categories, Expenses", "Expenses, Recurrences", "Families, Invitations",
            "Families, People", "Groups, Invitations", "Groups, Members", "Groups, People",
            "LedgerLinks, Settlements",
        ],
        // Most by way of categories: who has a use for them reads and writes them. The setting that
        // names who publishes rates has the bank's name from there.
        "Ledger": [
            "Accounts, People", "Budgets, Categories", "Categories, Folders",
            "Categories, Households", "Categories, ImportRules", "Categories, People",
            "Categories, Recurrences", "Categories, Transactions", "Folders, Transactions",
            "Imports, Transactions", "People, Recurrences", "People, StandingOrders",
            "Rates, Settings", "Search, Transactions",
        ],
        "Notifications": ["Feed, People"],
        // Accounts' kinds are told in events, and integrity names the events that it vouches for;
        // a wallet is shared by the invitations of groups, which show what they invite to.
        "WalletProtocol": ["Events, Ledger", "Groups, Ledger"],
    ]

    @Test(arguments: circles.keys.sorted())
    func roomsNeedOneAnotherInOneDirection(module: String) {
        let needs = Self.needs(of: module)
        var found: Set<String> = []
        for (room, others) in needs {
            for (other, names) in others where room < other {
                guard let back = needs[other]?[room] else { continue }
                found.insert("\(room), \(other)")
                guard Self.circles[module]?.contains("\(room), \(other)") != true else { continue }
                let names = names.sorted().joined(separator: " ")
                let others = back.sorted().joined(separator: " ")
                Issue.record("\(module): \(room) names \(names), \(other) names \(others)")
            }
        }
        let gone = (Self.circles[module] ?? []).subtracting(found).sorted()
        #expect(gone.isEmpty, "\(module): is none any more, and goes from RoomTests.circles")
    }

    /// By room and other room: what is named there.
    private static func needs(of module: String) -> [String: [String: Set<String>]] {
        let base = module == "WalletProtocol" ? "Shared/\(module)" : "Services/\(module)/Service"
        let files = SourceTree.swiftFiles(under: base).map { file in
            let parts = file.path.dropFirst(base.count).split(separator: "/").map(String.init)
            return (room: parts.count > 1 ? parts[0] : "(root)", code: file.code)
        }
        var homes: [String: Set<String>] = [:]
        for (room, code) in files {
            for name in code.compactMap({ declared(in: $0) }) {
                homes[name, default: []].insert(room)
            }
        }
        var needs: [String: [String: Set<String>]] = [:]
        for (room, code) in files {
            for name in Set(code.flatMap(names)) {
                guard let home = homes[name]?.first, homes[name]?.count == 1, home != room
                else { continue }
                needs[room, default: [:]][home, default: []].insert(name)
            }
        }
        return needs
    }

    private static let kinds: Set<String> = [
        "struct", "class", "enum", "protocol", "actor", "typealias", "func",
    ]
    private static let levels: Set<String> = [
        "public", "package", "internal", "final", "indirect", "nonisolated",
    ]

    /// The type or `function(` that a line declares for other files.
    private static func declared(in line: String) -> String? {
        guard line.first?.isLetter == true else { return nil }
        var words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }[...]
        while let first = words.first, levels.contains(String(first)) { words.removeFirst() }
        guard let kind = words.popFirst(), kinds.contains(String(kind)) else { return nil }
        return words.first.map { kind == "func" ? "\($0)(" : String($0) }
    }

    /// The types and functions that a line names, members aside.
    private static func names(in line: String) -> [String] {
        var names: [String] = []
        var name = ""
        var isMember = false
        var previous: Character = " "
        for character in line + " " {
            if character.isLetter || character.isNumber || character == "_" {
                if name.isEmpty { isMember = previous == "." }
                name.append(character)
            } else {
                let isType = name.first?.isUppercase == true
                if !isMember, isType || (!name.isEmpty && character == "(") {
                    names.append(isType ? name : name + "(")
                }
                name = ""
            }
            previous = character
        }
        return names
    }
}
