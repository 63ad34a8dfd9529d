/// The text of a statement: a literal of the program, or literals joined by `StatementBuilder`.
struct SQLText: Sendable {
    /// What a connection finds its prepared statement by.
    enum Key: Hashable, Sendable {
        /// The literal's address: no text is hashed.
        case literal(UInt)
        case joined(String)
    }
    private enum Source: Sendable {
        case literal(StaticString)
        case joined(String)
    }
    private let source: Source
    private let file: StaticString
    private let line: UInt

    init(_ literal: StaticString, file: StaticString, line: UInt) {
        source = .literal(literal)
        self.file = file
        self.line = line
    }

    /// For `StatementBuilder`, which joins literals only.
    init(joined: String, file: StaticString, line: UInt) {
        source = .joined(joined)
        self.file = file
        self.line = line
    }

    var key: Key {
        switch source {
        // Safety: a literal lasts as long as the program, so its address names it.
        case .literal(let text): unsafe .literal(UInt(bitPattern: text.utf8Start))
        case .joined(let text): .joined(text)
        }
    }

    /// The SQL.
    var sql: String {
        switch source {
        case .literal(let text): text.description
        case .joined(let text): text
        }
    }

    /// Where the statement stands, for errors.
    var place: String { "\(file):\(line)" }

    /// Whether only a lease may run it: it changes the session or spans statements.
    var needsLease: Bool { leaseWords.contains(firstWord) }

    /// COPY moves data outside the statement protocol and has its own call.
    var isCopy: Bool { firstWord == "copy" }

    /// The command, in small letters, behind spaces and comments.
    private var firstWord: String {
        var rest = Substring(sql)
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == ";" }
            if rest.hasPrefix("--") {
                rest = rest.drop { !$0.isNewline }
            } else if rest.hasPrefix("/*") {
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !rest.hasPrefix("*/") { rest = rest.dropFirst() }
                rest = rest.dropFirst(2)
            } else {
                return rest.prefix { $0.isLetter }.lowercased()
            }
        }
    }
}

private let leaseWords: Set<String> = [
    "abort", "begin", "close", "commit", "copy", "deallocate", "declare", "discard", "end",
    "execute", "fetch", "listen", "load", "lock", "move", "notify", "prepare", "release", "reset",
    "rollback", "savepoint", "set", "start", "unlisten",
]

/// A statement as a typed value: its text is a literal, its parameters `$1…`, its rows `Row`.
///
/// Made once, as a `static let`; each connection prepares it at its first use. `by` names the
/// indexes that serve it, apart by commas, none where it only inserts; `account_` is any of a
/// table that has several as good. A test of every service holds its statements to that.
/// ```swift
/// static let find = Statement(
///     by: "account_pkey",
///     "select id, name from account where id = $1 limit 1"
/// ) { row in
///     Account(id: try row.value(0), name: try row.string(1))
/// }
/// ```
public struct Statement<Row>: Sendable {
    let text: SQLText
    let decode: @Sendable (borrowing PostgresRow) throws -> Row

    /// A statement whose rows `decode` makes.
    public init(
        by _: StaticString = "",
        _ sql: StaticString,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ decode: @escaping @Sendable (borrowing PostgresRow) throws -> Row
    ) {
        text = SQLText(sql, file: file, line: line)
        self.decode = decode
    }

    init(
        text: SQLText,
        decode: @escaping @Sendable (borrowing PostgresRow) throws -> Row
    ) {
        self.text = text
        self.decode = decode
    }

    /// The SQL, for the test that explains every statement.
    public var sql: String { text.sql }
}

extension Statement where Row == Void {
    /// A statement of which only the number of rows it touched matters.
    public init(
        by indexes: StaticString = "",
        _ sql: StaticString,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(by: indexes, sql, file: file, line: line) { _ in }
    }
}
