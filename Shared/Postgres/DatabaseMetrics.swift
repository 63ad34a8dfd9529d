/// What a database did so far, and what it is doing, as plain numbers of one loop.
public struct DatabaseMetrics: Sendable, Equatable {
    /// Shared connections that are up.
    public var sharedConnected = 0
    /// Statements under way on shared connections.
    public var sharedInFlight = 0
    /// Requests waiting for a shared connection.
    public var sharedWaiting = 0
    /// Leased connections that are up, lent or not.
    public var leasedConnected = 0
    /// Leased connections that are lent.
    public var leasedInUse = 0
    /// Requests waiting for a lease.
    public var leasedWaiting = 0
    /// Statements answered.
    public var statements = 0
    /// Statements the server refused.
    public var refusals = 0
    /// The time from sending to the answer, over all statements.
    public var latencyNanosecondsSum: UInt64 = 0
    /// Connections that came up.
    public var connects = 0
    /// Attempts to connect that failed.
    public var connectFailures = 0
    /// Connections that broke.
    public var connectionsLost = 0
    /// Sessions ended because a lease's holder gave up waiting.
    public var aborted = 0
    /// Waits ended by a deadline or by cancellation.
    public var abandoned = 0
    /// Requests refused because too many waited.
    public var rejected = 0
    /// Transactions run again.
    public var transactionRetries = 0
    /// Statements run again because their prepared form was stale.
    public var planRetries = 0
}
