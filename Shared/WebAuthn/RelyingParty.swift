internal import Crypto

/// Who asks for passkeys: one origin, and its host as the identifier.
public struct RelyingParty: Sendable, Hashable {
    /// The one origin whose pages may ask, as browsers write it.
    public let origin: String
    /// The relying party's identifier: the origin's host.
    public let id: String
    let idHash: [UInt8]

    /// The party of a public address without a path.
    public init(origin: String) {
        self.origin = origin
        let host = origin.drop { $0 != ":" }.dropFirst(3)
        id = String(host.prefix { $0 != ":" && $0 != "/" })
        idHash = SHA256.digest(id.utf8)
    }

    /// What a ceremony expects to be answered.
    public struct Expectation: Sendable {
        /// SHA-256 of the challenge that was given out.
        public let challengeDigest: [UInt8]
        /// Whether the authenticator must have verified its user.
        public let requiresUserVerification: Bool

        /// What is expected.
        public init(challengeDigest: [UInt8], requiresUserVerification: Bool = true) {
            self.challengeDigest = challengeDigest
            self.requiresUserVerification = requiresUserVerification
        }
    }

    /// A fresh challenge of 32 bytes, to be kept as its SHA-256 alone.
    public static func newChallenge() -> [UInt8] { randomBytes(32) }
}
