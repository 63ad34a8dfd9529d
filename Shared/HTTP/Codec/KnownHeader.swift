/// Header fields that the codec, the gateway or a service looks up by a number instead of a name.
///
/// Append only; the raw text is the name in lower case.
public enum KnownHeader: UInt8, CaseIterable, Sendable {
    /// A field that nobody here looks up.
    case other
    case accept, acceptEncoding, acceptLanguage, authorization, cacheControl, connection
    case contentDisposition, contentEncoding, contentLength, contentType, cookie, date, deprecation
    case etag, expect, host, idempotencyKey, idempotencyReplayed, ifMatch, ifNoneMatch, keepAlive
    case lastEventID, location, origin, proxyAuthenticate, proxyAuthorization, proxyConnection
    case rateLimit, rateLimitPolicy, referer, retryAfter, server, setCookie, te, traceparent
    case tracestate, trailer, transferEncoding, upgrade, userAgent, vary, wwwAuthenticate
    case xEZWalletClientAddress, xEZWalletGateway, xEZWalletHops, xEZWalletUser
    case xForwardedFor, xForwardedHost
    case xForwardedProto, xRequestDeadline, xRequestID

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
        case .keepAlive: "keep-alive"
        case .lastEventID: "last-event-id"
        case .location: "location"
        case .origin: "origin"
        case .proxyAuthenticate: "proxy-authenticate"
        case .proxyAuthorization: "proxy-authorization"
        case .proxyConnection: "proxy-connection"
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

/// Looks names up by a hash that the parser makes while it checks them.
struct KnownHeaderTable: Sendable {
    static let shared = KnownHeaderTable()
    private var slots: [(hash: UInt32, header: KnownHeader)]
    private let names: [[UInt8]]

    private init() {
        names = KnownHeader.allCases.map { header in
            // Safety: a literal's bytes, copied.
            header.name.withUTF8Buffer { unsafe Array($0) }
        }
        slots = Array(repeating: (0, .other), count: 256)
        for header in KnownHeader.allCases where header != .other {
            let hash = names[Int(header.rawValue)].reduce(Self.start) { Self.step($0, $1) }
            var slot = Int(hash & 255)
            while slots[slot].header != .other { slot = (slot + 1) & 255 }
            slots[slot] = (hash, header)
        }
    }

    static let start: UInt32 = 2_166_136_261

    /// FNV-1a, one byte in lower case at a time.
    @inline(__always) static func step(_ hash: UInt32, _ byte: UInt8) -> UInt32 {
        (hash ^ UInt32(byte)) &* 16_777_619
    }

    func find(_ hash: UInt32, in bytes: [UInt8], at start: Int, count: Int) -> KnownHeader {
        var slot = Int(hash & 255)
        while slots[slot].header != .other {
            if slots[slot].hash == hash {
                let header = slots[slot].header
                let name = names[Int(header.rawValue)]
                if name.count == count, equalsLowercased(bytes, start, name) { return header }
            }
            slot = (slot + 1) & 255
        }
        return .other
    }
}

/// Whether the bytes from `start` are `name` but for the case of ASCII letters.
func equalsLowercased(_ bytes: [UInt8], _ start: Int, _ name: [UInt8]) -> Bool {
    guard start + name.count <= bytes.count else { return false }
    for offset in name.indices
    where Characters.lowercased[Int(bytes[start + offset])] != name[offset] { return false }
    return true
}

/// Tables over bytes.
enum Characters {
    /// A token character in lower case, or 0 for what no token may hold (RFC 9110, 5.6.2).
    static let token: [UInt8] = (0...255).map { (byte: Int) -> UInt8 in
        let byte = UInt8(byte)
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return byte | 0x20
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return byte
        default: return "!#$%&'*+-.^_`|~".utf8.contains(byte) ? byte : 0
        }
    }

    static let lowercased: [UInt8] = (0...255).map { (byte: Int) -> UInt8 in
        (0x41...0x5a).contains(byte) ? UInt8(byte) | 0x20 : UInt8(byte)
    }

    /// What a request target in origin form may hold (RFC 3986: pchar, `/`, `?`), else false.
    static let target: [Bool] = (0...255).map { (byte: Int) -> Bool in
        switch UInt8(byte) {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@/?%".utf8.contains(UInt8(byte))
        }
    }
}
