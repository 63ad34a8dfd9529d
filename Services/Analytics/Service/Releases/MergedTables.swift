import WalletProtocol

/// From which coarser tables those are answered of which too little may be told: regions as their
/// countries, neighbouring ages together.
///
/// Each is a table of the cube as any other, and all are protected together: whoever has both a
/// merged cell and what is told of its parts has nothing else than that.
struct MergedTables: Sendable, Equatable {
    /// By the levels of the table that was asked for; those that are answered as they are, not.
    let tables: [[Int]: [Int]]

    /// Of the cells with people enough, a table that tells so many of ten is answered as it is.
    static let toldInTen = 9

    /// The finest of its coarser tables that tells enough, or the one that tells most.
    init(_ users: Cube, _ telling: Telling, usersMin: Int) {
        var counts: [[Int]: (enough: Int, told: Int)] = [:]
        for (cell, count) in users.users where count >= usersMin {
            let isTold = telling.told.contains(cell)
            counts[users.levels(of: cell), default: (0, 0)].enough += 1
            if isTold { counts[users.levels(of: cell), default: (0, 0)].told += 1 }
        }
        func tells(_ levels: [Int]) -> (enough: Int, told: Int) { counts[levels] ?? (0, 0) }
        func isGood(_ levels: [Int]) -> Bool {
            let found = tells(levels)
            return found.told > 0 && found.told * 10 >= found.enough * Self.toldInTen
        }
        var tables: [[Int]: [Int]] = [:]
        for asked in CubeTables.all {
            let coarser = Self.coarser(asked)
            guard !coarser.isEmpty, !isGood(asked) else { continue }
            // A share of what there is: told of enough, crosswise.
            let best =
                coarser.first(where: isGood)
                ?? ([asked] + coarser).max { left, right in
                    let (one, other) = (tells(left), tells(right))
                    return one.told * max(other.enough, 1) < other.told * max(one.enough, 1)
                }
            if let best, best != asked, tells(best).told > 0 { tables[asked] = best }
        }
        self.tables = tables
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
