internal import JSONCodec

/// Why a token is refused.
public enum JWSError: Error, Equatable, Sendable {
    case malformed, wrongAlgorithm, unknownKey, wrongSignature
}

/// A token in the compact form, taken apart but not yet believed (RFC 7515, 7.1).
public struct CompactJWS: Sendable {
    /// The header's JSON.
    public let header: [UInt8]
    /// The payload.
    public let payload: [UInt8]
    let signature: [UInt8]
    let signedBytes: [UInt8]

    /// The largest token of ours that is looked at.
    public static let bytesMax = 8_192

    /// Takes the three parts of a token; strict in its base64url.
    public init(
        _ token: some Collection<UInt8>,
        bytesMax: Int = Self.bytesMax
    ) throws(JWSError) {
        guard token.count <= bytesMax else { throw .malformed }
        let parts = Array(token).split(
            separator: UInt8(ascii: "."),
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, let header = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        self.header = header
        self.payload = payload
        self.signature = signature
        signedBytes = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
    }

    /// Whether the signature is this key's.
    ///
    /// The algorithm is the key's, ES256; the caller has checked that the header says so, and has
    /// chosen the key among its own by `kid`. `jku`, `jwk` and `x5u` are never looked at.
    public func isSigned(by key: ES256Key) -> Bool { key.verify(signature, over: signedBytes) }

    /// What an access token says that it is (RFC 9068, 2.1), so that nothing else that our keys
    /// sign can stand in for one.
    public static let accessTokenType = "at+jwt"

    /// Whether the signature is this key's, by the key's own algorithm.
    ///
    /// The caller has checked that the header says that algorithm.
    public func isSigned(by key: JOSEKey) -> Bool {
        key.verify(signature, over: signedBytes)
    }

    /// Signs a payload: the whole token.
    public static func sign(
        _ payload: [UInt8],
        with key: ES256Key,
        type: String = accessTokenType
    ) -> String {
        let header = #"{"alg":"ES256","kid":"\#(key.id)","typ":"\#(type)"}"#
        var token = Base64URL.encodedBytes(Array(header.utf8))
        token.append(UInt8(ascii: "."))
        token.append(contentsOf: Base64URL.encodedBytes(payload))
        let signature = key.sign(token)
        token.append(UInt8(ascii: "."))
        token.append(contentsOf: Base64URL.encodedBytes(signature))
        return String(decoding: token, as: UTF8.self)
    }
}
