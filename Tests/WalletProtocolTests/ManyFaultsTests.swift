import Testing
import WalletProtocol

/// Faults are counted apart from those that are told, so that no reader takes silence for success.
@Suite struct ManyFaultsTests {
    /// Two hundred are told; one more, and many more, are not.
    static let counts = [199, 200, 201, 1_000]

    /// Holds what is read after so many faults: nothing, and the first two hundred told.
    private func expectRefused<Value: JSONValue>(
        _ type: Value.Type,
        _ text: String,
        faults count: Int
    ) {
        let told = faults(Value.self, text).count
        #expect(told == min(count, JSONReading.errorsMax), "\(type) with \(count) faults")
    }

    private func list(_ element: String, _ count: Int) -> String {
        "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
    }

    @Test(arguments: counts) func everyShapeIsRefusedAfterFaultsInAList(count: Int) {
        expectRefused([String].self, list("1", count), faults: count)
        expectRefused([Shapes].self, list("{}", count), faults: count)
        expectRefused([String?].self, list("1", count), faults: count)
        expectRefused([Money].self, list(#"{"currency":"EUR"}"#, count), faults: count)
        expectRefused([[String]].self, list("[1]", count), faults: count)
        expectRefused([[String: String]].self, list(#"{"a":1}"#, count), faults: count)
        expectRefused([Patch<Nested>].self, list("1", count), faults: count)
        expectRefused([Nullable<Nested>].self, list("1", count), faults: count)
        expectRefused([Either<Nested, String>].self, list("1", count), faults: count)
        expectRefused([JSONTree].self, list("1e999", count), faults: count)
        expectRefused([JSONTree].self, list(#"{"a":1e999}"#, count), faults: count)
    }

    @Test(arguments: counts) func everyShapeIsRefusedAfterFaultsInTheFieldBefore(count: Int) {
        let bad = #""before":\#(list("1", count))"#
        for (member, own) in [
            (#""required":{"lat":1.5,"flag":true}"#, 0), (#""required":{}"#, 2), ("", 1),
            (#""required":{"lat":1.5,"flag":true},"optional":{}"#, 2),
            (#""required":{"lat":1.5,"flag":true},"patch":{}"#, 2),
            (#""required":{"lat":1.5,"flag":true},"replace":null"#, 1),
            (#""required":{"lat":1.5,"flag":true},"names":{"a":1}"#, 1),
            (#""required":{"lat":1.5,"flag":true},"either":[]"#, 1),
            (#""required":{"lat":1.5,"flag":true},"amount":{"amount":"1"}"#, 1),
            (#""required":{"lat":1.5,"flag":true},"unknown":1"#, 1),
        ] {
            let text = "{" + [bad, member].filter { !$0.isEmpty }.joined(separator: ",") + "}"
            expectRefused(Shapes.self, text, faults: count + own)
        }
    }

    @Test(arguments: counts) func everyUnknownFieldCounts(count: Int) {
        let members = (0..<count).map { #""x\#($0)":1"# }.joined(separator: ",")
        expectRefused(Nested.self, #"{"lat":1.5,"flag":true,\#(members)}"#, faults: count)
    }

    @Test(arguments: counts) func aQueryIsRefusedWhateverIsWrongWithIt(count: Int) {
        let unknown = (0..<count).map { "x\($0)=1" }.joined(separator: "&")
        let undecodable = Array(repeating: "%ff", count: count).joined(separator: "&")
        let ids = Array(repeating: "categoryId=zz", count: count).joined(separator: "&")
        for text in [unknown, undecodable, "\(undecodable)&limit=zz", "\(unknown)&limit=zz"] {
            do throws(APIError) {
                _ = try TransactionQuery.read(query: text)
                Issue.record("read with \(count) faults")
            } catch {
                #expect(error.code == .invalidQuery)
                #expect(error.errors.count <= JSONReading.errorsMax)
                #expect(error.errors.count >= min(count, JSONReading.errorsMax))
            }
        }
        #expect(throws: APIError.self) { _ = try TransactionQuery.read(query: ids) }
        #expect(throws: APIError.self) {
            _ = try ImportQuery.read(query: "\(undecodable)&accountId=zz")
        }
    }
}

/// One field of each shape that a field can have.
private struct Shapes: JSONObject {
    let before: [String]
    let required: Nested
    let optional: Nested?
    let patch: Patch<Nested>
    let replace: Replace<Nested>
    let names: [String: String]
    let either: Either<Nested, String>?
    let amount: Money?
    static let json = Object(
        Shapes.init,
        Field("before", \.before, default: []),
        Field("required", \.required),
        Field("optional", \.optional),
        Field("patch", \.patch),
        Field("replace", \.replace),
        Field("names", \.names, default: [:]),
        Field("either", \.either),
        Field("amount", \.amount)
    )
}
