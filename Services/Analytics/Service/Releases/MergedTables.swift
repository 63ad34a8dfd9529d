import WalletProtocol

/// From which coarser tables those are answered of which too little may be told: regions as their
/// countries, neighbouring ages together.
///
/// Each is a table of the cube as any other, and all are protected together: whoever has both a
/// merged cell and what is told of its parts has nothing else than that.
struct MergedTables: Sendable, Equatable {
    /// By the levels of the table that was asked for; those that are answered as they are, not.
    let tables: [[Int]: [Int]]

    /// A table is answered as it is where it tells of so many of ten of those of whom the one tells
    /// that tells most.
    static let toldInTen: Int64 = 9

    init(tables: [[Int]: [Int]]) { self.tables = tables }

    /// - Parameter people: of how many each table tells, in its cells that are told together. By
    ///   what is told alone: were it by what is hidden, too, one more person there could move it.
    init(people: [[Int]: Int64]) {
        var tables: [[Int]: [Int]] = [:]
        for asked in CubeTables.all {
            let choices = [asked] + Self.coarser(asked)
            let most = choices.compactMap { people[$0] }.max() ?? 0
            let best = choices.first { (people[$0] ?? 0) * 10 >= most * Self.toldInTen }
            if let best, best != asked { tables[asked] = best }
        }
        self.tables = tables
    }

    /// Where so many people are in the cells.
    init(_ users: Cube, _ telling: Telling) {
        var people: [[Int]: Int64] = [:]
        for cell in telling.told {
            people[users.levels(of: cell), default: 0] += Int64(users.users[cell] ?? 0)
        }
        self.init(people: people)
    }

    /// A table's coarser ones, the finer first: with ages together, with countries, with both.
    private static func coarser(_ asked: [Int]) -> [[Int]] {
        let axes = [[CubeTables.age], [CubeTables.area], [CubeTables.area, CubeTables.age]]
        return axes.compactMap { axes in
            guard axes.allSatisfy({ asked[$0] == 2 }) else { return nil }
            var levels = asked
            for axis in axes { levels[axis] = 1 }
            return levels
        }
    }

    /// As they are kept: each table that was asked for, and behind it the one that is answered.
    init(codes: [Int]) {
        var tables: [[Int]: [Int]] = [:]
        for index in stride(from: 1, to: codes.count, by: 2) {
            tables[CubeTables.levels(codes[index - 1])] = CubeTables.levels(codes[index])
        }
        self.tables = tables
    }

    var codes: [Int] {
        tables.map { (CubeTables.code($0), CubeTables.code($1)) }.sorted { $0 < $1 }
            .flatMap { [$0, $1] }
    }
}
