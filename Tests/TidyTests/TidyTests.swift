import Foundation
import Testing

/// A pattern that code must not have, where, and what to use in its place.
struct Ban: Sendable, CustomTestStringConvertible {
    let name: String
    let pattern: String
    let instead: String
    var folders = ["Shared", "Services"]
    /// Files in which it is the right thing.
    var allowed: [String] = []

    var testDescription: String { name }
}

@Suite("What the compiler cannot see")
struct TidyTests {
    static let bans: [Ban] = [
        Ban(
            name: "Task {}",
            pattern: #"\bTask(<[^>]*>)?\s*(\(.*\)\s*)?\{"#,
            instead: "LoopActor.spawn: a task that stays on its loop",
            allowed: ["Shared/Loops/LoopActor.swift"]
        ),
        Ban(
            name: "Task(executorPreference:)",
            pattern: #"\bTask\(executorPreference"#,
            instead: "LoopActor.spawn",
            allowed: ["Shared/Loops/LoopActor.swift"]
        ),
        Ban(
            name: "Task.detached",
            pattern: #"\bTask\.detached\b"#,
            instead: "LoopActor.spawn, or BlockingPool for what burns CPU"
        ),
        Ban(
            name: "Task.sleep",
            pattern: #"\bTask\.sleep\b"#,
            instead: "EventLoop.sleep, which wakes on the loop's own thread"
        ),
        Ban(
            name: "@MainActor",
            pattern: #"@MainActor\b"#,
            instead: "the loop's LoopActor"
        ),
        Ban(
            name: "a default actor",
            pattern: #"^\s*((public|package|internal|private|final|distributed)\s+)*actor\s+\w"#,
            instead: "a plain class that belongs to a loop, or Mutex for what loops share",
            allowed: ["Shared/Loops/LoopActor.swift"]
        ),
        Ban(
            name: "a task group",
            pattern: #"\bwith(Throwing)?(Discarding)?TaskGroup\b"#,
            instead: "one timer of the loop per request (Wait), LoopActor.spawn for lasting work"
        ),
        Ban(
            name: "print(",
            pattern: #"(^|[^\w.])(print|debugPrint|dump|NSLog)\("#,
            instead: "ServiceKit's Logger; StandardOutput for what a command answers"
        ),
        Ban(
            name: "the whole of Foundation",
            pattern: #"^\s*((public|package|internal|private)\s+)?import\s+Foundation\b"#,
            instead: "FoundationEssentials: the whole of it makes a binary 45 MB larger"
        ),
        Ban(
            name: "try!, as!",
            pattern: #"\b(try!|as!)"#,
            instead: "throw for the world, precondition for our bugs"
        ),
        Ban(
            name: "a forced unwrap",
            pattern: #"(\.first|\.last|[\)\]])!(\.|\)|,|;|\s|$)"#,
            instead: "guard let, or a precondition that says what must hold"
        ),
        Ban(
            name: "fatalError(",
            pattern: #"\bfatalError\("#,
            instead: "a typed error, or a precondition that says what must hold"
        ),
        Ban(
            name: "floating point near money",
            pattern: #"(?i)(amount|balance|price|money|cents)[a-z]*\??: *\[?(Double|Float)\b"#,
            instead: "Money, or Int64 minor units"
        ),
        Ban(
            name: "@inlinable",
            pattern: #"@inlinable\b"#,
            instead: "nothing: compile times doubled with it",
            // By which each described type is read and written: a seventh fewer instructions; and
            // the queue of each hop and each statement, specialised where it is used.
            allowed: [
                "Shared/JSONCodec/Object.swift", "Shared/JSONCodec/JSONText.swift",
                "Shared/Loops/RingQueue.swift",
            ]
        ),
    ]

    @Test("is not in the code", arguments: bans)
    func isNotInTheCode(ban: Ban) throws {
        let expression = try NSRegularExpression(
            pattern: ban.pattern,
            options: .anchorsMatchLines
        )
        for file in Self.shipped(ban.folders) where !ban.allowed.contains(file.path) {
            // Line by line takes ten times as long, and hardly a file has any.
            guard expression.matches(file.code.joined(separator: "\n")) else { continue }
            for (index, line) in file.code.enumerated() where expression.matches(line) {
                Issue.record("\(file.path):\(index + 1): \(ban.name): use \(ban.instead)")
            }
        }
    }

    @Test func nothingIsLeftToDo() throws {
        let words = try NSRegularExpression(
            pattern: #"\b(TO"# + #"DO|FIX"# + #"ME|not implem"#
                + #"ented|unimplem"# + #"ented)\b"#
        )
        for file in Self.files(under: ["Shared", "Services", "Tests"]) {
            for (index, line) in file.lines.enumerated() where words.matches(line) {
                Issue.record("\(file.path):\(index + 1): finish it, or file an issue")
            }
        }
    }

    @Test func linesAndFilesAreShort() {
        for file in Self.files(under: ["Shared", "Services", "Tests"]) {
            for (index, line) in file.lines.enumerated() where line.count > 100 {
                Issue.record("\(file.path):\(index + 1): \(line.count) columns: 100 is the most")
            }
            if file.lines.count > 500 {
                Issue.record("\(file.path): \(file.lines.count) lines: split it at 250")
            }
        }
    }

    /// An escape from the compiler's checks says why it holds, in a comment just above it.
    @Test func everyEscapeSaysWhyItIsSafe() throws {
        let escape = try NSRegularExpression(
            pattern: #"@unchecked\s+Sendable|nonisolated\(unsafe\)"#
        )
        for file in Self.files(under: ["Shared", "Services"]) {
            for (index, line) in file.code.enumerated() where escape.matches(line) {
                let above = file.lines[max(0, index - 12)...index]
                if !above.contains(where: { $0.contains("Safety:") }) {
                    Issue.record(
                        "\(file.path):\(index + 1): say why it holds: `// Safety: …` above it"
                    )
                }
            }
        }
    }

    /// `unsafe` marks each call into C; one note a file tells who owns the memory and the thread.
    @Test func filesWithUnsafeCallsSayWhyTheyAreSafe() throws {
        let marker = try NSRegularExpression(pattern: #"\bunsafe\s(?!embeddedFiles\()"#)
        for file in Self.shipped(["Shared", "Services"])
        where file.code.contains(where: { marker.matches($0) }) {
            if !file.lines.contains(where: { $0.contains("Safety:") }) {
                Issue.record("\(file.path): `unsafe` without a `// Safety: …` note in the file")
            }
        }
    }

    /// A code that the introduction of the document does not list is a code that no client knows.
    @Test func fieldCodesAreDeclaredInOneList() {
        var declared: [String] = []
        var listed: Set<String> = []
        for file in Self.shipped(["Shared", "Services"]) {
            for line in file.code {
                if let match = line.firstMatch(of: /static let (\w+) = FieldCode\(/) {
                    declared.append(String(match.1))
                }
            }
            guard file.path.hasSuffix("JSONCodec/FieldError.swift"),
                let start = file.code.firstIndex(where: { $0.contains("let all: [FieldCode]") })
            else { continue }
            let list = file.code[start...].prefix { !$0.hasPrefix("    ]") }.joined()
            listed = Set(list.matches(of: /\.(\w+)/).map { String($0.1) })
        }
        #expect(declared.count >= 35)
        #expect(Set(declared).subtracting(listed).isEmpty)
    }

    @Test func statementsStandInStatementFilesOnly() throws {
        let statement = try NSRegularExpression(
            pattern: #"(^|")\s*(select\s.+\sfrom|insert into|update \w+\s+set|delete from"#
                + #"|with \w+ as \(|create (table|function|index)|alter table|lock table)\b"#
        )
        let home = ["Shared/Postgres/", "Shared/TestKit/"]
        for file in Self.files(under: ["Shared", "Services"])
        where !file.name.hasSuffix("Statements.swift")
            && !home.contains(where: { file.path.hasPrefix($0) })
        {
            for (index, line) in file.lines.enumerated()
            where !line.contains("///") && !line.contains("// ") && statement.matches(line) {
                Issue.record("\(file.path):\(index + 1): SQL: move it to a *Statements.swift")
            }
        }
    }

    /// What runs for users; TestKit runs in tests alone.
    static func shipped(_ folders: [String]) -> [SourceFile] {
        files(under: folders).filter { $0.module != "TestKit" }
    }

    static func files(under folders: [String]) -> [SourceFile] {
        folders.flatMap { SourceTree.swiftFiles(under: $0) }
    }
}

extension NSRegularExpression {
    func matches(_ text: String) -> Bool {
        firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
