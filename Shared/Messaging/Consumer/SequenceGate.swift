/// What is done with one event of an aggregate.
enum GateDecision: Equatable, Sendable {
    /// It was applied before.
    case duplicate
    /// It is the next: apply it.
    case apply
    /// It is the next and hopeless: record it as a dead letter, and go on.
    case bury
    /// It comes too early, or is the next but has to wait: keep it.
    case park
}

/// The order of one aggregate's events for one consumer: the last sequence is its whole memory.
///
/// States of an event: unknown → parked → applied or buried; below the last sequence it is a
/// duplicate. A consumer applies 1, 2, 3 … each once, in order, whatever arrives. Pure.
struct SequenceGate: Equatable, Sendable {
    /// The last sequence that was applied or buried; 0: none.
    private(set) var last: Int64
    /// Nothing at or above this is applied now, for it failed and waits for its next try.
    private var stuckAt: Int64 = .max

    init(last: Int64) { self.last = last }

    /// Decides on an event; `apply` and `bury` move the gate on.
    mutating func decide(_ sequence: Int64, waits: Bool, hopeless: Bool) -> GateDecision {
        if sequence <= last { return .duplicate }
        // From here on there is a number before the sequence; behind the last there may be none.
        guard sequence - 1 == last, sequence < stuckAt else { return .park }
        if hopeless {
            last = sequence
            return .bury
        }
        if waits {
            stuckAt = sequence
            return .park
        }
        last = sequence
        return .apply
    }

    /// Goes on over sequences that nobody has any more; they are recorded by the caller.
    mutating func skip(to sequence: Int64) { last = max(last, sequence) }
}
