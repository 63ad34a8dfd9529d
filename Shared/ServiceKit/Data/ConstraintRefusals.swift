internal import Postgres
public import WalletProtocol

/// Runs an effect on a database some of whose rules are its callers' to keep: one that is broken is
/// a refusal, by the constraint's name; of any other it is told as it is.
public func refusing<Value>(
    _ constraints: [String: ErrorCode],
    _ effect: () async throws -> Value
) async throws -> Value {
    do { return try await effect() } catch let error as DatabaseError {
        guard let code = error.violatedConstraint.flatMap({ constraints[$0] }) else { throw error }
        throw APIError(code)
    }
}
