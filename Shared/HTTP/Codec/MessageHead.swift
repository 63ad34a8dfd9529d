/// The method of a request; extension methods are `other` and nobody serves them.
public enum HTTPMethod: UInt8, Sendable, CaseIterable {
    case get, head, post, put, delete, patch, options, connect, trace, other

    /// The name on the wire.
    public var text: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .patch: "PATCH"
        case .options: "OPTIONS"
        case .connect: "CONNECT"
        case .trace: "TRACE"
        case .other: "OTHER"
        }
    }

    /// Whether doing it twice is like doing it once (RFC 9110, 9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// Whether the method changes nothing (RFC 9110, 9.2.1).
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }
}

/// How the end of a body is found.
public enum BodyFraming: Equatable, Sendable {
    /// There is no body.
    case none
    /// So many bytes.
    case length(Int)
    /// Chunks, up to the empty one.
    case chunked
    /// Up to the end of the connection (responses alone).
    case untilClose
}

/// The head of a request or response: its bytes, and where in them each part lies.
///
/// Used again for every message of a connection, so that a head costs no allocation; whoever keeps
/// something of it beyond its request copies it.
public final class MessageHead {
    /// Read here, filled by the parser while it is out of here: an access to a field of a class is
    /// checked each time, unless no access to it spans a call.
    var parts = HeadParts()

    /// An empty head.
    public init() {
        parts.bytes.reserveCapacity(1_024)
        parts.fields.reserveCapacity(32)
    }

    /// The method of a request.
    public var method: HTTPMethod { parts.method }
    /// The status of a response.
    public var status: Int { parts.status }
    /// 0 or 1: the version is HTTP/1.x.
    public var minorVersion: Int { parts.minorVersion }
    /// How the body ends.
    public var framing: BodyFraming { parts.framing }
    /// Whether the peer wants the connection to stay open.
    public var keepsAlive: Bool { parts.keepsAlive }
    /// Whether the client waits for 100 before it sends the body.
    public var expectsContinue: Bool { parts.expectsContinue }

    /// Whether there is a field of that name.
    public func has(_ header: KnownHeader) -> Bool { parts.firstIndex(of: header) > 0 }

    /// Whether there is more than one field of that name.
    public func isRepeated(_ header: KnownHeader) -> Bool { parts.isRepeated(header) }

    /// The path of the target as it came, percent-encoded.
    public var path: ArraySlice<UInt8> { parts.bytes[parts.pathRange] }
    /// The query of the target as it came, without `?`.
    public var query: ArraySlice<UInt8>? { parts.queryRange.map { parts.bytes[$0] } }
    /// Path and query as they came.
    public var target: ArraySlice<UInt8> { parts.bytes[parts.targetRange] }

    /// The value of the first field of that name, without copying.
    public func value(_ header: KnownHeader) -> ArraySlice<UInt8>? {
        // Nearly always there is none, and then the bytes need no holding.
        let index = parts.firstIndex(of: header)
        guard index > 0 else { return nil }
        return parts.bytes[parts.fields[index - 1].value]
    }

    /// The length that the message declares; of an answer to HEAD that of the body it has not.
    public var declaredLength: Int? { text(.contentLength).flatMap { Int($0) } }

    /// The values of all fields of that name, as the texts of one list (RFC 9110, 5.3).
    public func texts(_ header: KnownHeader) -> [String] {
        guard has(header) else { return [] }
        return parts.fields.filter { $0.known == header }.map { field in
            String(decoding: parts.bytes[field.value], as: UTF8.self)
        }
    }

    /// The value of the first field of that name as a text.
    public func text(_ header: KnownHeader) -> String? {
        value(header).map { String(decoding: $0, as: UTF8.self) }
    }

    /// How many fields of that name there are.
    public func count(of header: KnownHeader) -> Int {
        parts.fields.reduce(0) { $0 + ($1.known == header ? 1 : 0) }
    }

    /// Appends every end-to-end field to `block`, but those that `isDropped` names.
    ///
    /// Dropped too are hop-by-hop fields and whatever `Connection` names (RFC 9110, 7.6.1).
    public func copyEndToEndFields(
        to block: inout HeaderBlock,
        dropping isDropped: (KnownHeader) -> Bool
    ) {
        let fields = parts.fields
        let bytes = parts.bytes
        let listed = parts.connectionOptions
        block.reserve(bytes.count)
        for field in fields where !field.known.isHopByHop && !isDropped(field.known) {
            if !listed.isEmpty,
                listed.contains(where: { equalsIgnoringCase($0, bytes[field.name]) })
            {
                continue
            }
            block.appendChecked(bytes.span, name: field.name, value: field.value)
        }
    }
}

/// What a head holds, as a value: the parser fills it without looking after a class.
struct HeadParts {
    struct Field {
        var known: KnownHeader
        var nameStart: Int32
        var nameEnd: Int32
        var valueStart: Int32
        var valueEnd: Int32

        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    var bytes: [UInt8] = []
    var fields: [Field] = []
    /// The index of the first field of each known name, plus one; 0 where there is none.
    private var firstIndex = InlineArray<64, UInt8>(repeating: 0)
    /// One bit for each known name that stands more than once.
    private var repeated: UInt64 = 0
    var method = HTTPMethod.get
    var status = 0
    var minorVersion = 1
    var framing = BodyFraming.none
    var keepsAlive = true
    var expectsContinue = false
    var targetRange = 0..<0
    var pathRange = 0..<0
    var queryRange: Range<Int>?

    mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        firstIndex = InlineArray(repeating: 0)
        repeated = 0
        minorVersion = 1
        framing = .none
        keepsAlive = true
        expectsContinue = false
        queryRange = nil
        status = 0
    }

    /// A field of a known name stands at this place, counted from one.
    mutating func note(_ known: KnownHeader, at place: Int) {
        let number = Int(known.rawValue)
        if firstIndex[number] == 0 {
            firstIndex[number] = UInt8(truncatingIfNeeded: place)
        } else {
            repeated |= 1 << UInt64(number)
        }
    }

    /// The place of the first field of that name, counted from one; 0: there is none.
    func firstIndex(of header: KnownHeader) -> Int {
        header == .other ? 0 : Int(firstIndex[Int(header.rawValue)])
    }

    func has(_ header: KnownHeader) -> Bool { firstIndex(of: header) > 0 }

    func isRepeated(_ header: KnownHeader) -> Bool {
        header != .other && repeated >> UInt64(header.rawValue) & 1 == 1
    }

    func value(_ header: KnownHeader) -> ArraySlice<UInt8>? {
        let index = firstIndex(of: header)
        return index > 0 ? bytes[fields[index - 1].value] : nil
    }

    /// Whether Connection says nothing but `keep-alive`, as it mostly does.
    var connectionIsPlain: Bool {
        guard let connection = value(.connection) else { return true }
        return !isRepeated(.connection) && equalsIgnoringCase(connection, keepAliveToken[...])
    }

    /// The names in `Connection` other than close and keep-alive, which nearly no message has.
    var connectionOptions: [ArraySlice<UInt8>] {
        if connectionIsPlain { return [] }
        var options: [ArraySlice<UInt8>] = []
        for field in fields where field.known == .connection {
            for option in listElements(bytes[field.value])
            where !equalsIgnoringCase(option, closeToken[...])
                && !equalsIgnoringCase(option, keepAliveToken[...])
            { options.append(option) }
        }
        return options
    }
}

let closeToken = Array("close".utf8)
let keepAliveToken = Array("keep-alive".utf8)
let chunkedToken = Array("chunked".utf8)
let continueToken = Array("100-continue".utf8)

/// Whether two names are the same but for the case of ASCII letters.
func equalsIgnoringCase(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    let one = a.span
    let other = b.span
    for index in 0..<one.count
    where Characters.lowered(one[index]) != Characters.lowered(other[index]) { return false }
    return true
}

/// The elements of a comma-separated list, trimmed, empty ones left out (RFC 9110, 5.6.1).
func listElements(_ value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    value.split(separator: UInt8(ascii: ",")).map { trimmed($0) }.filter { !$0.isEmpty }
}

/// Without spaces and tabs at both ends.
func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var value = value
    while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
    while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
    return value
}
