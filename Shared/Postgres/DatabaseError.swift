/// What can go wrong between a statement and its rows.
public enum DatabaseError: Error, Sendable {
    /// The server refused the statement.
    case server(ServerError)
    /// The connection broke.
    ///
    /// `duringCommit`: the statement or COMMIT was on its way and may or may not have taken effect.
    case connectionLost(duringCommit: Bool)
    /// No connection could be had; nothing was sent.
    case unavailable(UnavailableReason)
    /// The request's deadline came first; a statement sent on a shared connection runs on.
    case deadline
    /// The task was cancelled.
    case cancelled
    /// A parameter or a column is not what the code takes it for.
    case decoding(DecodingProblem)
    /// COMMIT was answered by a ROLLBACK, for an earlier statement of the transaction had failed.
    case rolledBack
    /// A bug of the caller.
    case misuse(Misuse)

    /// Why there is no connection.
    public enum UnavailableReason: Sendable, Equatable {
        /// As many requests wait as may.
        case queueFull
        /// The last attempt to connect failed; libpq's words, for logs.
        case cannotConnect(String)
        /// The database was closed.
        case closed
    }

    /// Rules that the compiler cannot hold.
    public enum Misuse: Sendable, Equatable {
        /// Who holds a lease may wait for no other connection of the same database.
        case waitsWhileHoldingLease
        /// BEGIN, SET, COPY, LISTEN and their like, on a shared connection.
        case needsLease(statement: String)
        /// The transaction or lease is over.
        case used
        /// COPY or a script while other statements are under way on the same connection.
        case busy
        /// `queryOne` met several rows.
        case severalRows(statement: String)
    }

    /// Whether a whole transaction may be run again: serialization, deadlock or lock timeout.
    public var isRetryable: Bool {
        guard case .server(let error) = self else { return false }
        return error.sqlState == .serializationFailure || error.sqlState == .deadlockDetected
            || error.sqlState == .lockNotAvailable
    }

    /// Whether the server had no room (class 53: disk, memory, connections), or was shutting down
    /// or starting (57P01 to 57P03): the same call succeeds once that is over.
    public var isServerTrouble: Bool {
        guard case .server(let error) = self else { return false }
        return error.sqlState.code.hasPrefix("53")
            || ["57P01", "57P02", "57P03"].contains(error.sqlState.code)
    }

    /// Whether the prepared statement was at fault and nothing was done.
    var isStalePlan: Bool {
        guard case .server(let error) = self else { return false }
        return error.isStalePlan
    }

    /// The name of the violated constraint, where `error` is a violation (class 23).
    public var violatedConstraint: String? {
        guard case .server(let error) = self, error.sqlState.code.hasPrefix("23") else {
            return nil
        }
        return error.constraint
    }
}

/// The server's five letters for a condition.
public struct SQLState: Sendable, Hashable, CustomStringConvertible {
    /// The five letters.
    public let code: String
    /// From the letters.
    public init(_ code: String) { self.code = code }
    /// The letters.
    public var description: String { code }

    /// 40001.
    public static let serializationFailure = SQLState("40001")
    /// 40P01.
    public static let deadlockDetected = SQLState("40P01")
    /// 55P03: NOWAIT or `lock_timeout`.
    public static let lockNotAvailable = SQLState("55P03")
    /// 57014: `statement_timeout` or a cancel.
    public static let queryCanceled = SQLState("57014")
    /// 23505.
    public static let uniqueViolation = SQLState("23505")
    /// 23503.
    public static let foreignKeyViolation = SQLState("23503")
    /// 23514.
    public static let checkViolation = SQLState("23514")
    /// 42501.
    public static let insufficientPrivilege = SQLState("42501")
    /// 42P01.
    public static let undefinedTable = SQLState("42P01")
    /// 26000.
    static let noSuchPreparedStatement = SQLState("26000")
}

/// What the server said; its DETAIL is left out, for it quotes values.
public struct ServerError: Sendable, CustomStringConvertible {
    /// The condition.
    public let sqlState: SQLState
    /// The primary message: for logs, never for clients.
    public let message: String
    /// The constraint, where one was violated.
    public let constraint: String?
    /// The table, where the server names one.
    public let table: String?
    /// The column, where the server names one.
    public let column: String?
    /// Where the statement stands in our code.
    public let statement: String
    /// The statement's plan or name was gone.
    let isStalePlan: Bool

    /// One line without values: data exceptions (class 22) quote their input, so not their message.
    public var description: String {
        var text = "\(sqlState) at \(statement)"
        if let constraint { text += ", constraint \(constraint)" }
        if let table { text += ", table \(table)" }
        if let column { text += ", column \(column)" }
        if !sqlState.code.hasPrefix("22") { text += ": \(message)" }
        return text
    }
}

/// A column or parameter that does not fit; it names places, never values.
public struct DecodingProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where the statement stands in our code.
    public let statement: String
    /// The column's name, or `$n` of a parameter.
    public let column: String
    /// What is wrong with it.
    public let problem: String

    /// One line.
    public var description: String { "\(statement): column \(column): \(problem)" }
}
