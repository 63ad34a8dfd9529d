/// Joins literal fragments into one statement, for optional filters and orders.
///
/// Each fragment numbers its own parameters from `$1`; they are renumbered in the whole. Every
/// combination of fragments is a statement of its own, with its own plan.
/// ```swift
/// var builder = StatementBuilder("select id, name from item where owner = $1", owner)
/// if let kind = filter.kind { builder.append(" and kind = $1", kind) }
/// builder.append(" order by id limit $1", limit)
/// let items = try await database.query(builder.statement { row in … })
/// ```
public struct StatementBuilder: Sendable {
    private var sql = ""
    private var parameters: [any PostgresValue] = []
    private let file: StaticString
    private let line: UInt

    /// Starts with a first fragment.
    public init(
        _ fragment: StaticString,
        _ parameters: any PostgresValue...,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.file = file
        self.line = line
        append(fragment, parameters)
    }

    /// Adds a fragment; between its text and the text before stands nothing but what it brings.
    public mutating func append(_ fragment: StaticString, _ parameters: any PostgresValue...) {
        append(fragment, parameters)
    }

    // Cannot fire: the fragment is a literal, with as many values in the same call.
    private mutating func append(_ fragment: StaticString, _ values: [any PostgresValue]) {
        let used = renumber(fragment, by: parameters.count)
        precondition(
            used == values.count,
            "a fragment of \(file):\(line) uses \(used) parameters and is given \(values.count)"
        )
        parameters.append(contentsOf: values)
    }

    /// The statement so far, with its parameters.
    public func statement<Row>(
        _ decode: @escaping @Sendable (borrowing PostgresRow) throws -> Row
    ) -> BoundStatement<Row> {
        let text = SQLText(joined: sql, file: file, line: line)
        return BoundStatement(
            statement: Statement(text: text, decode: decode),
            parameters: parameters
        )
    }

    /// The statement so far, of which only the number of touched rows matters.
    public func statement() -> BoundStatement<Void> { statement { _ in } }

    /// Copies the fragment, adding `offset` to each `$n` outside quotes; returns the highest `n`.
    private mutating func renumber(_ fragment: StaticString, by offset: Int) -> Int {
        var highest = 0
        var quote: Character?
        var number: Int?
        for character in fragment.description {
            if let digits = number {
                if let digit = character.wholeNumberValue, character.isASCII {
                    number = digits * 10 + digit
                    continue
                }
                // Cannot fire: the fragment is a literal.
                precondition(digits > 0, "a fragment of \(file):\(line) has a bare $")
                sql += String(digits + offset)
                highest = max(highest, digits)
                number = nil
            }
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "$" {
                number = 0
            }
            sql.append(character)
        }
        if let digits = number {
            // Cannot fire: the fragment is a literal.
            precondition(digits > 0, "a fragment of \(file):\(line) ends in a bare $")
            sql += String(digits + offset)
            highest = max(highest, digits)
        }
        return highest
    }
}

/// A statement together with the values of its parameters.
public struct BoundStatement<Row>: Sendable {
    let statement: Statement<Row>
    let parameters: [any PostgresValue]

    /// The SQL, for the test that explains every statement.
    public var sql: String { statement.sql }
}
