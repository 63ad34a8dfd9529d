import Foundation
import Testing

/// No bytes end a process: what can end one has its reason beside it, and so has arithmetic that
/// says nothing where its result does not fit.
///
/// A reason is a comment with a fixed word, by which it is found. What follows the word tells what
/// bounds the values, wherever they come from.
/// - A trap (`unowned` is one) has `Cannot fire:`, on its line or in a comment above it, with two
///   lines between at most.
/// - `&+`, `&-`, `&*` and the shifts have `Cannot wrap:`, or `Wraps:` where that is meant; there,
///   or right above something that they stand within: a call, a function, a type.
@Suite("Traps")
struct TrapTests {
    @Test func everyTrapSaysWhyItCannotFire() throws {
        let trap = try NSRegularExpression(
            pattern: #"\b((precondition(Failure)?|fatalError)\(|(as|try)!|unowned\b)"#
                + "|uniqueKeysWithValues:"
        )
        for file in TidyTests.shipped(["Shared", "Services"]) {
            for (index, line) in file.code.enumerated() where trap.matches(line) {
                if file.hasNote(["Cannot fire:"], at: index) { continue }
                Issue.record(
                    "\(file.path):\(index + 1): throw, or say what bounds it: `// Cannot fire: …`"
                )
            }
        }
    }

    @Test func whatMayWrapSaysWhatBecomesOfIt() throws {
        let arithmetic = try NSRegularExpression(pattern: "&([-+*]|<<|>>)")
        let words = ["Cannot wrap:", "Wraps:"]
        for file in TidyTests.shipped(["Shared", "Services"]) {
            for (index, line) in file.code.enumerated() where arithmetic.matches(line) {
                if file.hasNote(words, at: index) { continue }
                let isWithin = file.enclosing(index).contains { above in
                    file.hasNote(words, at: above, between: 0)
                }
                if isWithin { continue }
                Issue.record(
                    "\(file.path):\(index + 1): `// Cannot wrap: …` for its bound, or `// Wraps: …`"
                )
            }
        }
    }
}

extension SourceFile {
    /// Whether a comment on the line, or above it with so many lines of code between, has a word.
    fileprivate func hasNote(_ words: [String], at index: Int, between: Int = 2) -> Bool {
        func has(_ line: String) -> Bool { words.contains { line.contains($0) } }
        if has(lines[index]) { return true }
        var left = between
        for line in lines[..<index].reversed() {
            if Self.isComment(line) {
                if has(line) { return true }
            } else {
                left -= 1
                if left < 0 { return false }
            }
        }
        return false
    }

    /// The lines that a line stands within, the nearest first: each is indented less than the one
    /// before, or begins what that one ends.
    fileprivate func enclosing(_ index: Int) -> [Int] {
        var found: [Int] = []
        var depth = Self.indentation(lines[index])
        for above in lines[..<index].indices.reversed() {
            let line = lines[above].drop { $0 == " " }
            guard let first = line.first, !Self.isComment(lines[above]) else { continue }
            let own = Self.indentation(lines[above])
            guard own < depth else { continue }
            found.append(above)
            let ends = first == ")" || first == "}" || line.hasPrefix("else")
            depth = ends ? own + 1 : own
        }
        return found
    }

    private static func isComment(_ line: String) -> Bool {
        line.drop { $0 == " " }.hasPrefix("//")
    }

    private static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }
}
