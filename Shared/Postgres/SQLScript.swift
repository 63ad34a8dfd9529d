/// A name in SQL of small ASCII letters, digits and `_`, so that it never needs quoting.
public struct Identifier: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let name: String

    /// Nil: not 1 to 63 of `a-z0-9_`, or beginning with a digit.
    public init?(_ name: String) {
        let allowed = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard allowed, (1...63).contains(name.utf8.count), let first = name.utf8.first,
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return nil }
        self.name = name
    }

    /// The name.
    public var description: String { name }
}

/// Several statements in one text, without parameters: migrations and the making of databases.
///
/// Its parts are literals, validated names, and files compiled into the executable; there is no
/// way to put a value of a request into it.
public struct SQLScript: Sendable, ExpressibleByStringLiteral {
    /// A piece of a script: a literal or a validated name.
    public struct Part: ExpressibleByStringLiteral, Sendable {
        let text: String
        /// A literal; the literal's type rules out interpolation.
        public init(stringLiteral value: StaticString) { text = value.description }
        /// A name, in quotes, which keeps reserved words harmless.
        public static func name(_ identifier: Identifier) -> Part {
            Part(text: "\"\(identifier.name)\"")
        }
        private init(text: String) { self.text = text }
    }

    let text: String

    /// A literal; the literal's type rules out interpolation.
    public init(stringLiteral value: StaticString) { text = value.description }

    /// Joins parts as they stand.
    public init(_ parts: Part...) { text = parts.map(\.text).joined() }

    /// The bytes of a file embedded in the executable.
    ///
    /// Nil: not UTF-8, or it holds a NUL, at which libpq would stop.
    public init?(embedded bytes: UnsafeBufferPointer<UInt8>) {
        // Safety: the file's bytes are compiled in and last as long as the program.
        guard unsafe !bytes.contains(0), let text = unsafe String(validating: bytes, as: UTF8.self)
        else { return nil }
        self.text = text
    }
}

/// A `copy … from stdin (format binary)`; the text is a literal.
public struct CopyStatement: Sendable {
    let text: SQLText

    /// A COPY of binary rows into a table's columns.
    public init(_ sql: StaticString, file: StaticString = #fileID, line: UInt = #line) {
        text = SQLText(sql, file: file, line: line)
        // Cannot fire: the text is a literal.
        precondition(text.isCopy, "not a COPY: \(text.place)")
    }
}
