import Crypto
import HTTP
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What the tests of codes, second factors and passwords do again and again.
extension Harness {
    /// A call of somebody signed in.
    func call(
        _ method: HTTPMethod,
        _ path: String,
        _ body: [UInt8]? = nil,
        as token: String?,
        headers: [(StaticString, String)] = []
    ) async throws -> ServiceRig.Answer {
        try await rig.call(method, path, headers: headers, body: body, token: token)
    }

    func answer(
        _ challenge: ID<Challenge>,
        _ code: String,
        as token: String? = nil
    ) async throws -> ServiceRig.Answer {
        try await call(
            .post,
            "/v1/challenges/\(challenge.text)/answers",
            JSON.write(ChallengeAnswer(code: code)),
            as: token
        )
    }

    func challenge(
        _ body: NewChallenge,
        as token: String? = nil,
        headers: [(StaticString, String)] = []
    ) async throws -> ServiceRig.Answer {
        try await call(.post, "/v1/challenges", JSON.write(body), as: token, headers: headers)
    }

    /// The challenge in an answer.
    func view(_ answer: ServiceRig.Answer) throws -> ChallengeView {
        try #require(answer.status == 202, "\(answer.text)")
        if let pending = try? JSON.read(PendingLogIn.self, from: answer.body) {
            return pending.challenge
        }
        return try JSON.read(ChallengeView.self, from: answer.body)
    }

    func tokens(_ answer: ServiceRig.Answer) throws -> SessionTokens {
        try #require(answer.status == 201, "\(answer.text)")
        return try JSON.read(SessionTokens.self, from: answer.body)
    }

    /// What an access token says.
    func claims(_ token: String?) throws -> AccessClaims {
        let parts = try #require(token).split(separator: ".")
        let payload = try #require(Base64URL.decode(parts[1].utf8))
        return try JSON.read(AccessClaims.self, from: payload, ignoringUnknownFields: true)
    }

    /// A phone proved and put into an account.
    func givePhone(_ phone: String, to user: ID<User>) async throws {
        let set = Statement<Void>("update auth.user_account set phone = $2 where id = $1")
        try await database.execute(set, user, phone)
    }

    /// As though somebody had followed the link to their address.
    func prove(_ user: ID<User>) async throws {
        let set = Statement<Void>(
            "update auth.user_account set email_verified_at = now() where id = $1"
        )
        try await database.execute(set, user)
    }

    /// As though somebody had proved their address, and added all they have, long ago.
    func settle(_ user: ID<User>, days: Int32 = 30) async throws {
        let all: [Statement<Void>] = [
            Statement(
                """
                update auth.user_account
                set email_verified_at = now() - make_interval(days => $2),
                    phone_set_at = now() - make_interval(days => $2)
                where id = $1
                """
            ),
            Statement(
                """
                update auth.passkey set created_at = now() - make_interval(days => $2)
                where user_id = $1
                """
            ),
            Statement(
                """
                update auth.totp set confirmed_at = now() - make_interval(days => $2)
                where user_id = $1
                """
            ),
            Statement(
                """
                update auth.recovery_code set created_at = now() - make_interval(days => $2)
                where user_id = $1
                """
            ),
        ]
        for statement in all { try await database.execute(statement, user, days) }
    }

    /// Sets another password by a recovery; the answer of its last step.
    func recover(_ email: String, _ password: String) async throws -> ServiceRig.Answer {
        let begun = try await post("/v1/password-recoveries", NewRecovery(email: email))
        try #require(begun.status == 202, "\(begun.text)")
        let path =
            "/v1/password-recoveries/"
            + (try JSON.read(RecoveryView.self, from: begun.body).id.text)
        let code = try await code(for: email)
        let answered = try await post(path + "/answers", RecoveryAnswer(code: code))
        try #require(answered.status == 200, "\(answered.text)")
        let token = try JSON.read(RecoveryProof.self, from: answered.body).recoveryToken
        let body = RecoveredPassword(recoveryToken: token, newPassword: password)
        return try await call(.put, path + "/password", JSON.write(body), as: nil)
    }

    /// Who holds a session.
    func holder(_ session: SessionTokens) throws -> SessionHolder {
        let claims = try claims(session.accessToken)
        return SessionHolder(
            user: try #require(ID<User>(claims.subject)),
            session: try #require(claims.session),
            generation: try #require(claims.generation)
        )
    }

    /// As though the session had been opened long ago.
    func makeStale(_ session: SessionTokens) async throws -> SessionTokens {
        let back = Statement<Void>(
            "update auth.session set authenticated_at = now() - interval '1 hour'"
        )
        try await database.execute(back)
        return try tokens(try await refresh(session.refreshToken))
    }

    /// As though so many seconds had passed for all codes and counts.
    func pass(seconds: Int) async throws {
        let all: [Statement<Void>] = [
            Statement(
                """
                update auth.challenge set created_at = created_at - make_interval(secs => $1::int),
                    expires_at = expires_at - make_interval(secs => $1::int)
                """
            ),
            Statement(
                """
                update auth.failed_log_in
                set blocked_until = blocked_until - make_interval(secs => $1::int)
                """
            ),
            Statement(
                """
                update auth.code_budget set began_at = began_at - make_interval(secs => $1::int)
                """
            ),
        ]
        for statement in all { try await database.execute(statement, Int32(seconds)) }
    }

    /// Switches the second factor on; the secret and the recovery codes.
    func enableTotp(_ token: String?) async throws -> (secret: [UInt8], codes: [String]) {
        let (secret, enabled) = try await switchTotpOn(token)
        return (secret, enabled.codes)
    }

    /// The same, with the session that goes on.
    func switchTotpOn(
        _ token: String?
    ) async throws -> (secret: [UInt8], enabled: EnabledTotp) {
        let begun = try await call(.post, "/v1/users/me/totp", as: token)
        try #require(begun.status == 201, "\(begun.text)")
        let secret = try base32(JSON.read(TotpSecret.self, from: begun.body).secret)
        // The step before, so that the current one is still to be used; again where that has just
        // become the one before the step before.
        var confirmed = begun
        for _ in 0..<3 where confirmed.status != 200 {
            confirmed = try await call(
                .post,
                "/v1/users/me/totp/confirmation",
                JSON.write(ChallengeAnswer(code: appCode(secret, -1))),
                as: token
            )
        }
        try #require(confirmed.status == 200, "\(confirmed.text)")
        return (secret, try JSON.read(EnabledTotp.self, from: confirmed.body))
    }

    /// The code that the app shows so many steps from now.
    func appCode(_ secret: [UInt8], _ steps: Int64 = 0) -> String {
        let step = Instant.now().secondsSince1970 / 30 + steps
        return OneTimePassword.code(secret: secret, step: step)
    }

    private func base32(_ text: String) throws -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var bytes: [UInt8] = []
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        for character in text.utf8 {
            pending = pending << 5 | UInt32(try #require(alphabet.firstIndex(of: character)))
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        return bytes
    }
}
