internal import CLibpq
internal import Loops

/// What runs outside the pipeline: scripts of several statements, and COPY.
extension Connection {
    /// Leaves the pipeline and sends a text; the answers end with the exchange.
    func sendPlain(_ text: String, _ exchange: Exchange) {
        // Safety: only the loop that owns the connection uses its handle; libpq copies what it
        // gets.
        guard let handle = unsafe handle, state == .ready, inFlight.isEmpty else {
            exchange.end(.misuse(.busy))
            return
        }
        exchange.sentAt = monotonicNanoseconds()
        exchange.session = session
        // From «between two commands» to idle.
        unsafe PQclear(PQgetResult(handle))
        guard unsafe PQexitPipelineMode(handle) == 1 else { return lost() }
        plain = true
        inFlight.append(exchange)
        guard unsafe PQsendQuery(handle, text) == 1 else { return lost() }
        flush()
    }

    /// Hands over COPY's data; false: wait until the output has drained.
    func sendCopyData(_ bytes: [UInt8]) -> Bool {
        guard let handle = unsafe handle, state == .ready, copying else { return true }
        let sent = unsafe bytes.withUnsafeBytes { bytes in
            unsafe PQputCopyData(
                handle,
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(truncatingIfNeeded: bytes.count)
            )
        }
        guard sent == 1 else {
            lost()
            return true
        }
        flush()
        return !isWriting
    }

    /// Ends COPY's data, or gives it up so that the server undoes it.
    func endCopy(givingUp: Bool) {
        guard let handle = unsafe handle, state == .ready, copying else { return }
        copying = false
        let reason = givingUp ? "given up by the client" : nil
        guard unsafe PQputCopyEnd(handle, reason) == 1 else { return lost() }
        flush()
        // A refusal may have been read while the data went out; no more comes to wake us.
        readAnswers()
    }
}

/// Collects rows for COPY in the server's binary form.
///
/// Each value must be of exactly its column's type: `Int64` for `bigint`, `PostgresJSON` for
/// `jsonb`; a text fits `text`, `varchar` and enumerations.
public struct CopyRows {
    var writer = ParameterWriter()
    private(set) var count = 0

    init() {
        // The format's signature, flags and an empty extension.
        writer.append(contentsOf: Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00])
        writer.append(Int32(0))
        writer.append(Int32(0))
    }

    /// Adds a row, its values in the order of the statement's columns.
    public mutating func append(_ values: any PostgresValue...) {
        writer.append(Int16(truncatingIfNeeded: values.count))
        for value in values { _ = writer.framed { value.encode(into: &$0) } }
        count += 1
    }

    mutating func end() { writer.append(Int16(-1)) }
}

private let copyChunkBytes = 64 * 1024

extension LeasedConnection {
    /// Runs a script as the server's own client would: one transaction unless it says otherwise.
    ///
    /// In a transaction use `Transaction.executeScript`.
    public func executeScript(_ script: SQLScript) async throws(DatabaseError) {
        try checkUse()
        let exchange = Exchange(on: database.loop, deadline: waitDeadline())
        exchange.mayCommit = true
        connection.sendPlain(script.text, exchange)
        try await finish(exchange)
    }

    /// Copies rows into a table; answers how many.
    ///
    /// `fill` is called until it answers false; each time it adds as many rows as it likes, some
    /// hundred at once. What it throws undoes the COPY and is thrown on.
    @discardableResult
    public func copyIn(
        _ statement: CopyStatement,
        _ fill: (inout CopyRows) throws -> Bool
    ) async throws -> Int {
        try checkUse()
        let exchange = Exchange(on: database.loop, deadline: waitDeadline())
        exchange.text = statement.text
        exchange.mayCommit = true
        let ready = Exchange(on: database.loop, deadline: exchange.deadline)
        connection.copyReady = ready
        connection.sendPlain(statement.text.sql, exchange)
        try await finish(ready)
        do {
            try await send(fill)
        } catch {
            if isAlive {
                connection.endCopy(givingUp: true)
                _ = try? await finish(exchange)
            }
            throw error
        }
        connection.endCopy(givingUp: false)
        try await finish(exchange)
        return exchange.touchedRows
    }

    private func send(_ fill: (inout CopyRows) throws -> Bool) async throws {
        var rows = CopyRows()
        var more = true
        while more {
            more = try fill(&rows)
            if !more { rows.end() }
            guard !more || rows.writer.bytes.count >= copyChunkBytes else { continue }
            let isThrough = connection.sendCopyData(rows.writer.bytes)
            rows.writer.removeAll()
            guard isAlive else { throw DatabaseError.connectionLost(duringCommit: false) }
            if !isThrough {
                let drained = Exchange(on: database.loop, deadline: waitDeadline())
                connection.drained = drained
                try await finish(drained)
            }
        }
    }
}

extension Transaction {
    /// Runs a script within the transaction; it must not end it.
    public func executeScript(_ script: SQLScript) async throws(DatabaseError) {
        try await begin()
        try await lease.executeScript(script)
    }

    /// Copies rows into a table within the transaction; see `LeasedConnection.copyIn`.
    @discardableResult
    public func copyIn(
        _ statement: CopyStatement,
        _ fill: (inout CopyRows) throws -> Bool
    ) async throws -> Int {
        try await begin()
        return try await lease.copyIn(statement, fill)
    }
}
