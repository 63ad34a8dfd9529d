internal import Crypto
public import HTTP
internal import Loops
package import WalletProtocol

/// Finds out who asks, on one loop.
///
/// The token comes as `Authorization: Bearer`, or from a browser in `__Host-access`, where every
/// unsafe method must carry our own `Origin`. A service acts for a user by its own token in
/// `Authorization` and the user's beside it in `X-EZWallet-User`; both are verified.
package final class Identity {
    private let verifier: TokenVerifier
    private let revocations: Revocations
    private let publicOrigin: String
    private var gatewayToken: [UInt8] = []
    private var gatewayTokenExpiresAt = 0
    private var gatewayTokenKeyID = ""

    /// With the keys and the revocations of this executable.
    package init(verifier: TokenVerifier, revocations: Revocations, publicOrigin: String) {
        self.verifier = verifier
        self.revocations = revocations
        self.publicOrigin = publicOrigin
    }

    /// How often whoever waits for the list looks, and how long at most: an asking that was under
    /// way ends at once, and the next one begins after a quarter of a second.
    private static let waiting: (step: UInt64, most: UInt64) = (10_000_000, 1_500_000_000)

    /// Refuses changes while nobody can say who has been revoked.
    ///
    /// A process that stood still, as one frozen does, hears first.
    func checkFreshness(on loop: EventLoop) async throws(APIError) {
        if revocations.isFresh { return }
        let began = loop.now
        // Cannot wrap: the clock never goes back.
        while revocations.isWaking, loop.now &- began < Self.waiting.most {
            guard (try? await loop.sleep(nanoseconds: Self.waiting.step)) != nil else { break }
        }
        guard revocations.isFresh else {
            throw APIError(
                .unavailable,
                "rights cannot be checked right now",
                retryAfterSeconds: 1
            ).caused(by: unfitReplica)
        }
    }

    func caller(of request: HTTPRequest, for right: Right) async throws(APIError) -> Caller {
        switch right {
        case .anyone, .internalAnyone:
            // A token that is there and good is used; a bad one does not shut a public call.
            guard let user = try? await user(of: request) else { return .anyone }
            return .user(user)
        case .internalUser where request.head.value(.xEZWalletUser) == nil:
            throw APIError(.unauthenticated)
        case .user, .internalUser:
            let user = try await user(of: request)
            guard user.roles.contains(.user) || user.roles.contains(.admin) else {
                throw APIError(.forbidden)
            }
            return .user(user)
        case .signedIn: return .user(try await user(of: request))
        case .role(let role):
            let user = try await user(of: request)
            guard user.roles.contains(role) else { throw APIError(.forbidden) }
            return .user(user)
        case .internalService:
            return .service(try await service(of: request))
        }
    }

    private func user(of request: HTTPRequest) async throws(APIError) -> UserIdentity {
        let head = request.head
        if let acting = head.value(.xEZWalletUser) {
            _ = try await service(of: request)
            return try await user(acting)
        }
        return try await client(of: request)
    }

    /// Whose own token a request has, whatever else it says: a client acts for nobody.
    package func client(of request: HTTPRequest) async throws(APIError) -> UserIdentity {
        let head = request.head
        if let bearer = bearer(head) { return try await user(bearer) }
        guard let cookie = cookie("__Host-access", in: head) else {
            throw APIError(.unauthenticated)
        }
        guard head.method.isSafe || head.isFrom(publicOrigin) else {
            throw APIError(.unauthenticated, "the Origin is not ours")
                .caused(by: SecurityEvent.foreignOrigin)
        }
        return try await user(cookie)
    }

    /// The sender of a refused request, as far as a valid token says.
    func sender(of request: HTTPRequest) async -> SecuritySender {
        if let user = try? await user(of: request) { return .user(user.id) }
        if let service = try? await service(of: request) { return .service(service) }
        return .nobody
    }

    /// Whose token it is.
    /// - Throws: 401 where it does not count; 503 where nobody can say.
    package func user(_ token: ArraySlice<UInt8>) async throws(APIError) -> UserIdentity {
        let user = try await verifier.user(token)
        // Before the list has been loaded once, nobody can say that a token still counts.
        guard revocations.isLoaded else {
            throw APIError(.unavailable, retryAfterSeconds: 1).caused(by: unfitReplica)
        }
        guard !revocations.isRevoked(user) else {
            throw APIError(.unauthenticated)
        }
        return user
    }

    private func service(of request: HTTPRequest) async throws(APIError) -> ServiceName {
        guard let bearer = bearer(request.head) else { throw APIError(.unauthenticated) }
        return try await service(bearer)
    }

    private func service(_ token: ArraySlice<UInt8>) async throws(APIError) -> ServiceName {
        let (claims, keyID) = try await verifier.verify(
            token,
            audience: AccessClaims.serviceAudience
        )
        guard claims.subject.hasPrefix(AccessClaims.servicePrefix),
            let name = ServiceName(
                rawValue: String(claims.subject.dropFirst(AccessClaims.servicePrefix.count))
            ),
            !revocations.isRevoked(keyID: keyID)
        else { throw APIError(.unauthenticated) }
        return name
    }

    /// The client's address: what the gateway says, beside its token; else who connected.
    func clientAddress(of request: HTTPRequest) async -> String {
        let head = request.head
        guard let token = head.value(.xEZWalletGateway),
            let address = head.text(.xEZWalletClientAddress)
        else { return request.peer.text }
        let now = Int(Instant.now().secondsSince1970)
        // The gateway's token is nearly always the last one seen: compared, not verified again.
        if gatewayTokenExpiresAt > now, equalInConstantTime(gatewayToken, token),
            !revocations.isRevoked(keyID: gatewayTokenKeyID)
        {
            return address
        }
        guard
            let (claims, keyID) = try? await verifier.verify(
                token,
                audience: AccessClaims.serviceAudience
            ),
            claims.subject == AccessClaims.servicePrefix + ServiceName.gateway.rawValue,
            !revocations.isRevoked(keyID: keyID)
        else { return request.peer.text }
        gatewayToken = Array(token)
        gatewayTokenKeyID = keyID
        gatewayTokenExpiresAt = claims.expiresAt
        return address
    }

    private func bearer(_ head: MessageHead) -> ArraySlice<UInt8>? {
        guard !head.isRepeated(.authorization), let value = head.value(.authorization),
            value.count > 7
        else { return nil }
        let scheme = value.prefix(7)
        guard String(decoding: scheme, as: UTF8.self).lowercased() == "bearer " else { return nil }
        return value.dropFirst(7)
    }
}

extension MessageHead {
    /// Whether a page of that origin asks: it says so once, and exactly (RFC 6454, 7).
    public func isFrom(_ origin: String) -> Bool {
        !isRepeated(.origin) && text(.origin) == origin
    }
}

/// The value of a cookie of the request (RFC 6265, 4.2).
public func cookie(_ name: String, in head: MessageHead) -> ArraySlice<UInt8>? {
    guard let value = head.value(.cookie) else { return nil }
    for part in value.split(separator: UInt8(ascii: ";")) {
        let pair = part.drop { $0 == 0x20 }
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
        if pair[..<equals].elementsEqual(name.utf8) { return pair[(equals + 1)...] }
    }
    return nil
}
