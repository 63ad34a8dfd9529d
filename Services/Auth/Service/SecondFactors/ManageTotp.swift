import Crypto
import HTTP
import Postgres
import ServiceKit
import WalletProtocol

/// Who manages their second factor, as the database knows them now.
private func credential(
    of caller: Caller,
    in database: Database
) async throws -> Credential {
    guard
        let found = try await database.queryOne(UserStatements.credentialByID, caller.user.id),
        found.isEnabled
    else { throw APIError(.unauthenticated) }
    return found
}

/// Whether the second factor is on.
struct GetTotp: Handler {
    static let endpoint = SecondFactors.get
    let totp: TotpStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TotpView> {
        let state = try await totp.state(of: caller.user.id)
        return .ok(
            TotpView(
                enabled: state != nil,
                enabledAt: state?.confirmedAt,
                recoveryCodesLeft: Int(state?.codesLeft ?? 0)
            )
        )
    }
}

/// Makes a secret for an authenticator app; in force once a code of it has come.
struct BeginTotp: Handler {
    static let endpoint = SecondFactors.begin
    let database: Database
    let totp: TotpStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<TotpSecret> {
        try caller.user.requireFreshProof()
        let credential = try await credential(of: caller, in: database)
        let secret = Base32.encode(try await totp.begin(by: SessionHolder(caller.user)))
        return .created(
            TotpSecret(secret: secret, uri: Self.uri(secret, credential.email)),
            at: "/v1/users/me/totp"
        )
    }

    /// As authenticator apps read it from a QR code (Key Uri Format).
    private static func uri(_ secret: String, _ email: String) -> String {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
        let name = email.utf8.map { byte in
            allowed.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + hexadecimal([byte]).uppercased()
        }.joined()
        return "otpauth://totp/EZWallet:\(name)?secret=\(secret)&issuer=EZWallet"
            + "&algorithm=SHA1&digits=6&period=30"
    }
}

/// Puts the second factor in force, and shows the first recovery codes.
struct ConfirmTotp: Handler {
    static let endpoint = SecondFactors.confirm
    let database: Database
    let totp: TotpStore
    let configuration: AuthConfiguration

    func handle(
        _ request: Request<NoQuery, ChallengeAnswer>,
        as caller: Caller
    ) async throws -> Response<EnabledTotp> {
        try caller.user.requireFreshProof()
        let credential = try await credential(of: caller, in: database)
        let attempts = AttemptGuard(
            database: database,
            configuration: configuration,
            refusingBy: .lockedOut
        )
        let counted = try await attempts.countSecondFactor(
            of: credential.user,
            from: request.clientAddress
        )
        let (codes, session) = try await totp.confirm(
            request.body.code,
            for: credential,
            by: SessionHolder(caller.user)
        )
        try await attempts.forget([counted.subject])
        let answer = SessionAnswer(session, for: request, configuration: configuration)
        return answer.on(.ok(EnabledTotp(codes: codes, session: answer.tokens)))
    }
}

/// Switches the second factor off.
struct RemoveTotp: Handler {
    static let endpoint = SecondFactors.remove
    let database: Database
    let totp: TotpStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> {
        try caller.user.requireFreshProof()
        try await totp.remove(
            from: try await credential(of: caller, in: database),
            by: SessionHolder(caller.user)
        )
        return .noContent
    }
}

/// Makes new recovery codes in place of the old ones.
struct MakeRecoveryCodes: Handler {
    static let endpoint = SecondFactors.makeCodes
    let database: Database
    let totp: TotpStore

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<RecoveryCodesView> {
        try caller.user.requireFreshProof()
        let codes = try await totp.makeCodes(
            for: try await credential(of: caller, in: database),
            by: SessionHolder(caller.user)
        )
        return .created(RecoveryCodesView(codes: codes))
    }
}
