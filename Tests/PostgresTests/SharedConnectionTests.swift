import Loops
import Postgres
import TestKit
import Testing

private let echo = Statement("select $1::int8") { row in try row.int64(0) }

@Suite struct SharedConnectionTests {
    @Test func oneStatementGoesThereAndBack() async throws {
        let answer = try await withDatabase { _, database in
            try await database.query(echo, Int64(42))
        }
        #expect(answer == [42])
    }

    @Test func aThousandStatementsOnTwoConnectionsGetTheirOwnAnswers() async throws {
        try await withDatabase({
            $0.sharedConnectionsMax = 2
            $0.waitersMax = 1_000
        }) { actor, database in
            let bound = LoopBound(database, to: actor)
            await atOnce(1_000, on: actor) { actor, index in
                do {
                    let rows = try await bound.on(actor).query(echo, Int64(index))
                    #expect(rows == [Int64(index)])
                } catch {
                    Issue.record(error)
                }
            }
            #expect(database.metrics.sharedConnected == 2)
            #expect(database.metrics.sharedInFlight == 0)
            #expect(database.metrics.sharedWaiting == 0)
        }
    }

    @Test func aTransactionCommitsOrVanishes() async throws {
        try await withDatabase { _, database in
            try await database.execute(Statement("create table item (id int8 primary key)"))
            let insert = Statement("insert into item (id) values ($1)")
            try await database.transaction { transaction in
                try await transaction.execute(insert, Int64(1))
                try await transaction.execute(insert, Int64(2))
            }
            struct Refusal: Error {}
            await #expect(throws: Refusal.self) {
                try await database.transaction { transaction in
                    try await transaction.execute(insert, Int64(3))
                    throw Refusal()
                }
            }
            let count = try await database.queryOne(
                Statement("select count(*) from item") { row in try row.int64(0) }
            )
            #expect(count == 2)
        }
    }
}
