import Loops
import Postgres
import ServiceKit
import Synchronization
import WalletProtocol

/// Something changed, or is held, between two statements: the whole is done again from the start.
struct TryAgain: Error {}

extension Database {
    /// Runs a transaction that posts, again while an account of it is held.
    ///
    /// It keeps no connection between two attempts: otherwise whoever has one account held (by an
    /// import of his own) could take all connections, and everybody's posting with them. One at a
    /// time in a process does wait in the database, in the accounts' own order: whoever only looked
    /// in now and then could look for long on an account that is in every transfer.
    func posting<Value>(_ body: (Transaction) async throws -> Value) async throws -> Value {
        let end = RequestContext.deadline(within: 5_000_000_000)
        var pause: UInt64 = 5_000_000
        var tries = 0
        while true {
            let isPatient = tries >= PostingPatience.triesBefore && PostingPatience.begin()
            let refusals = LimitRefusals()
            do {
                // The turn is given back before it is looked again.
                defer { if isPatient { PostingPatience.end() } }
                let value = try await PostingPatience.$isWaiting.withValue(isPatient) {
                    try await LimitRefusals.$current.withValue(refusals) {
                        try await transaction { try await body($0) }
                    }
                }
                try await refusals.note(in: self)
                return value
            } catch is TryAgain {
                tries += 1
            } catch let error as APIError {
                try await refusals.note(in: self)
                throw error
            }
            guard monotonicNanoseconds() + pause < end else {
                throw APIError(.unavailable, retryAfterSeconds: 1)
            }
            try await loop.sleep(nanoseconds: UInt64.random(in: pause / 2...pause))
            pause = min(pause * 2, 160_000_000)
        }
    }
}

/// Whether a transaction waits for accounts that are held.
enum PostingPatience {
    @TaskLocal static var isWaiting = false
    /// Looks before one waits: most accounts are free by then.
    static let triesBefore = 2
    private static let isTaken = Atomic(false)

    /// Whether the process's turn to wait is ours now.
    static func begin() -> Bool { !isTaken.exchange(true, ordering: .acquiring) }

    static func end() { isTaken.store(false, ordering: .releasing) }
}

extension Transaction {
    /// Posts without waiting for accounts that are held, unless it is our turn to.
    /// - Throws: `TryAgain` where one is.
    func postIfFree(_ postings: [Posting]) async throws -> [PostingOutcome] {
        if PostingPatience.isWaiting { return try await postWaiting(postings) }
        let outcomes = try await post(postings, waits: false)
        if outcomes.contains(where: { $0.status == .busy }) { throw TryAgain() }
        return outcomes
    }

    /// Posts, and waits for accounts that are held: for work of the service's own, on a connection
    /// that it has for itself.
    /// - Throws: 55P03 where one is held for longer than a second, `TryAgain` where one is held
    ///   again and again.
    func postWaiting(_ postings: [Posting]) async throws -> [PostingOutcome] {
        var outcomes = try await post(postings, waits: true)
        var tries = 1
        while true {
            // Taken by another between its turn and ours, or a chain whose accounts were.
            let busy = outcomes.indices.filter { outcomes[$0].status == .busy }
            guard !busy.isEmpty else { return outcomes }
            guard tries < 10 else { throw TryAgain() }
            tries += 1
            let again = try await post(busy.map { postings[$0] }, waits: true)
            for (index, outcome) in zip(busy, again) { outcomes[index] = outcome }
        }
    }
}
