import Loops
import Postgres
import TestKit
import Testing

@Suite struct StatementBuilderTests {
    @Test func parametersAreNumberedThroughAllFragments() {
        var builder = StatementBuilder("select a from t where b = $1 and c = $2", Int64(1), "x")
        builder.append(" and d = any($1)", [Int64(3)])
        builder.append(" and e between $2 and $1 and f = $2", Int64(4), Int64(5))
        builder.append(" order by a limit 10")
        #expect(
            builder.statement().sql == """
                select a from t where b = $1 and c = $2 and d = any($3) \
                and e between $5 and $4 and f = $5 order by a limit 10
                """
        )
    }

    @Test func quotedDollarsStay() {
        var builder = StatementBuilder("select '$1', \"a$2\" from t where b = $1", Int64(1))
        builder.append(" and c = 'it''s $5' and d = $1", Int64(2))
        builder.append(" and e = $1::int8", Int64(2))
        #expect(
            builder.statement().sql == """
                select '$1', "a$2" from t where b = $1 and c = 'it''s $5' and d = $2 \
                and e = $3::int8
                """
        )
    }

    @Test func manyParametersKeepTheirNumbers() {
        var builder = StatementBuilder("select 1 where true")
        for index in 0..<12 { builder.append(" or $1 = $2", Int64(index), Int64(0)) }
        #expect(builder.statement().sql.hasSuffix(" or $23 = $24"))
    }

    @Test func eachCombinationIsAStatementOfItsOwn() async throws {
        try await withDatabase({ $0.sharedConnectionsMax = 1 }) { _, database in
            try await database.execute(
                Statement("create table item (id int8 primary key, kind text, n int8)")
            )
            try await database.execute(
                Statement(
                    """
                    insert into item
                    select i, case when i % 2 = 0 then 'even' else 'odd' end, i % 5
                    from generate_series(1, 20) i
                    """
                )
            )
            func find(kind: String?, n: Int64?, descending: Bool) async throws -> [Int64] {
                var builder = StatementBuilder("select id from item where id <= $1", Int64(10))
                if let kind { builder.append(" and kind = $1", kind) }
                if let n { builder.append(" and n = $1", n) }
                builder.append(descending ? " order by id desc" : " order by id")
                builder.append(" limit $1", Int64(3))
                return try await database.query(builder.statement { row in try row.int64(0) })
            }
            for _ in 0..<2 {
                same(try await find(kind: nil, n: nil, descending: false), [1, 2, 3])
                same(try await find(kind: "even", n: nil, descending: false), [2, 4, 6])
                same(try await find(kind: nil, n: 2, descending: true), [7, 2])
                same(try await find(kind: "odd", n: 2, descending: true), [7])
            }
            let count = Statement(
                "select count(*) from pg_prepared_statements where statement like 'select id%'"
            ) { row in try row.int64(0) }
            same(try await database.queryOne(count), 4)
        }
    }
}
