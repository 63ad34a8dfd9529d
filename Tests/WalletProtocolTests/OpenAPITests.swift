import Foundation
import Testing
import WalletProtocol

@Suite struct OpenAPITests {
    private let document = OpenAPI.document(
        title: "EZWallet",
        version: "1",
        endpoints: Catalogue.all
    )

    @Test func hasEveryPublicCallAndNoInternalOne() {
        var operations = 0
        guard case .object(let paths)? = document["paths"] else {
            Issue.record("no paths")
            return
        }
        for path in paths {
            guard case .object(let methods) = path.value else { continue }
            operations += methods.count
        }
        #expect(operations == Catalogue.public.count)
        #expect(paths.allSatisfy { !$0.name.hasPrefix("/internal") })
    }

    @Test func introductionExplainsEveryFieldCode() {
        guard case .string(let text)? = document["info"]?["description"] else {
            Issue.record("no introduction")
            return
        }
        #expect(FieldCode.all.count >= 35 && Set(FieldCode.all).count == FieldCode.all.count)
        for code in FieldCode.all {
            #expect(text.contains("| `\(code.text)` | \(code.meaning) |"), "\(code.text)")
            #expect(code.meaning.hasSuffix("."), "\(code.text)")
        }
    }

    /// The detail of an error names calls that a client can make.
    @Test func adviceNamesOnlyExistingCalls() {
        let calls = Set(Catalogue.public.map { "\($0.method.rawValue) \($0.path.text)" })
        var named = 0
        for code in ErrorCode.all {
            for call in code.advice().matches(of: /[A-Z]+ \/v1\/[a-zA-Z\/{}-]+/) {
                named += 1
                #expect(calls.contains(String(call.output)), "\(code.text): \(call.output)")
            }
        }
        #expect(named >= 12)
    }

    @Test func resolvesEveryReference() {
        let text = JSON.text(document)
        guard case .object(let schemas)? = document["components"]?["schemas"] else {
            Issue.record("no schemas")
            return
        }
        let names = Set(schemas.map(\.name))
        let marker = "\"#/components/schemas/"
        for part in text.components(separatedBy: marker).dropFirst() {
            let name = String(part.prefix { $0 != "\"" })
            #expect(names.contains(name), "no schema \(name)")
        }
        #expect(names.contains("Money") && names.contains("Problem"))
    }

    /// Somebody who reads the document alone knows what each field is for.
    @Test func everyFieldAndParameterIsExplained() {
        guard case .object(let schemas)? = document["components"]?["schemas"],
            case .object(let paths)? = document["paths"]
        else {
            Issue.record("no schemas, or no paths")
            return
        }
        var count = 0
        for schema in schemas {
            guard case .object(let fields)? = schema.value["properties"] else { continue }
            for field in fields {
                count += 1
                let isExplained = field.value["description"].map { $0 != .string("") } ?? false
                #expect(isExplained, "\(schema.name).\(field.name)")
            }
        }
        #expect(count > 700)
        for path in paths {
            guard case .object(let methods) = path.value else { continue }
            for method in methods {
                guard case .array(let parameters)? = method.value["parameters"] else { continue }
                for parameter in parameters where parameter["in"] == .string("query") {
                    let name = parameter["name"] ?? .null
                    #expect(parameter["description"] != nil, "\(path.name) \(name)")
                }
            }
        }
    }
}
