import Crypto
import JOSE
import JSONCodec
import Testing

/// What tokens and keys of others may try.
@Suite struct JOSETests {
    private let signer: ES256Key
    private let payload = Array(#"{"sub":"a"}"#.utf8)
    init() throws { signer = try ES256Key.generate() }

    private func tree(_ text: String) throws -> JSONTree {
        try JSON.value(JSONTree.self, of: Array(text.utf8))
    }

    private func keys() throws -> JWKSet { JWKSet(keys: [try JWK(tree(signer.jwk))]) }

    private func token(_ header: String) -> String {
        let signed =
            Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
        return signed + "." + Base64URL.encode(signer.sign(Array(signed.utf8)))
    }

    private func error(
        of token: String,
        allowing: Set<JOSEAlgorithm> = [.es256]
    ) throws
        -> JOSEError?
    {
        let keys = try keys()
        do {
            _ = try VerifiedJWS(token.utf8, by: keys, allowing: allowing)
            return nil
        } catch { return error }
    }

    @Test func aGoodTokenIsVerified() throws {
        let good = try VerifiedJWS(
            token(#"{"alg":"ES256","kid":"\#(signer.id)","typ":"JWT"}"#).utf8,
            by: keys(),
            allowing: [.es256]
        )
        #expect(good.payload == payload && good.type == "JWT" && good.algorithm == .es256)
        // Without a name the only key is meant.
        #expect(try error(of: token(#"{"alg":"ES256"}"#)) == nil)
        // A key of the header's own is passed over; ours has signed.
        #expect(try error(of: token(#"{"alg":"ES256","jku":"https://x","x5c":["AA"]}"#)) == nil)
    }

    @Test func whatAHeaderMayNotSayIsRefused() throws {
        let id = signer.id
        let cases: [(String, JOSEError)] = [
            (#"{"alg":"none"}"#, .wrongAlgorithm), (#"{"alg":"None"}"#, .wrongAlgorithm),
            (#"{"alg":"HS256","kid":"\#(id)"}"#, .wrongAlgorithm),
            (#"{"alg":"RS256","kid":"\#(id)"}"#, .wrongAlgorithm),
            (#"{"alg":"es256"}"#, .wrongAlgorithm), (#"{"alg":["ES256"]}"#, .malformed),
            (#"{"kid":"\#(id)"}"#, .malformed), (#"{"alg":"ES256","kid":7}"#, .malformed),
            (#"{"alg":"ES256","kid":"other"}"#, .unknownKey),
            (#"{"alg":"ES256","kid":""}"#, .unknownKey),
            (#"{"alg":"ES256","crit":["exp"]}"#, .critical),
            (#"{"alg":"ES256","crit":[]}"#, .critical),
            (#"{"alg":"ES256","b64":false}"#, .critical),
            (#"{"alg":"ES256","b64":false,"crit":["b64"]}"#, .critical),
            (#"{"alg":"none","alg":"ES256"}"#, .malformed), ("[]", .malformed), ("", .malformed),
            (#"{"alg":"ES256"} x"#, .malformed),
        ]
        for (header, expected) in cases {
            let found = try error(of: token(header), allowing: [.es256, .rs256])
            #expect(found == expected, "\(header)")
        }
        // An algorithm that is not taken here, though the key is of it.
        #expect(
            try error(of: token(#"{"alg":"ES256"}"#), allowing: [.rs256]) == .wrongAlgorithm
        )
    }

    @Test func spellingsAndChangedSignaturesAreRefused() throws {
        let good = token(#"{"alg":"ES256"}"#)
        let parts = good.split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2].utf8))
        func with(_ bytes: [UInt8]) -> String {
            parts[0] + "." + parts[1] + "." + Base64URL.encode(bytes)
        }
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        let full = [UInt8](repeating: 255, count: 32)
        // R and S as DER, cut, longer, zero, or n and more.
        let der: [UInt8] = [0x30, 70, 2, 33, 0] + r + [2, 33, 0] + s
        for bytes in [
            der, r, Array(signature.dropLast()), signature + [0], zero + s, r + zero,
            zero + zero, full + s, r + full, s + r, [],
        ] {
            let found = try error(of: with(bytes))
            #expect(found == .wrongSignature)
        }
        for spelling in [
            good + "=", good + ".", "." + good, " " + good, good + "\n", good + ".e30",
            parts[0] + "." + parts[1], parts[0] + "=." + parts[1] + "." + parts[2], "",
            parts[0] + "." + parts[1] + "." + parts[2].dropLast() + "_",
        ] {
            let found = try error(of: spelling)
            #expect(found == .malformed, "\(spelling)")
        }
        let huge = String(repeating: "A", count: VerifiedJWS.bytesMax)
        #expect(try error(of: good + huge) == .malformed)
    }

    @Test func aHighSCountsAsJOSEAllows() throws {
        // s and n - s are both signatures: no identity of a token rests on its bytes.
        let signed = token(#"{"alg":"ES256"}"#)
        let parts = signed.split(separator: ".").map(String.init)
        var bytes = try #require(Base64URL.decode(parts[2].utf8))
        let order: [UInt8] =
            [255, 255, 255, 255, 0, 0, 0, 0] + [UInt8](repeating: 255, count: 8)
            + [
                0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63,
                0x25, 0x51,
            ]
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(bytes[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            bytes[32 + index] = UInt8(difference + 256 * borrow)
        }
        let other = parts[0] + "." + parts[1] + "." + Base64URL.encode(bytes)
        #expect(try error(of: other) == nil)
    }

    private func keyError(_ text: String) throws -> JWKError? {
        let member = try tree(text)
        do {
            _ = try JWK(member)
            return nil
        } catch { return error }
    }

    @Test func keysThatAreNoneAreRefused() throws {
        let (x, y) = (Base64URL.encode(signer.x), Base64URL.encode(signer.y))
        let point = #""x":"\#(x)","y":"\#(y)""#
        // Of a key whose private half was thrown away.
        let modulus =
            "oWSHLzNV6eOUHBeHWlOTf51xhKpL1-cm4vDNPrUO9Nt67VfvQBVQ3U3cXA4tD0nrC_b_IrZjKavLaKKI"
            + "_AiiEviqGOdcyTXdTNREysFrEE6_00sGp5Axs5udpv3Qv_Hjr16f_mkNOLtnidz9hx3pvJr3RFmqjGZx"
            + "4X9lvVjBa3AgVI8-3137cU3OCEuT_W51NmzQGqCFBmX6etbdczp2d4bEcqdg4e1wrHkJuJcK1eO-ZWqp"
            + "fVacvfA3gXftKRDRn4O0OSt1EBgQp1SvREPYXN6YUla0guAijow_WD5edg7_3JPAxFRtmUUBB9-i-bw7"
            + "rvZClPZODc6De6Zrc2Fx0w"
        let cases: [(String, JWKError?)] = [
            (#"{"kty":"EC","crv":"P-256",\#(point)}"#, nil),
            (#"{"kty":"EC","crv":"P-256",\#(point),"key_ops":["verify"]}"#, nil),
            (#"{"kty":"EC","crv":"P-256",\#(point),"key_ops":["sign"]}"#, .wrongUse),
            (#"{"kty":"EC","crv":"P-256",\#(point),"use":"enc"}"#, .wrongUse),
            (#"{"kty":"EC","crv":"P-256",\#(point),"d":"AA"}"#, .secret),
            (#"{"kty":"EC","crv":"P-256",\#(point),"alg":"RS256"}"#, .unsupported),
            (#"{"kty":"EC","crv":"secp256k1",\#(point)}"#, .unsupported),
            (#"{"kty":"EC","crv":"P-384",\#(point)}"#, .invalid),
            (#"{"kty":"EC","crv":"P-256","x":"\#(y)","y":"\#(x)"}"#, .invalid),
            (#"{"kty":"EC","crv":"P-256","x":"\#(x)="}"#, .invalid),
            (#"{"kty":"oct","k":"AA"}"#, .secret), (#"{"kty":"oct"}"#, .secret),
            (#"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#, nil),
            (#"{"kty":"RSA","n":"\#(modulus)","e":"AQ"}"#, .invalid),
            (#"{"kty":"RSA","n":"\#(modulus)","e":"Ag"}"#, .invalid),
            (#"{"kty":"RSA","n":"\#(modulus)","e":"AAAA"}"#, .invalid),
            (#"{"kty":"RSA","n":"\#(modulus)","e":"AQAAAAAAAAAB"}"#, .invalid),
            (#"{"kty":"RSA","n":"\#(modulus.dropLast(2))AA","e":"AQAB"}"#, .invalid),
            (#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, .invalid),
            (#"{"kty":"RSA","n":"\#(modulus)","e":"AQAB","alg":"none"}"#, .unsupported),
            (#"{"kty":"OKP","crv":"X25519","x":"\#(x)"}"#, .unsupported),
            (#"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#, nil),
            (#"{"kid":"a"}"#, .malformed), ("[]", .malformed),
        ]
        for (text, expected) in cases {
            let found = try keyError(text)
            #expect(found == expected, "\(text)")
        }
        let large = Base64URL.encode([UInt8](repeating: 0xff, count: 1_025))
        #expect(try keyError(#"{"kty":"RSA","n":"\#(large)","e":"AQAB"}"#) == .invalid)
    }

    @Test func aSetPassesOverOthersButNoSecretAndNoName() throws {
        let own = signer.jwk
        let other = try ES256Key.generate().jwk
        let enc = #"{"kty":"RSA","use":"enc","n":"AA","e":"AQAB","kid":"\#(signer.id)"}"#
        let set = try JWKSet(Array(#"{"keys":[\#(own),\#(other),\#(enc),{"kty":"X"}]}"#.utf8))
        #expect(set.keys.count == 2 && set.keys.first?.keyID == signer.id)
        for (text, expected) in [
            (#"{"keys":[\#(own),\#(own)]}"#, JWKError.ambiguous),
            (#"{"keys":[\#(own),{"kty":"oct","k":"AA"}]}"#, .secret),
            (#"{"keys":{}}"#, .malformed), ("{", .malformed), ("", .malformed),
            (
                #"{"keys":[\#(Array(repeating: "{}", count: 65).joined(separator: ","))]}"#,
                .ambiguous
            ),
        ] {
            #expect(throws: expected) { try JWKSet(Array(text.utf8)) }
        }
    }
}
