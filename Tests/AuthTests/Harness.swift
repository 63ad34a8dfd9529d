import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Auth on a real database, called over a socket.
struct Harness {
    let rig: ServiceRig
    let parts: AuthParts
    var database: Database { rig.service.database }

    static let password = "correct-horse-battery-7"

    static func run(
        _ settings: [String: String] = [:],
        gatewayPort: Int = 1,
        _ body: @escaping @Sendable (isolated LoopActor, Harness) async throws -> Void
    ) async throws {
        let environment = [
            "EZWALLET_SEALING_SECRET": ServiceRig.secret + "s",
            "EZWALLET_TOKEN_SECRET": ServiceRig.secret + "t",
            "EZWALLET_EMAIL_DOMAIN_CHECK": "off",
            "EZWALLET_REGISTRATIONS_PER_ADDRESS_MAX": "0",
        ]
        try await ServiceRig.run(
            authService,
            environment: environment.merging(settings) { $1 },
            gatewayPort: gatewayPort
        ) { actor, rig in
            try await body(actor, Harness(rig: rig, parts: try AuthParts(rig.service)))
        }
    }

    func post(_ path: String, _ body: some JSONValue) async throws -> ServiceRig.Answer {
        try await rig.call(.post, path, body: JSON.write(body))
    }

    /// Somebody new, signed in.
    func register(
        email: String = "p\(ID<User>.new().text.suffix(12))@example.org",
        username: String? = nil
    ) async throws -> (email: String, session: SessionTokens, id: ID<User>) {
        let body = NewUser(email: email, password: Self.password, username: username)
        let answer = try await post("/v1/users", body)
        try #require(answer.status == 201, "\(answer.text)")
        let view = try JSON.read(RegistrationView.self, from: answer.body)
        return (email, view.session, view.user.id)
    }

    func logIn(
        _ identifier: String,
        _ password: String = password,
        method: LogInMethod = .password
    ) async throws -> ServiceRig.Answer {
        try await post(
            "/v1/sessions",
            NewSession(identifier: identifier, password: password, method: method)
        )
    }

    func refresh(_ token: String?) async throws -> ServiceRig.Answer {
        try await post("/v1/sessions/refresh", SessionRefresh(refreshToken: token))
    }

    /// What waits for somebody, oldest first: template and parameters.
    func messages(to recipient: String) async throws -> [(MessageTemplate, [String: String])] {
        let all = Statement("select id, sealed from auth.message_job order by id") { row in
            try (row.value(0, as: ID<OutgoingMessage>.self), row.bytes(1))
        }
        let seal = parts.configuration.messageSeal
        return try await database.query(all).compactMap { id, sealed in
            let message = try JSON.read(
                NewMessage.self,
                from: seal.open(sealed, context: id.bytes)
            )
            guard message.recipient == recipient else { return nil }
            let bytes = try #require(
                Base64URL.decode(message.sealedParameters.utf8)
            )
            let parameters = try JSON.read(
                [String: String].self,
                from: seal.open(bytes, context: id.bytes)
            )
            return (message.template, parameters)
        }
    }

    /// The newest code for somebody.
    func code(for recipient: String) async throws -> String {
        let codes = try await messages(to: recipient).compactMap { $0.1["code"] }
        return try #require(codes.last)
    }
}
