/// Where statements are run: a `Database` (shared connections), a `LeasedConnection` or a
/// `Transaction`; a store that takes `some Querying` runs in any of them.
public protocol Querying {
    /// Runs one statement; use `query`, `queryOne` or `execute`.
    func run(_ call: StatementCall) async throws(DatabaseError) -> Exchange
}

/// A statement with its parameters, on its way to a connection.
public struct StatementCall {
    let text: SQLText
    let parameters: [any PostgresValue]
}

extension Querying {
    /// All rows of a statement.
    public func query<Row>(
        _ statement: Statement<Row>,
        _ parameters: any PostgresValue...
    ) async throws(DatabaseError) -> [Row] {
        try await run(StatementCall(text: statement.text, parameters: parameters))
            .rows(of: statement)
    }

    /// All rows of a statement made by a builder.
    public func query<Row>(
        _ bound: BoundStatement<Row>
    ) async throws(DatabaseError) -> [Row] {
        try await run(StatementCall(text: bound.statement.text, parameters: bound.parameters))
            .rows(of: bound.statement)
    }

    /// The one row of a statement, or nil.
    /// - Throws: `.misuse(.severalRows)` where there are more.
    public func queryOne<Row>(
        _ statement: Statement<Row>,
        _ parameters: any PostgresValue...
    ) async throws(DatabaseError) -> Row? {
        try await run(StatementCall(text: statement.text, parameters: parameters))
            .onlyRow(of: statement)
    }

    /// The one row of a statement made by a builder, or nil.
    public func queryOne<Row>(
        _ bound: BoundStatement<Row>
    ) async throws(DatabaseError) -> Row? {
        try await run(StatementCall(text: bound.statement.text, parameters: bound.parameters))
            .onlyRow(of: bound.statement)
    }

    /// Runs a statement for its effect; answers how many rows it touched.
    @discardableResult
    public func execute(
        _ statement: Statement<Void>,
        _ parameters: any PostgresValue...
    ) async throws(DatabaseError) -> Int {
        try await run(StatementCall(text: statement.text, parameters: parameters)).touchedRows
    }

    /// Runs a statement made by a builder for its effect.
    @discardableResult
    public func execute(_ bound: BoundStatement<Void>) async throws(DatabaseError) -> Int {
        try await run(StatementCall(text: bound.statement.text, parameters: bound.parameters))
            .touchedRows
    }
}

extension Exchange {
    fileprivate func onlyRow<Row>(of statement: Statement<Row>) throws(DatabaseError) -> Row? {
        guard rowCount < 2 else { throw .misuse(.severalRows(statement: statement.text.place)) }
        return try rows(of: statement).first
    }
}
