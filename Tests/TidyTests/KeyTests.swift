import Foundation
import Testing

/// Whoever says that a call takes an `Idempotency-Key` reads it.
@Suite struct KeyTests {
    @Test func handlersReadTheKeyThatTheirEndpointsTake() {
        let keyed = Self.keyedEndpoints()
        #expect(keyed.count >= 37, "the endpoints are written in another way: \(keyed.count)")
        var served: Set<String> = []
        for file in TidyTests.shipped(["Services"]) {
            for type in Self.handlers(in: file) {
                let names = Self.endpoints(named: type.endpoint, among: keyed)
                served.formUnion(names)
                if !names.isEmpty, !type.code.contains(where: { $0.contains(".idempotency") }) {
                    Issue.record("\(file.path): \(type.endpoint) takes a key: use KeyedEffects")
                }
            }
        }
        let missing = keyed.subtracting(served).sorted()
        #expect(missing.isEmpty, "no handler was found of these: is it written in another way?")
    }

    /// `Group.name` of every endpoint that takes a key: a POST that answers no secrets, if it does
    /// not say otherwise, and whatever asks for one.
    private static func keyedEndpoints() -> Set<String> {
        var names: Set<String> = []
        for file in SourceTree.swiftFiles(under: "Shared/WalletProtocol") {
            var group = ""
            for (start, line) in file.code.enumerated() {
                if let match = line.firstMatch(of: /^(public )?(enum|extension) (\w+)/) {
                    group = String(match.3)
                }
                guard let match = line.firstMatch(of: /^    public static let (\w+) = Endpoint</),
                    let end = file.code[start...].firstIndex(of: "    )")
                else { continue }
                let said = file.code[start...end].joined(separator: " ")
                let takesIt =
                    said.contains(" .post,") && !said.contains("answersSecrets: true")
                    && !said.contains("idempotency: .ignored")
                if takesIt || said.contains("idempotency: .required") {
                    names.insert("\(group).\(match.1)")
                }
            }
        }
        return names
    }

    /// The types at a file's outer level that serve an endpoint.
    private static func handlers(in file: SourceFile) -> [(endpoint: String, code: [String])] {
        var types: [(endpoint: String, code: [String])] = []
        for type in file.code.split(separator: "}", omittingEmptySubsequences: false) {
            let text = type.joined(separator: " ")
            let spelt = /static (let|var) endpoint(: [^={]*)? (= *|\{ *)(\w+\.)?(\w+\.\w+)/
            guard let match = text.firstMatch(of: spelt) else { continue }
            types.append((String(match.5), Array(type)))
        }
        return types
    }

    /// Those that it names: one, or as `Kind.invite` all of that name.
    private static func endpoints(named name: String, among keyed: Set<String>) -> Set<String> {
        guard name.hasPrefix("Kind.") else { return keyed.contains(name) ? [name] : [] }
        return keyed.filter { $0.hasSuffix(name.dropFirst("Kind".count)) }
    }
}
