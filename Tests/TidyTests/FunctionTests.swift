import Foundation
import Testing

/// What functions may hold, and how much of it.
@Suite struct FunctionTests {
    /// Lines of a function, the SQL in it aside; a flat one says so above it: `// Flat: …`.
    static let linesMax = 70

    @Test func functionsFitAScreen() {
        for file in TidyTests.shipped(["Shared", "Services"]) {
            for function in Self.functions(of: file) where function.lines.count > Self.linesMax {
                let above = file.lines[max(0, function.start - 1)]
                if above.contains("// Flat: ") { continue }
                Issue.record(
                    """
                    \(file.path):\(function.start + 1): \(function.lines.count) lines: split it, \
                    or say above it why it is flat
                    """
                )
            }
        }
    }

    /// Parse, one effect, render: what a handler does to the database stands in a store.
    @Test func handlersHoldNoSQLNoTransactionAndCatchNothing() {
        for file in TidyTests.shipped(["Services"]) {
            for function in Self.functions(of: file)
            where function.lines[0].contains("func handle(") {
                for line in function.lines {
                    let isCatching = line.trimmingCharacters(in: .whitespaces).hasPrefix("do ")
                    let isOpening = line.contains(".transaction {")
                    if line.contains("Statements.") || isCatching || isOpening {
                        Issue.record(
                            "\(file.path):\(function.start + 1): moves to a store: \(line)"
                        )
                    }
                }
            }
        }
    }

    @Test func otherFilesAreShort() {
        for folder in ["Services", "Shared", "Tests", "deploy"] {
            for path in SourceTree.files(under: folder)
            where path.hasSuffix(".sql") || path.hasSuffix(".py") {
                let count = SourceTree.text(path)?.components(separatedBy: "\n").count ?? 0
                #expect(count <= 501, "\(path): split it at 250")
            }
        }
    }

    /// What several test files need stands in a file of its own, read for what it is.
    @Test func systemTestsImportFromNoOtherTest() {
        for path in SourceTree.files(under: "Tests/SystemTests") where path.hasSuffix(".py") {
            let lines = SourceTree.text(path)?.components(separatedBy: "\n") ?? []
            for line in lines where line.contains(/^(from|import) test_/) {
                Issue.record("\(path): «\(line)»: moves to a file beside the tests")
            }
        }
    }

    /// A function's lines without the text of its multi-line strings.
    private static func functions(of file: SourceFile) -> [(start: Int, lines: [String])] {
        var isText: [Bool] = []
        var isInside = false
        for line in file.lines {
            let marks = line.components(separatedBy: "\"\"\"").count - 1
            isText.append(isInside && marks == 0)
            if !marks.isMultiple(of: 2) { isInside.toggle() }
        }
        let head = /^( *)(@\w+(\(.*\))? |\w+ )*(func|init|subscript)\b[^=]*/
        return file.code.indices.compactMap { start in
            let line = file.code[start]
            guard !isText[start], !line.hasSuffix("}"),
                let match = line.prefixMatch(of: head)
            else { return nil }
            let end = String(match.1) + "}"
            let rest = file.code[start...]
            guard let last = rest.firstIndex(of: end) else { return nil }
            let isDeclared = file.code[start...last].contains { $0.hasSuffix("{") }
            guard isDeclared else { return nil }
            return (start, (start...last).filter { !isText[$0] }.map { file.code[$0] })
        }
    }
}
