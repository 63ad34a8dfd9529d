import TestKit
import Testing
import WalletProtocol

/// Random templates and paths of few words, so that literals and parameters meet at each step.
@Suite struct PathTreeTests {
    private struct Random {
        var generator: SeededGenerator
        mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

        mutating func template() -> PathTemplate {
            let parts = (0...below(4)).map { _ in
                let at = below(4)
                return at == 3 ? "{p\(below(3))}" : ["a", "b", "ab"][at]
            }
            return PathTemplate(stringLiteral: "/" + parts.joined(separator: "/"))
        }

        mutating func path() -> String {
            let parts = (0...below(4)).map { _ in ["a", "b", "ab", "x", "", "%62"][below(6)] }
            return ["", "/", "/", "/", "/"][below(5)] + parts.joined(separator: "/")
        }
    }

    /// The parts of a path, where a template takes them all.
    private func values(_ template: PathTemplate, _ path: String) -> [String]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == template.segments.count + 1, parts[0].isEmpty else { return nil }
        var values: [String] = []
        for (segment, part) in zip(template.segments, parts.dropFirst()) {
            switch segment {
            case .literal(let literal): if part != literal { return nil }
            case .parameter:
                if part.isEmpty { return nil }
                values.append(part)
            }
        }
        return values
    }

    /// Literals before parameters, from the left.
    private func rank(_ template: PathTemplate) -> [Int] {
        template.segments.map { if case .literal = $0 { 0 } else { 1 } }
    }

    @Test(arguments: 1...20) func theTreeFindsTheMostLiteralTemplateAndItsValues(seed: Int) {
        var random = Random(generator: SeededGenerator(seed: UInt64(seed)))
        for _ in 0..<50 {
            let tree = PathTree()
            let templates = (0..<12).map { _ in random.template() }
            let places = templates.map { tree.add($0) }
            #expect(templates.map { tree.add($0) } == places, "seed \(seed)")
            for _ in 0..<100 {
                let path = random.path()
                let bytes = Array(path.utf8)
                let fitting = zip(templates, places).filter { values($0.0, path) != nil }
                let wanted = fitting.min { rank($0.0).lexicographicallyPrecedes(rank($1.0)) }
                let found = tree.find(bytes.span)
                #expect(found?.place == wanted?.1, "\(path), seed \(seed)")
                #expect(tree.place(of: bytes.span) == wanted?.1, "\(path), seed \(seed)")
                let parts = found?.parameters.map { String(decoding: bytes[$0], as: UTF8.self) }
                #expect(parts == wanted.flatMap { values($0.0, path) }, "\(path), seed \(seed)")
            }
        }
    }
}
