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

    /// The independent validator (PyPI `openapi-spec-validator`), where a Python has it.
    @Test(.enabled(if: OpenAPITests.python != nil, "no Python with openapi-spec-validator"))
    func satisfiesTheIndependentValidator() throws {
        let python = try #require(OpenAPITests.python)
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("ezwallet-openapi-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(JSON.write(document)).write(to: file)
        let check = try OpenAPITests.run(python, ["-m", "openapi_spec_validator", file.path])
        #expect(check.status == 0, "\(check.output)")
        // And it does look: the same document without its title is refused.
        let broken = document.setting("info", ["version": "1"])
        try Data(JSON.write(broken)).write(to: file)
        #expect(
            try OpenAPITests.run(python, ["-m", "openapi_spec_validator", file.path]).status != 0
        )
    }

    private static let python: String? = {
        let named = ProcessInfo.processInfo.environment["EZWALLET_TEST_PYTHON"]
        let ours = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../.local/venv/bin/python").standardized.path
        return [named, ours, "python3"].compactMap(\.self).first { python in
            (try? run(python, ["-c", "import openapi_spec_validator"]))?.status == 0
        }
    }()

    private static func run(
        _ program: String,
        _ arguments: [String]
    ) throws -> (
        status: Int32, output: String
    ) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
