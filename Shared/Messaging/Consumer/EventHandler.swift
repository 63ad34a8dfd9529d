public import Postgres
public import WalletProtocol

/// What applies events, within the transaction that also moves their sequences.
///
/// It passes over types that it does not know, has no effect but in the transaction (it may run
/// again), and throws for what it cannot apply.
public enum EventHandler {
    /// One event after another.
    case single((EventEnvelope, Transaction) async throws -> Void)
    /// Many at once, each aggregate's in order; where it throws, it is given fewer, down to one.
    case together(([EventEnvelope], Transaction) async throws -> Void)
}
