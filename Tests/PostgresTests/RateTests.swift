import Loops
import Postgres
import TestKit
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Figures for the commit messages; run by `EZWALLET_MEASURE=1 swift test -c release`.
@Suite(.serialized, .enabled(if: getenv("EZWALLET_MEASURE") != nil))
struct RateTests {
    private static let find = Statement("select balance, name from account where id = $1") { row in
        (try row.int64(0), try row.string(1))
    }

    @Test(arguments: [(1, 1), (1, 16), (1, 64), (2, 64), (4, 64), (2, 128)])
    func primaryKeySelects(connections: Int, tasks: Int) async throws {
        let rate = try await withDatabase({
            $0.sharedConnectionsMax = connections
            $0.inFlightMax = 64
        }) { actor, database in
            try await database.execute(
                Statement("create table account (id int8 primary key, balance int8, name text)")
            )
            try await database.execute(
                Statement(
                    """
                    insert into account
                    select i, i * 7, 'account ' || i from generate_series(1, 100000) i
                    """
                )
            )
            let bound = LoopBound(database, to: actor)
            let each = 100_000 / tasks
            _ = try await database.queryOne(Self.find, Int64(1))
            let started = monotonicNanoseconds()
            await atOnce(tasks, on: actor) { actor, index in
                let database = bound.on(actor)
                var id = Int64(index * 7919)
                for _ in 0..<each {
                    id = (id &* 25_214_903_917 &+ 11) & 0xFFFF
                    let row = try? await database.queryOne(Self.find, id + 1)
                    #expect(row?.0 == (id + 1) * 7)
                }
            }
            return Double(each * tasks) * 1e9 / Double(monotonicNanoseconds() - started)
        }
        print("RATE connections \(connections), tasks \(tasks): \(Int(rate)) selects/s")
    }
}
