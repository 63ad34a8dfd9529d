/// A place in the stream up to which the broker had acknowledged what the two marks cover.
struct RelayCheckpoint: Sendable, Equatable {
    /// All rows of the outbox up to this id were acknowledged, at or below `sequence`.
    var mark: Int64
    /// All entries up to this place likewise; 0 where there is no journal.
    var journalMark: Int64 = 0
    /// When the stream was made.
    var streamCreated: Int64
    /// The highest acknowledged sequence of the stream.
    var sequence: UInt64
    /// The event that lies there; empty: nothing was published yet.
    var eventID: String
}

/// What a check of the stream against our memory says.
enum StreamVerdict: Equatable {
    /// Everything acknowledged is there.
    case intact
    /// The stream is another one: all that it held is gone.
    case replaced
    /// Its tail is gone: what was acknowledged after some earlier checkpoint.
    case truncated
}

/// Compares a checkpoint with the stream as it is now.
///
/// The last sequence alone would not do: after a loss other producers fill the lost sequences with
/// events of their own. So the event at our last sequence is looked at, too; where it has aged out
/// (below the first sequence) the tail is intact.
/// - Parameter idAtSequence: the event that lies at the checkpoint's sequence; nil: none.
func verdict(
    on checkpoint: RelayCheckpoint,
    _ state: StreamState,
    idAtSequence: String?
) -> StreamVerdict {
    if state.created != checkpoint.streamCreated { return .replaced }
    if checkpoint.eventID.isEmpty || checkpoint.sequence == 0 { return .intact }
    if state.lastSequence < checkpoint.sequence { return .truncated }
    if checkpoint.sequence < state.firstSequence { return .intact }
    return idAtSequence == checkpoint.eventID ? .intact : .truncated
}
