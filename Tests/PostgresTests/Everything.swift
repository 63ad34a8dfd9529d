import Postgres
import TestKit

/// An enumeration of the database.
enum Colour: String, PostgresConvertible {
    typealias PostgresStorage = String
    case red, green
}

/// A row with a column of every kind.
struct Everything: Equatable {
    var a: Int64?
    var b: Int32?
    var c: Int16?
    var d: Bool?
    var e: Double?
    var f: String?
    var g: [UInt8]?
    var h: PostgresUUID?
    var i: PostgresInstant?
    var j: PostgresDay?
    var k: [Int64]
    var l: [String?]
    var m: [PostgresUUID]
    var n: [[UInt8]]
    var o: Colour?
    var p: [Bool]

    init(using random: inout SeededGenerator) {
        func maybe<Value>(_ value: Value, _ random: inout SeededGenerator) -> Value? {
            Int.random(in: 0..<5, using: &random) == 0 ? nil : value
        }
        func text(_ random: inout SeededGenerator) -> String {
            let alphabet: [Character] = [
                "a", "Z", "'", "\"", "\\", "$", "ß", "漢", "👩‍👩‍👧", "\n", "{", ",", " ",
            ]
            let count = Int.random(in: 0..<40, using: &random)
            return String(
                (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                }
            )
        }
        func bytes(_ random: inout SeededGenerator) -> [UInt8] {
            (0..<Int.random(in: 0..<50, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
        }
        func list<Value>(
            _ random: inout SeededGenerator,
            _ make: (inout SeededGenerator) -> Value
        ) -> [Value] {
            (0..<Int.random(in: 0..<6, using: &random)).map { _ in make(&random) }
        }
        let extremes: [Int64] = [.min, .max, 0, .random(in: .min ... .max, using: &random)]
        a = maybe(extremes[Int.random(in: 0..<4, using: &random)], &random)
        b = maybe(Int32.random(in: .min ... .max, using: &random), &random)
        c = maybe(Int16.random(in: .min ... .max, using: &random), &random)
        d = maybe(Bool.random(using: &random), &random)
        e = maybe(Double.random(in: -1e300...1e300, using: &random), &random)
        f = maybe(text(&random), &random)
        g = maybe(bytes(&random), &random)
        h = maybe(PostgresUUID(high: random.next(), low: random.next()), &random)
        i = maybe(
            PostgresInstant(microseconds: .random(in: -1 << 55..<1 << 55, using: &random)),
            &random
        )
        j = maybe(PostgresDay(days: .random(in: -700_000..<2_000_000, using: &random)), &random)
        k = list(&random) { .random(in: .min ... .max, using: &$0) }
        l = list(&random) { maybe(text(&$0), &$0) }
        m = list(&random) { PostgresUUID(high: $0.next(), low: $0.next()) }
        n = list(&random) { bytes(&$0) }
        o = maybe(Bool.random(using: &random) ? .red : .green, &random)
        p = list(&random) { .random(using: &$0) }
    }

    init(_ row: borrowing PostgresRow) throws {
        a = try row.value(0)
        b = try row.value(1)
        c = try row.value(2)
        d = try row.value(3)
        e = try row.value(4)
        f = try row.value(5)
        g = try row.value(6)
        h = try row.value(7)
        i = try row.value(8)
        j = try row.value(9)
        k = try row.value(10)
        l = try row.value(11)
        m = try row.value(12)
        n = try row.value(13)
        o = try row.value(14)
        p = try row.value(15)
    }
}
