import Foundation
import Testing

/// What is written down twice says the same in both places.
@Suite struct GuideTests {
    private static let guides =
        ["Services", "Shared", "Tests", "deploy"]
        .flatMap { SourceTree.files(under: $0) }.filter { $0.hasSuffix(".md") } + ["README.md"]

    @Test func everyPathThatAGuideNamesExists() throws {
        let path = try NSRegularExpression(
            pattern: "`((Services|Shared|Tests|deploy)/[A-Za-z0-9_./-]+)`"
        )
        var count = 0
        for guide in Self.guides {
            let text = try #require(SourceTree.text(guide))
            for match in path.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
                let range = try #require(Range(match.range(at: 1), in: text))
                let named = SourceTree.root.appending(path: String(text[range])).path
                count += 1
                let isThere = FileManager.default.fileExists(atPath: named)
                #expect(isThere, "\(guide) names \(text[range]), which is not there")
            }
        }
        #expect(count > 30)
    }

    /// A code that is not listed is unknown to whoever calls another service.
    @Test func everyErrorCodeIsListed() throws {
        let texts = SourceTree.files(under: "Shared/WalletProtocol/Problems")
            .compactMap(SourceTree.text)
        let list = texts.compactMap {
            $0.components(separatedBy: "static let all: [ErrorCode]").dropFirst().first
        }
        let declared = texts.flatMap {
            $0.matches(of: /static let (\w+) = ErrorCode\(/).map { $0.output.1 }
        }
        let listed = try #require(list.first).matches(of: /\.(\w+),/).map { $0.output.1 }
        #expect(declared.count > 100 && Set(declared) == Set(listed))
    }
}
