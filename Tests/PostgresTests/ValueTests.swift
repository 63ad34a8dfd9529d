import Loops
import Postgres
import TestKit
import Testing

@Suite struct ValueTests {
    @Test func randomValuesComeBackAsTheyWent() async throws {
        try await withDatabase { _, database in
            try await database.execute(Statement("create type colour as enum ('red', 'green')"))
            try await database.execute(
                Statement(
                    """
                    create table everything (a int8, b int4, c int2, d bool, e float8, f text,
                        g bytea, h uuid, i timestamptz, j date, k int8[], l text[], m uuid[],
                        n bytea[], o colour, p bool[])
                    """
                )
            )
            let store = Statement(
                """
                insert into everything
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
                returning a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p
                """
            ) { row in try Everything(row) }
            let seed = UInt64.random(in: .min ... .max)
            var random = SeededGenerator(seed: seed)
            for round in 0..<300 {
                let v = Everything(using: &random)
                let back = try await database.queryOne(
                    store,
                    v.a,
                    v.b,
                    v.c,
                    v.d,
                    v.e,
                    v.f,
                    v.g,
                    v.h,
                    v.i,
                    v.j,
                    v.k,
                    v.l,
                    v.m,
                    v.n,
                    v.o,
                    v.p
                )
                #expect(back == v, "seed \(seed), round \(round)")
            }
        }
    }

    @Test func theServerSeesTheValuesThatWeMean() async throws {
        try await withDatabase { _, database in
            func text(
                _ statement: Statement<String>,
                _ value: any PostgresValue
            ) async throws -> String? { try await database.queryOne(statement, value) }
            let plain = Statement("select ($1)::text") { row in try row.string(0) }
            same(
                try await text(
                    Statement("select ($1::uuid)::text") { try $0.string(0) },
                    PostgresUUID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
                ),
                "01234567-89ab-cdef-fedc-ba9876543210"
            )
            same(try await text(plain, PostgresDay(days: 0)), "1970-01-01")
            same(try await text(plain, PostgresDay(days: 20_513)), "2026-03-01")
            same(
                try await text(plain, PostgresInstant(microseconds: 1)),
                "1970-01-01 00:00:00.000001+00"
            )
            same(try await text(plain, [Int64(1), 2]), "{1,2}")
            same(try await text(plain, ["a", nil, "b c"] as [String?]), "{a,NULL,\"b c\"}")
            same(try await text(plain, [] as [String]), "{}")
            same(try await text(plain, [0xDE, 0xAD] as [UInt8]), "\\xdead")
            same(try await text(plain, PostgresJSON("{\"b\": 1}")), "{\"b\": 1}")
            same(try await text(plain, true), "true")
        }
    }

    @Test func aTextFitsWhateverALiteralFits() async throws {
        try await withDatabase { _, database in
            try await database.execute(Statement("create type colour as enum ('red', 'green')"))
            try await database.execute(
                Statement("create table mixed (a colour, b jsonb, c char(3), d uuid, e date)")
            )
            try await database.execute(
                Statement("insert into mixed values ($1, $2, $3, $4, $5)"),
                "red",
                "{\"k\": [1]}",
                "EUR",
                "01234567-89ab-cdef-fedc-ba9876543210",
                "2026-03-01"
            )
            let find = Statement("select a, b, c, d, e from mixed where a = $1 and c = $2") { row in
                same(try row.string(0), "red")
                same(try row.value(1, as: PostgresJSON.self).text, "{\"k\": [1]}")
                same(try row.string(1), "{\"k\": [1]}")
                same(try row.string(2), "EUR")
                same(try row.uuid(3).high, 0x0123_4567_89ab_cdef)
                same(try row.day(4).days, 20_513)
                return true
            }
            same(try await database.query(find, "red", "EUR"), [true])
        }
    }

    @Test func largeTextsAndManyRowsAreWhole() async throws {
        try await withDatabase({ $0.waitMillisecondsMax = 60_000 }) { actor, database in
            let echo = Statement("select $1::text, $2::bytea") { row in
                (try row.string(0), try row.bytes(1))
            }
            let text = String(repeating: "Wäh", count: 2_000_000)
            let bytes = [UInt8](repeating: 7, count: 5_000_000)
            let bound = LoopBound(database, to: actor)
            // More than both sockets hold, in both directions, on two connections at once.
            await atOnce(4, on: actor) { actor, _ in
                do {
                    let row = try await bound.on(actor).queryOne(echo, text, bytes)
                    #expect(row?.0 == text)
                    #expect(row?.1 == bytes)
                } catch {
                    Issue.record(error)
                }
            }
            let series = Statement("select generate_series(1::int8, $1)") { try $0.int64(0) }
            let rows = try await database.query(series, Int64(300_000))
            #expect(rows.count == 300_000 && rows.last == 300_000)
        }
    }

    @Test func wholeNumericsAreIntegers() async throws {
        try await withDatabase { _, database in
            let number = Statement("select $1::text::numeric") { row in try row.int64(0) }
            for value: Int64 in [0, 1, -1, 9_999, 10_000, -10_001, 120_000_000, .max, .min] {
                same(try await database.queryOne(number, String(value)), value)
            }
            for (text, problem) in [
                ("1.5", "is no whole number"), ("0.0001", "is no whole number"),
                ("NaN", "is no finite number"), ("Infinity", "is no finite number"),
                ("9223372036854775808", "is out of range"), ("1e30", "is out of range"),
            ] {
                let ended = await outcome { try await database.queryOne(number, text) }
                #expect(ended == "decoding numeric: \(problem)")
            }
        }
    }

    @Test func sumsTravelAsNumericsOf128Bits() async throws {
        try await withDatabase { _, database in
            let decimal = Statement("select $1::numeric::text, $1::numeric") { row in
                try (text: row.string(0), back: row.value(1, as: Int128.self))
            }
            var values: [Int128] = [0, 1, 9_999, 10_000, 120_000_000, .max, .min]
            for exponent in 0...37 {
                let power = (0..<exponent).reduce(Int128(1)) { power, _ in power * 10 }
                values += [power, power + 1, power - 1, power * 7 / 3]
            }
            for value in values.flatMap({ $0 == .min ? [$0] : [$0, -$0] }) {
                let row = try #require(try await database.queryOne(decimal, value))
                same(row.text, String(value))
                same(row.back, value)
            }
            let all = Statement("select $1::numeric[]") { try $0.value(0, as: [Int128].self) }
            same(try await database.queryOne(all, values), values)
            let number = Statement("select $1::text::numeric") { try $0.value(0, as: Int128.self) }
            for (text, problem) in [
                ("170141183460469231731687303715884105728", "is out of range"),
                ("-170141183460469231731687303715884105729", "is out of range"),
                ("1e40", "is out of range"), ("1e1000", "is out of range"),
                ("0.5", "is no whole number"), ("NaN", "is no finite number"),
            ] {
                let ended = await outcome { try await database.queryOne(number, text) }
                #expect(ended == "decoding numeric: \(problem)")
            }
        }
    }

    @Test func whatDoesNotFitNamesItsPlace() async throws {
        try await withDatabase { _, database in
            let secret = Statement("select 'secret' as name, null::int8 as n, 70000 as big") {
                row in
                same(row.isNull(1), true)
                return try row.int64(0)
            }
            same(
                await outcome { try await database.query(secret) },
                "decoding name: has type 25, not one of int8, int4, int2, whole numeric"
            )
            let null = Statement("select null::int8 as n") { row in try row.int64(0) }
            same(await outcome { try await database.query(null) }, "decoding n: is null")
            let large = Statement("select 70000 as big") { row in try row.int16(0) }
            same(await outcome { try await database.query(large) }, "decoding big: is out of range")
            let missing = Statement("select 1") { row in try row.int16(1) }
            same(
                await outcome { try await database.query(missing) },
                "decoding 1: is not in the result"
            )
            let other = Statement("select 'blue' as colour") { try $0.value(0, as: Colour.self) }
            same(await outcome { try await database.query(other) }, "decoding colour: is no Colour")
            let infinite = Statement("select 'infinity'::timestamptz as at") { try $0.instant(0) }
            same(await outcome { try await database.query(infinite) }, "decoding at: is infinite")
            let deep = Statement("select '{{1},{2}}'::int8[] as deep") { row in
                try row.value(0, as: [Int64].self)
            }
            same(
                await outcome { try await database.query(deep) },
                "decoding deep: is an array of 2 dimensions"
            )
            let zero = Statement("select $1::text") { row in try row.string(0) }
            same(
                await outcome { try await database.query(zero, "a\0b") },
                "decoding $1: holds U+0000"
            )
            let two = Statement("select 1 union select 2") { row in try row.int64(0) }
            same(await outcome { try await database.queryOne(two) }, "several rows")
        }
    }

    @Test func theConstraintIsNamedAndNoValueIs() async throws {
        try await withDatabase { _, database in
            try await database.execute(
                Statement("create table person (mail text constraint person_mail_key unique)")
            )
            let insert = Statement("insert into person values ($1)")
            try await database.execute(insert, "a@example.org")
            do {
                try await database.execute(insert, "a@example.org")
                Issue.record("no error")
            } catch {
                guard let error = error as? DatabaseError else { throw error }
                #expect(error.violatedConstraint == "person_mail_key")
                #expect(!"\(error)".contains("example"))
                #expect("\(error)".contains("PostgresTests/ValueTests.swift"))
            }
        }
    }
}
