internal import COpenSSL
internal import JSONCodec

/// A key that is none: wrong curve, wrong length, or damaged.
public struct InvalidKey: Error, Equatable, Sendable {
    /// Invalid.
    public init() {}
}

// Safety: an EVP_PKEY is reference-counted and only read after it was made; OpenSSL 3 allows that
// from any thread.
/// A P-256 key, private or public, for ES256 (RFC 7518, 3.4).
@safe public final class ES256Key: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// The point's first coordinate, 32 bytes.
    public let x: [UInt8]
    /// The point's second coordinate, 32 bytes.
    public let y: [UInt8]
    /// Whether it can sign.
    public let isPrivate: Bool
    /// The key's name: its RFC 7638 thumbprint.
    public let id: String

    private init(owning pointer: OpaquePointer, isPrivate: Bool) throws(InvalidKey) {
        unsafe self.pointer = pointer
        self.isPrivate = isPrivate
        var point = [UInt8](repeating: 0, count: 65)
        var length = 0
        guard
            unsafe EVP_PKEY_get_octet_string_param(
                pointer,
                OSSL_PKEY_PARAM_PUB_KEY,
                &point,
                point.count,
                &length
            ) == 1,
            length == 65, point[0] == 4
        else {
            unsafe EVP_PKEY_free(pointer)
            throw InvalidKey()
        }
        x = Array(point[1..<33])
        y = Array(point[33..<65])
        let canonical =
            #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.encode(x))","#
            + #""y":"\#(Base64URL.encode(y))"}"#
        id = Base64URL.encode(SHA256.digest(canonical.utf8))
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// A new private key.
    public static func generate() throws(InvalidKey) -> ES256Key {
        guard let key = unsafe ezwallet_generate_p256() else { throw InvalidKey() }
        return unsafe try ES256Key(owning: key, isPrivate: true)
    }

    /// A public key by its coordinates; the point must lie on the curve.
    public convenience init(x: [UInt8], y: [UInt8]) throws(InvalidKey) {
        guard x.count == 32, y.count == 32 else { throw InvalidKey() }
        let point: [UInt8] = [4] + x + y
        guard let key = unsafe ezwallet_p256_from_point(point, point.count) else {
            throw InvalidKey()
        }
        unsafe try self.init(owning: key, isPrivate: false)
    }

    /// A private key by its PKCS #8 DER.
    public convenience init(der: [UInt8]) throws(InvalidKey) {
        guard let key = unsafe ezwallet_key_from_der(der, der.count) else { throw InvalidKey() }
        unsafe try self.init(owning: key, isPrivate: true)
    }

    /// The private key as PKCS #8 DER.
    public var der: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = unsafe ezwallet_key_to_der(pointer, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, Int(count))))
    }

    /// The public key as a JWK with `kid`, `use` and `alg` (RFC 7517).
    public var jwk: String {
        #"{"kty":"EC","crv":"P-256","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))","#
            + #""kid":"\#(id)","use":"sig","alg":"ES256"}"#
    }

    /// The 64 bytes R ‖ S of a signature over the bytes (RFC 7518, 3.4).
    public func sign(_ bytes: [UInt8]) -> [UInt8] {
        // Cannot fire: who signs has generated the key, or read it from its sealed DER.
        precondition(isPrivate, "a public key signs nothing")
        var signature = [UInt8](repeating: 0, count: 64)
        let done = unsafe ezwallet_es256_sign(pointer, bytes, bytes.count, &signature)
        // Cannot fire: any bytes are signed, by a private key that is whole.
        precondition(done == 1, "ES256 failed")
        return signature
    }

    /// Whether the 64 bytes R ‖ S are this key's signature over the bytes.
    public func verify(_ signature: [UInt8], over bytes: [UInt8]) -> Bool {
        guard signature.count == 64 else { return false }
        return unsafe ezwallet_es256_verify(pointer, bytes, bytes.count, signature) == 1
    }
}
