import Foundation
import Testing

@testable import WalletProtocol

/// What is fuzzed is what there is.
@Suite struct CoverageTests {
    @Test func everyEventOfTheSourcesIsFuzzed() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appending(path: "Shared/WalletProtocol/Events").path
        var declared: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            for match in text.matches(of: /let eventType = "([^"]+)"/) {
                declared.insert(String(match.1))
            }
        }
        #expect(!declared.isEmpty)
        #expect(Set(FuzzTarget.eventTypes.map { $0.eventType }) == declared)
    }

    /// A corpus of refusals would leave what is behind them unread.
    @Test func mostExamplesOfSchemasAreTaken() throws {
        for name in ["endpoint-bodies", "endpoint-views", "endpoint-queries", "events"] {
            let target = try #require(FuzzTarget.all.first { $0.name == name })
            let seeds = target.seeds()
            let refused = seeds.filter { !FuzzTarget.isTaken($0, by: name) }
            let shown = refused.prefix(3).map { String(decoding: $0, as: UTF8.self) }
            #expect(refused.count * 10 < seeds.count, "\(name): \(refused.count), as \(shown)")
        }
    }
}
