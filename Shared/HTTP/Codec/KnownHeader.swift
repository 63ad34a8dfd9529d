/// Header fields that the codec, the gateway or a service looks up by a number instead of a name.
///
/// Append only; the raw text is the name in lower case.
public enum KnownHeader: UInt8, CaseIterable, Sendable {
    /// A field that nobody here looks up.
    case other
    case accept, acceptEncoding, acceptLanguage, authorization, cacheControl, connection
    case contentDisposition, contentEncoding, contentLength, contentType, cookie, date, deprecation
    case etag, expect, host, idempotencyKey, idempotencyReplayed, ifMatch, ifNoneMatch, ifRange
    case keepAlive
    case lastEventID, location, origin, proxyAuthenticate, proxyAuthorization, proxyConnection
    case range, rateLimit, rateLimitPolicy, referer, retryAfter, server, setCookie, te, traceparent
    case tracestate, trailer, transferEncoding, upgrade, userAgent, vary, wwwAuthenticate
    case xEZWalletClientAddress, xEZWalletGateway, xEZWalletHops, xEZWalletUser
    case xForwardedFor, xForwardedHost
    case xForwardedProto, xRequestDeadline, xRequestID
    case xEZWalletUnfit

    /// The name in lower case.
    public var name: StaticString {
        switch self {
        case .other: ""
        case .accept: "accept"
        case .acceptEncoding: "accept-encoding"
        case .acceptLanguage: "accept-language"
        case .authorization: "authorization"
        case .cacheControl: "cache-control"
        case .connection: "connection"
        case .contentDisposition: "content-disposition"
        case .contentEncoding: "content-encoding"
        case .contentLength: "content-length"
        case .contentType: "content-type"
        case .cookie: "cookie"
        case .date: "date"
        case .deprecation: "deprecation"
        case .etag: "etag"
        case .expect: "expect"
        case .host: "host"
        case .idempotencyKey: "idempotency-key"
        case .idempotencyReplayed: "idempotency-replayed"
        case .ifMatch: "if-match"
        case .ifNoneMatch: "if-none-match"
        case .ifRange: "if-range"
        case .keepAlive: "keep-alive"
        case .lastEventID: "last-event-id"
        case .location: "location"
        case .origin: "origin"
        case .proxyAuthenticate: "proxy-authenticate"
        case .proxyAuthorization: "proxy-authorization"
        case .proxyConnection: "proxy-connection"
        case .range: "range"
        case .rateLimit: "ratelimit"
        case .rateLimitPolicy: "ratelimit-policy"
        case .referer: "referer"
        case .retryAfter: "retry-after"
        case .server: "server"
        case .setCookie: "set-cookie"
        case .te: "te"
        case .traceparent: "traceparent"
        case .tracestate: "tracestate"
        case .trailer: "trailer"
        case .transferEncoding: "transfer-encoding"
        case .upgrade: "upgrade"
        case .userAgent: "user-agent"
        case .vary: "vary"
        case .wwwAuthenticate: "www-authenticate"
        case .xEZWalletClientAddress: "x-ezwallet-client-address"
        case .xEZWalletGateway: "x-ezwallet-gateway"
        case .xEZWalletHops: "x-ezwallet-hops"
        case .xEZWalletUnfit: "x-ezwallet-unfit"
        case .xEZWalletUser: "x-ezwallet-user"
        case .xForwardedFor: "x-forwarded-for"
        case .xForwardedHost: "x-forwarded-host"
        case .xForwardedProto: "x-forwarded-proto"
        case .xRequestDeadline: "x-request-deadline"
        case .xRequestID: "x-request-id"
        }
    }

    /// Whether the field concerns one connection and is never sent on.
    ///
    /// Source: RFC 9110, 7.6.1.
    public var isHopByHop: Bool {
        switch self {
        case .connection, .keepAlive, .proxyAuthenticate, .proxyAuthorization, .proxyConnection,
            .te, .trailer, .transferEncoding, .upgrade, .contentLength, .expect:
            true
        default: false
        }
    }
}

// Safety: filled before it is shared, and neither changed nor freed afterwards; every index comes
// from `slots`, whose entries were made from the names themselves.
/// Looks names up by a hash that the parser makes while it checks them.
@safe final class KnownHeaderTable: @unchecked Sendable {
    static let shared = KnownHeaderTable()
    private struct Slot {
        var hash: UInt32 = 0
        var header = KnownHeader.other
        var count: UInt8 = 0
        var offset: UInt16 = 0
    }
    private let slots = UnsafeMutablePointer<Slot>.allocate(capacity: 256)
    private let letters = UnsafeMutablePointer<UInt8>.allocate(capacity: 4_096)

    private init() {
        // Cannot fire: the names are constants, fewer than those.
        precondition(KnownHeader.allCases.count <= 64, "a head has 64 places for known names")
        unsafe slots.initialize(repeating: Slot(), count: 256)
        var offset = 0
        for header in KnownHeader.allCases where header != .other {
            let name = header.name
            let count = name.utf8CodeUnitCount
            // Cannot fire: the names are constants, of some 20 letters each.
            precondition(offset + count <= 4_096, "more names than there is room for")
            var hash = Self.start
            for index in 0..<count {
                unsafe (letters + offset + index).initialize(to: name.utf8Start[index])
                hash = unsafe Self.step(hash, name.utf8Start[index] | 0x20)
            }
            var slot = Int(hash & 255)
            while unsafe slots[slot].header != .other { slot = (slot + 1) & 255 }
            unsafe slots[slot] = Slot(
                hash: hash,
                header: header,
                count: UInt8(count),
                offset: UInt16(offset)
            )
            offset += count
        }
    }

    static let start: UInt32 = 2_166_136_261

    /// FNV-1a, one byte at a time, with bit 5 set, so that the case of letters does not count.
    ///
    /// Wraps: the hash is defined modulo 2^32.
    @inline(__always) static func step(_ hash: UInt32, _ byte: UInt8) -> UInt32 {
        (hash ^ UInt32(byte)) &* 16_777_619
    }

    func find(_ hash: UInt32, _ name: Span<UInt8>) -> KnownHeader {
        var index = Int(hash & 255)
        while true {
            let slot = unsafe slots[index]
            if slot.header == .other { return .other }
            if slot.hash == hash, Int(slot.count) == name.count {
                var at = 0
                while at < name.count,
                    unsafe Characters.lowered(name[at]) == letters[Int(slot.offset) + at]
                { at += 1 }
                if at == name.count { return slot.header }
            }
            index = (index + 1) & 255
        }
    }
}

/// Whether the bytes from `start` are `name` but for the case of ASCII letters.
func equalsLowercased(_ bytes: [UInt8], _ start: Int, _ name: [UInt8]) -> Bool {
    guard start + name.count <= bytes.count else { return false }
    for offset in name.indices
    where Characters.lowered(bytes[start + offset]) != name[offset] { return false }
    return true
}

/// What bytes may stand where, without tables: two words of bits for each set.
enum Characters {
    /// `!#$%&'*+-.^_`|~`, digits and letters (RFC 9110, 5.6.2).
    @inline(__always) static func isToken(_ byte: UInt8) -> Bool {
        isIn(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    }

    /// What a target in origin form may hold (RFC 3986: pchar, `/`, `?`, percent signs).
    @inline(__always) static func isTarget(_ byte: UInt8) -> Bool {
        isIn(byte, low: 0xAFFF_FFF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF)
    }

    @inline(__always)
    private static func isIn(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        byte < 128 && ((byte < 64 ? low : high) >> UInt64(byte & 63)) & 1 == 1
    }

    // Wraps: what stands before the capitals comes out above them.
    @inline(__always) static func lowered(_ byte: UInt8) -> UInt8 {
        byte &- 65 < 26 ? byte | 0x20 : byte
    }

    /// Whether a value holds no control character but tabs (RFC 9110, 5.5).
    static func isValue(_ bytes: Span<UInt8>) -> Bool {
        if isPrintable(bytes) { return true }
        for index in bytes.indices where !isValue(bytes[index]) { return false }
        return true
    }

    /// Whether there is no control character at all; eight bytes at a time.
    static func isPrintable(_ bytes: Span<UInt8>) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var index = 0
        while index + 8 <= bytes.count {
            // Safety: eight bytes from the index on are within the span.
            let word = unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            }
            // Wraps: a byte may borrow from the one behind it, for which each is looked at then.
            let low = (word &- ones &* 0x20) & ~word
            let deleted = word ^ (ones &* 0x7F)
            if (low | ((deleted &- ones) & ~deleted)) & highs != 0 {
                // A byte may look like one because of the byte before it: look at each.
                for at in index..<index + 8 where bytes[at] < 0x20 || bytes[at] == 0x7f {
                    return false
                }
            }
            index += 8
        }
        while index < bytes.count {
            if bytes[index] < 0x20 || bytes[index] == 0x7f { return false }
            index += 1
        }
        return true
    }

    @inline(__always) private static func isValue(_ byte: UInt8) -> Bool {
        (byte >= 0x20 || byte == 0x09) && byte != 0x7f
    }
}
