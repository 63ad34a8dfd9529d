public import Loops
public import Postgres

/// Returns once somebody waits for a lock that the transaction holds.
///
/// - Throws: after 20 seconds in which nobody did.
public func untilOneWaits(
    for transaction: Transaction,
    on actor: isolated LoopActor
) async throws {
    var tries = 0
    while try await transaction.queryOne(isWaitedFor) != true {
        tries += 1
        guard tries < 4_000 else { throw Subprocess.Failure(description: "nobody waits") }
        try await actor.loop.sleep(nanoseconds: 5_000_000)
    }
}

private let isWaitedFor = Statement(
    """
    select exists (
        select from pg_locks
        where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))
    )
    """
) { row in try row.bool(0) }
