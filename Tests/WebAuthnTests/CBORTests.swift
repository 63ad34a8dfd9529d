import Crypto
import Testing

@testable import WebAuthn

/// CBOR as strangers may write it: nothing but the shortest, whole and bounded is read.
@Suite struct CBORTests {
    private func fault(_ bytes: [UInt8]) -> CBOR.Fault? {
        do { _ = try CBOR(document: bytes) } catch { return error }
        return nil
    }

    @Test func valuesAreRead() throws {
        let cases: [([UInt8], CBOR)] = [
            ([0x17], .integer(23)), ([0x18, 24], .integer(24)), ([0x20], .integer(-1)),
            ([0x39, 1, 0], .integer(-257)), ([0x19, 1, 0], .integer(256)),
            ([0x1A, 0, 1, 0, 0], .integer(65_536)),
            ([0x1B, 0, 0, 0, 1, 0, 0, 0, 0], .integer(4_294_967_296)),
            ([0x1B, 0x7F] + [UInt8](repeating: 0xFF, count: 7), .integer(.max)),
            ([0x3B, 0x7F] + [UInt8](repeating: 0xFF, count: 7), .integer(.min)),
            ([0x42, 1, 2], .bytes([1, 2])), ([0x40], .bytes([])),
            ([0x62, 0xC3, 0xA9], .text("é")), ([0x80], .array([])), ([0xA0], .map([:])),
            ([0x82, 1, 0xF5], .array([.integer(1), .boolean(true)])), ([0xF6], .null),
            ([0xA1, 1, 0xF4], .map([.integer(1): .boolean(false)])),
        ]
        for (bytes, value) in cases {
            let read = try CBOR(document: bytes)
            #expect(read == value)
        }
    }

    @Test func whatIsNotCanonicalIsRefused() {
        let cases: [([UInt8], CBOR.Fault)] = [
            ([], .malformed), ([0x18], .malformed), ([0x42, 1], .malformed),
            ([0x61, 0xFF], .malformed), ([0x81], .malformed), ([0xA1, 1], .malformed),
            ([0x18, 23], .notShortest), ([0x19, 0, 255], .notShortest),
            ([0x1A, 0, 0, 255, 255], .notShortest), ([0x58, 1, 0], .notShortest),
            ([0x98, 1, 0], .notShortest), ([0xB8, 0], .notShortest), ([0x38, 3], .notShortest),
            ([0x1B, 0, 0, 0, 0, 1, 1, 1, 1], .notShortest),
            ([0x5F, 0x41, 1, 0xFF], .refusedKind), ([0x7F, 0xFF], .refusedKind),
            ([0x9F, 0xFF], .refusedKind), ([0xBF, 0xFF], .refusedKind), ([0xFF], .refusedKind),
            ([0xC0, 0], .refusedKind), ([0xF9, 0, 0], .refusedKind), ([0xF7], .refusedKind),
            ([0xFB, 0, 0, 0, 0, 0, 0, 0, 0], .refusedKind),
            ([0x1B] + [UInt8](repeating: 0xFF, count: 8), .refusedKind),
            ([0x3B] + [UInt8](repeating: 0xFF, count: 8), .refusedKind),
            ([0xA2, 1, 1, 1, 2], .doubledKey), ([0xA2, 0x61, 0x61, 1, 0x61, 0x61, 2], .doubledKey),
            ([0, 0], .trailingBytes), ([0xA0, 0xA0], .trailingBytes),
            ([0x81, 0x81, 0x81, 0x81, 0x81, 0], .tooMuch),
            ([0x9B] + [UInt8](repeating: 0xFF, count: 8), .tooMuch),
            ([0xBB] + [UInt8](repeating: 0x7F, count: 8), .tooMuch),
            ([0x99, 1, 0] + [UInt8](repeating: 0, count: 256), .tooMuch),
        ]
        for (bytes, expected) in cases {
            let told = fault(bytes)
            #expect(told == expected, "\(hexadecimal(bytes))")
        }
    }

    @Test func depthOfFourIsTheMost() {
        let four = fault([0x81, 0x81, 0x81, 0x81, 0])
        #expect(four == nil)
    }

    /// Random bytes, biased to heads that mean something, crash nothing, and what is read is
    /// written in one way only: cut off or extended it is another document.
    @Test func randomBytesAreReadOrRefused() {
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: .min ... .max, using: &random)
        var state = seed
        func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
        let heads: [UInt8] = [0, 1, 0x17, 0x18, 0x20, 0x41, 0x58, 0x61, 0x81, 0x82, 0xA1, 0xA2]
        var taken = 0
        for _ in 0..<50_000 {
            let bytes = (0..<next() % 12).map { _ in
                next() % 3 == 0 ? UInt8(truncatingIfNeeded: next()) : heads[Int(next() % 12)]
            }
            guard fault(bytes) == nil else { continue }
            taken += 1
            if fault(bytes + [0]) != .trailingBytes || fault(Array(bytes.dropLast())) == nil {
                Issue.record("seed \(seed): \(hexadecimal(bytes))")
            }
        }
        #expect(taken > 1_000, "seed \(seed)")
    }
}
