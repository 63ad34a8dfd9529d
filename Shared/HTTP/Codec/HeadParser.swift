internal import CGlibcSystem

/// How large a message's head may be.
public struct HeadLimits: Sendable {
    /// Bytes of the whole head.
    public var bytesMax: Int
    /// Header fields, at most 254.
    public var fieldsMax: Int
    /// Bytes of the request target.
    public var targetBytesMax: Int

    /// Limits.
    public init(bytesMax: Int = 16_384, fieldsMax: Int = 100, targetBytesMax: Int = 8_192) {
        self.bytesMax = bytesMax
        self.fieldsMax = min(fieldsMax, 254)
        self.targetBytesMax = targetBytesMax
    }
}

/// Why a message is refused; the connection is closed after the answer.
public enum FramingError: Error, Equatable, Sendable {
    case badRequestLine, badStatusLine, badTarget, badFieldName, badFieldValue, bareLineFeed
    case badVersion, badHost, badContentLength, badTransferEncoding, badChunk, badExpectation
    case headTooLarge, tooManyFields, targetTooLong, bodyTooLarge, headTimeout

    /// The status that tells it.
    public var status: Int {
        switch self {
        case .headTooLarge, .tooManyFields: 431
        case .targetTooLong: 414
        case .bodyTooLarge: 413
        case .headTimeout: 408
        case .badVersion: 505
        case .badExpectation: 417
        default: 400
        }
    }
}

/// Finds the end of a head in what has come so far, then reads it; pure, without sockets.
///
/// Every line ends in CR LF; whatever RFC 9112 allows a recipient to be lenient about is refused
/// (bare LF, folded lines, space before the colon), for two parsers that differ are how requests
/// are smuggled.
/// Source: RFC 9112, 2 to 7 and 11; RFC 9110, 5.5.
public struct HeadParser: Sendable {
    private var scanned = 0
    private var lineStart = 0
    private var lines = 0
    let limits: HeadLimits

    /// A parser for one connection.
    public init(limits: HeadLimits = HeadLimits()) { self.limits = limits }

    /// Whether some bytes of a head have come.
    public var hasBegun: Bool { scanned > 0 }

    /// Looks for the end of the head in `bytes[start..<end]`.
    ///
    /// - Returns: the length of the head, CR LF CR LF included; nil: more is needed. The same start
    ///   is given until a head is found.
    public mutating func headLength(
        in bytes: [UInt8],
        from start: Int,
        to end: Int
    ) throws(FramingError) -> Int? {
        while true {
            let from = start + scanned
            guard let newline = firstIndex(of: 0x0a, in: bytes, from: from, to: end) else {
                scanned = end - start
                if scanned > limits.bytesMax { throw .headTooLarge }
                return nil
            }
            guard newline > start, bytes[newline - 1] == 0x0d else { throw .bareLineFeed }
            let line = newline - 1 - (start + lineStart)
            scanned = newline + 1 - start
            if scanned > limits.bytesMax { throw .headTooLarge }
            lineStart = scanned
            if line == 0 {
                // One empty line before a request is let pass (RFC 9112, 2.2).
                if lines == 0 {
                    if scanned > 2 { throw .badRequestLine }
                    continue
                }
                return scanned
            }
            lines += 1
            if lines > limits.fieldsMax + 1 { throw .tooManyFields }
        }
    }

    /// Reads the head that `headLength` has found and makes ready for the next one.
    public mutating func readRequest(
        _ bytes: [UInt8],
        from start: Int,
        length: Int,
        into head: MessageHead
    ) throws(FramingError) {
        defer { restart() }
        var parts = HeadParts()
        swap(&parts, &head.parts)
        defer { swap(&parts, &head.parts) }
        parts.reset()
        parts.bytes.append(contentsOf: bytes[start..<start + length])
        // One empty line may stand before the first; a lone CR there is part of a bad method.
        let first = parts.bytes[0] == 0x0d && parts.bytes[1] == 0x0a ? 2 : 0
        let end = lineEnd(parts.bytes, from: first)
        try readRequestLine(&parts, from: first, to: end)
        try readFields(&parts, after: end)
        try frameRequest(&parts)
    }

    /// Reads the head of a response to a request with `method`.
    public mutating func readResponse(
        _ bytes: [UInt8],
        from start: Int,
        length: Int,
        to method: HTTPMethod,
        into head: MessageHead
    ) throws(FramingError) {
        defer { restart() }
        var parts = HeadParts()
        swap(&parts, &head.parts)
        defer { swap(&parts, &head.parts) }
        parts.reset()
        parts.bytes.append(contentsOf: bytes[start..<start + length])
        if parts.bytes[0] == 0x0d { throw .badStatusLine }
        let end = lineEnd(parts.bytes, from: 0)
        try readStatusLine(&parts, to: end)
        try readFields(&parts, after: end)
        try frameResponse(&parts, method: method)
    }

    private mutating func restart() {
        scanned = 0
        lineStart = 0
        lines = 0
    }

    /// Where the line's CR is; `headLength` has seen that each line of the head has one.
    private func lineEnd(_ bytes: [UInt8], from start: Int) -> Int {
        (firstIndex(of: 0x0a, in: bytes, from: start, to: bytes.count) ?? bytes.count) - 1
    }

    private func readFields(
        _ head: inout HeadParts,
        after line: Int
    ) throws(FramingError) {
        let bytes = head.bytes
        let span = bytes.span
        let table = KnownHeaderTable.shared
        var start = line + 2
        // The last line is the empty one.
        while start < bytes.count - 2 {
            let end = lineEnd(bytes, from: start)
            let field = try readField(span, table, from: start, to: end)
            start = end + 2
            head.fields.append(field)
            head.note(field.known, at: head.fields.count)
        }
    }

    private func readField(
        _ bytes: Span<UInt8>,
        _ table: KnownHeaderTable,
        from start: Int,
        to end: Int
    ) throws(FramingError) -> HeadParts.Field {
        var hash = KnownHeaderTable.start
        var colon = start
        while colon < end {
            let byte = bytes[colon]
            // Also refuses folded lines and a space before the colon: neither is a token.
            guard Characters.isToken(byte) else { break }
            hash = KnownHeaderTable.step(hash, byte | 0x20)
            colon += 1
        }
        guard colon > start, colon < end, bytes[colon] == UInt8(ascii: ":") else {
            throw .badFieldName
        }
        var valueStart = colon + 1
        var valueEnd = end
        while valueStart < valueEnd, isBlank(bytes[valueStart]) { valueStart += 1 }
        while valueEnd > valueStart, isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
        guard Characters.isValue(bytes.extracting(valueStart..<valueEnd)) else {
            throw .badFieldValue
        }
        return HeadParts.Field(
            known: table.find(hash, bytes.extracting(start..<colon)),
            nameStart: Int32(truncatingIfNeeded: start),
            nameEnd: Int32(truncatingIfNeeded: colon),
            valueStart: Int32(truncatingIfNeeded: valueStart),
            valueEnd: Int32(truncatingIfNeeded: valueEnd)
        )
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private func readRequestLine(
        _ head: inout HeadParts,
        from start: Int,
        to end: Int
    ) throws(FramingError) {
        let bytes = head.bytes
        guard let space = firstIndex(of: 0x20, in: bytes, from: start, to: end), space > start
        else { throw .badRequestLine }
        for index in start..<space where !Characters.isToken(bytes[index]) {
            throw .badRequestLine
        }
        head.method = method(bytes, start, space)
        guard let second = firstIndex(of: 0x20, in: bytes, from: space + 1, to: end) else {
            throw .badRequestLine
        }
        try readVersion(&head, from: second + 1, to: end)
        try readTarget(&head, from: space + 1, to: second)
    }

    private func method(_ bytes: [UInt8], _ start: Int, _ end: Int) -> HTTPMethod {
        for method in HTTPMethod.allCases where method != .other {
            let text = method.text
            guard text.utf8CodeUnitCount == end - start else { continue }
            var index = 0
            // Safety: the index stays below the static string's length.
            while index < end - start, unsafe text.utf8Start[index] == bytes[start + index] {
                index += 1
            }
            if index == end - start { return method }
        }
        return .other
    }

    private func readVersion(
        _ head: inout HeadParts,
        from start: Int,
        to end: Int
    ) throws(FramingError) {
        let bytes = head.bytes
        guard end - start == 8, bytes[start] == UInt8(ascii: "H"),
            bytes[start + 1] == UInt8(ascii: "T"), bytes[start + 2] == UInt8(ascii: "T"),
            bytes[start + 3] == UInt8(ascii: "P"), bytes[start + 4] == UInt8(ascii: "/"),
            (0x30...0x39).contains(bytes[start + 5]), bytes[start + 6] == UInt8(ascii: "."),
            (0x30...0x39).contains(bytes[start + 7])
        else { throw .badRequestLine }
        guard bytes[start + 5] == UInt8(ascii: "1"), bytes[start + 7] <= UInt8(ascii: "1") else {
            throw .badVersion
        }
        head.minorVersion = Int(bytes[start + 7] - 0x30)
    }

    /// Origin form, absolute form, or `*` for OPTIONS.
    private func readTarget(
        _ head: inout HeadParts,
        from start: Int,
        to end: Int
    ) throws(FramingError) {
        guard end > start else { throw .badRequestLine }
        guard end - start <= limits.targetBytesMax else { throw .targetTooLong }
        var pathStart = start
        if head.bytes[start] != UInt8(ascii: "/") {
            let first = head.bytes[start]
            if end - start == 1, first == UInt8(ascii: "*"), head.method == .options {
                head.targetRange = start..<end
                head.pathRange = start..<end
                return
            }
            pathStart = try readAuthority(&head, from: start, to: end)
        }
        var question: Int?
        for index in pathStart..<end {
            guard Characters.isTarget(head.bytes[index]) else { throw .badTarget }
            if question == nil, head.bytes[index] == UInt8(ascii: "?") { question = index }
        }
        head.targetRange = pathStart..<end
        head.pathRange = pathStart..<(question ?? end)
        head.queryRange = question.map { ($0 + 1)..<end }
    }

    /// Reads the scheme and authority of a target in absolute form; where its path begins.
    ///
    /// What it says stands above `Host`, which is checked all the same and otherwise ignored
    /// (RFC 9112, 3.2.2). An empty path is `/`: the authority's last byte, which has been read,
    /// makes room for it.
    private func readAuthority(
        _ head: inout HeadParts,
        from start: Int,
        to end: Int
    ) throws(FramingError) -> Int {
        let schemes = ["http://", "https://"].map { Array($0.utf8) }
        guard
            let scheme = schemes.first(where: { scheme in
                end - start > scheme.count && equalsLowercased(head.bytes, start, scheme)
            })
        else { throw .badTarget }
        let authority = start + scheme.count
        var after = authority
        while after < end, head.bytes[after] != UInt8(ascii: "/"),
            head.bytes[after] != UInt8(ascii: "?")
        { after += 1 }
        guard HostRule.isValid(head.bytes[authority..<after]) else { throw .badTarget }
        if after < end, head.bytes[after] == UInt8(ascii: "/") { return after }
        head.bytes[after - 1] = UInt8(ascii: "/")
        return after - 1
    }

    private func readStatusLine(_ head: inout HeadParts, to end: Int) throws(FramingError) {
        let bytes = head.bytes
        guard end >= 12, bytes[8] == 0x20 else { throw .badStatusLine }
        do { try readVersion(&head, from: 0, to: 8) } catch { throw .badStatusLine }
        var status = 0
        for index in 9..<12 {
            guard (0x30...0x39).contains(bytes[index]) else { throw .badStatusLine }
            status = status * 10 + Int(bytes[index] - 0x30)
        }
        guard status >= 100, end == 12 || bytes[12] == 0x20 else { throw .badStatusLine }
        for index in 12..<end {
            guard bytes[index] >= 0x20 || bytes[index] == 0x09, bytes[index] != 0x7f else {
                throw .badStatusLine
            }
        }
        head.status = status
    }
}

/// The index of the first such byte within the range.
func firstIndex(of byte: UInt8, in bytes: [UInt8], from start: Int, to end: Int) -> Int? {
    guard start < end else { return nil }
    // Cannot fire: callers look from where a line begins, within what has come.
    precondition(start >= 0 && end <= bytes.count, "searched past the bytes")
    // Safety: the range was checked just now.
    return unsafe bytes.withUnsafeBytes { buffer -> Int? in
        guard let base = buffer.baseAddress,
            let found = unsafe memchr(base + start, Int32(byte), end - start)
        else { return nil }
        return unsafe UnsafeRawPointer(found) - base
    }
}
