import ServiceKit
import WalletProtocol

/// Begins a recovery; answers alike whether the address is known or not.
struct BeginRecovery: Handler {
    static let endpoint = Recoveries.begin
    let recoveries: RecoveryStore

    func handle(
        _ request: Request<NoQuery, NewRecovery>,
        as caller: Caller
    ) async throws -> Response<RecoveryView> {
        guard let email = EmailAddress(canonical: request.body.email) else {
            throw APIError.field("/email", .invalidEmail, "is no e-mail address")
        }
        return .accepted(try await recoveries.begin(email: email, from: request.clientAddress))
    }
}

/// Takes the mailed code.
struct AnswerRecovery: Handler {
    static let endpoint = Recoveries.answer
    let recoveries: RecoveryStore

    func handle(
        _ request: Request<NoQuery, RecoveryAnswer>,
        as caller: Caller
    ) async throws -> Response<RecoveryProof> {
        let id = try request.path.id(of: PasswordRecovery.self)
        return .ok(try await recoveries.answer(id, request.body.code))
    }
}

/// Sets the password by the token of a right answer.
struct FinishRecovery: Handler {
    static let endpoint = Recoveries.finish
    let recoveries: RecoveryStore

    func handle(
        _ request: Request<NoQuery, RecoveredPassword>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try await recoveries.finish(request.path.id(of: PasswordRecovery.self), request.body)
        return .noContent
    }
}
