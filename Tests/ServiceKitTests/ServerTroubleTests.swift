import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import ServiceKit

/// What a client is told while the database's server is in trouble.
@Suite struct ServerTroubleTests {
    /// Its disk, its memory or its connections are used up; or it goes down or comes up.
    @Test(arguments: ["53000", "53100", "53200", "53300", "57P03"])
    func troubleOfTheServerPasses(state: String) async throws {
        let error = try await refusal(state)
        let told = apiError(error)
        #expect(told.code == .unavailable && told.retryAfterSeconds != nil, "\(error)")
    }

    @Test(arguments: ["22003", "42P01", "57014"])
    func anyOtherRefusalIsAFault(state: String) async throws {
        #expect(apiError(try await refusal(state)).code == .internalError)
    }

    /// Only a replica that cannot reach its database is at fault itself; what every replica answers
    /// alike, and what is merely busy, says nothing of it.
    @Test func onlyAnUnfitReplicaMarksItsAnswer() async throws {
        let ill: [DatabaseError] = [
            .unavailable(.cannotConnect("refused")), .unavailable(.closed),
            .connectionLost(duringCommit: false), .connectionLost(duringCommit: true),
        ]
        for error in ill { #expect(isMarked(apiError(error)), "\(error)") }
        let others: [any Error] = [
            DatabaseError.unavailable(.queueFull), DatabaseError.deadline, BlockingPoolFull(),
            APIError(.unavailable, retryAfterSeconds: 1), APIError(.rateStale), APIError.notFound,
            try await refusal("53100"), try await refusal("40001"), try await refusal("55P03"),
        ]
        for error in others { #expect(!isMarked(apiError(error)), "\(error)") }
    }

    private func isMarked(_ error: APIError) -> Bool {
        let head = String(decoding: renderProblem(error, nil).headers.bytes, as: UTF8.self)
        return head.contains("x-ezwallet-unfit: 1")
    }

    private func refusal(_ state: String) async throws -> any Error {
        let made = try await PostgresCluster.shared().makeDatabase("kit")
        return try await onLoop { actor in
            let database = Database(configuration: made.owner, loop: actor.loop)
            defer { database.close() }
            try await database.lease { try await $0.executeScript(raiser) }
            do {
                try await database.execute(raise, state)
                throw CancellationError()
            } catch { return error }
        }
    }
}

private let raiser: SQLScript = """
    create function trouble(state text) returns void language plpgsql as $$
    begin raise exception 'no room' using errcode = state; end
    $$;
    """
private let raise = Statement<Void>("select trouble($1)")
