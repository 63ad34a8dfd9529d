internal import CLibpq
internal import Loops

extension Database {
    /// Lends a connection for as long as `body` runs: COPY, cursors, session locks, batches.
    ///
    /// What it leaves in the session (settings, temporary tables, session locks, cursors, an open
    /// transaction) is cleared away afterwards. `body` may use no other connection of this
    /// database.
    @discardableResult
    public func lease<Value>(
        _ body: (LeasedConnection) async throws -> Value
    ) async throws -> Value {
        let lease = try await takeLease()
        let holder = noteHeld()
        defer {
            noLongerHeld(holder)
            giveBack(lease, clearing: true)
        }
        return try await body(lease)
    }

    /// Runs `body` between BEGIN and COMMIT on a connection of its own.
    ///
    /// Run again, after a pause, on 40001, 40P01 and 55P03 and where a prepared plan was stale;
    /// any other error rolls back and is thrown on.
    /// - Throws: `.connectionLost(duringCommit: true)` where the outcome is unknown.
    @discardableResult
    public func transaction<Value>(
        _ options: TransactionOptions = TransactionOptions(),
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        let lease = try await takeLease()
        let holder = noteHeld()
        defer {
            noLongerHeld(holder)
            giveBack(lease, clearing: false)
        }
        return try await runTransaction(options, on: lease, body)
    }

    func runTransaction<Value>(
        _ options: TransactionOptions,
        on lease: LeasedConnection,
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        var attempt = 1
        var planRetries = 0
        while true {
            let transaction = Transaction(on: lease, options)
            do {
                let value = try await body(transaction)
                try await transaction.commit()
                return value
            } catch {
                transaction.rollBack()
                guard let error = error as? DatabaseError else { throw error }
                if error.isStalePlan, planRetries < planRetriesMax {
                    planRetries += 1
                    continue
                }
                guard error.isRetryable, attempt < options.attemptsMax else { throw error }
            }
            counters.transactionRetries += 1
            let pause = (options.pauseMilliseconds * 1_000_000) << UInt64(min(attempt, 10) - 1)
            attempt += 1
            do {
                try await loop.sleep(nanoseconds: UInt64.random(in: pause / 2...max(1, pause)))
            } catch {
                throw DatabaseError.cancelled
            }
        }
    }

    private func takeLease() async throws(DatabaseError) -> LeasedConnection {
        try checkHoldsNone()
        if let free = leased.take() { return LeasedConnection(free, of: self) }
        return LeasedConnection(try await wait(for: leased, until: waitDeadline()), of: self)
    }

    private func giveBack(_ lease: LeasedConnection, clearing: Bool) {
        lease.end()
        let connection = lease.connection
        let session = connection.session
        guard lease.isAlive else { return }
        // A script or COPY that was left alone has no end that could be waited for.
        guard !connection.plain else { return connection.abort() }
        if clearing {
            // Outside a transaction the server would warn of it each time.
            if lease.isInTransaction || !connection.inFlight.isEmpty {
                connection.sendHousekeeping(["rollback"]) {}
            }
            connection.sendHousekeeping(clearingStatements) { [leased] in
                leased.release(connection, of: session)
            }
        } else if connection.inFlight.isEmpty {
            leased.release(connection, of: session)
        } else {
            connection.sendHousekeeping(["select"]) { [leased] in
                leased.release(connection, of: session)
            }
        }
    }
}

/// A transaction may touch several stale statements.
private let planRetriesMax = 8

/// DISCARD ALL without its loss of prepared statements.
private let clearingStatements = [
    "close all", "set session authorization default", "reset all", "unlisten *",
    "select pg_advisory_unlock_all()", "discard temp",
]
