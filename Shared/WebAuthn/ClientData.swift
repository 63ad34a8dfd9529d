internal import Crypto
internal import JSONCodec

/// What the browser says that it was asked, and by whom.
///
/// Source: WebAuthn Level 3, 5.8.1. Fields that are not known are passed over, as it says.
struct ClientData: JSONObject {
    let type: String
    let challenge: String
    let origin: String
    let crossOrigin: Bool?
    let topOrigin: String?

    static let json = Object(
        ClientData.init,
        Field("type", \.type),
        Field("challenge", \.challenge),
        Field("origin", \.origin),
        Field("crossOrigin", \.crossOrigin),
        Field("topOrigin", \.topOrigin)
    )

    /// The largest client data that is looked at.
    static let bytesMax = 4_096

    /// Reads and judges it: ceremony, challenge, origin, and that no frame is between.
    /// - Returns: its SHA-256, which authenticators sign.
    static func digest(
        of bytes: [UInt8],
        type: String,
        from party: RelyingParty,
        _ expected: RelyingParty.Expectation
    ) throws(WebAuthnError) -> [UInt8] {
        guard bytes.count <= bytesMax,
            let data = try? JSON.value(ClientData.self, of: bytes, ignoringUnknownFields: true)
        else { throw .malformedClientData }
        guard data.type == type else { throw .wrongType }
        guard let challenge = Base64URL.decode(data.challenge.utf8),
            equalInConstantTime(SHA256.digest(challenge), expected.challengeDigest)
        else { throw .wrongChallenge }
        guard data.origin.utf8.elementsEqual(party.origin.utf8) else { throw .wrongOrigin }
        guard data.crossOrigin != true, data.topOrigin == nil else { throw .crossOrigin }
        return SHA256.digest(bytes)
    }
}
