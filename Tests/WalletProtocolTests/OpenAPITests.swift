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

    /// The independent validator, where Python has it: `pip install openapi-spec-validator`.
    @Test func satisfiesTheIndependentValidator() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("ezwallet-openapi-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(JSON.write(document)).write(to: file)
        let python = ProcessInfo.processInfo.environment["EZWALLET_TEST_PYTHON"] ?? "python3"
        let probe = try run(python, ["-c", "import openapi_spec_validator"])
        guard probe.status == 0 else { return }
        let check = try run(python, ["-m", "openapi_spec_validator", file.path])
        #expect(check.status == 0, "\(check.output)")
    }

    private func run(
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
