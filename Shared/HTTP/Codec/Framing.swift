/// Decides how a body ends, and refuses every message over which two recipients could differ.
///
/// Source: RFC 9112, 6.1 to 6.3 and 11.2 (request smuggling).
extension HeadParser {
    func frameRequest(_ head: inout HeadParts) throws(FramingError) {
        guard !head.isRepeated(.host), head.has(.host) || head.minorVersion == 0 else {
            throw .badHost
        }
        if let host = head.value(.host) {
            guard HostRule.isValid(host) else { throw .badHost }
        }
        head.keepsAlive = head.wantsToStay
        let length = try head.contentLength()
        if head.has(.transferEncoding) {
            // Never with a length, never in 1.0, never anything but exactly `chunked`, once.
            guard length == nil, head.minorVersion == 1, head.isExactlyChunked else {
                throw .badTransferEncoding
            }
            head.framing = .chunked
        } else if let length, length > 0 {
            head.framing = .length(length)
        } else {
            head.framing = .none
        }
        if let expect = head.value(.expect) {
            guard !head.isRepeated(.expect), equalsIgnoringCase(expect, continueToken[...])
            else { throw .badExpectation }
            head.expectsContinue = head.minorVersion == 1 && head.framing != .none
        }
    }

    func frameResponse(_ head: inout HeadParts, method: HTTPMethod) throws(FramingError) {
        head.keepsAlive = head.wantsToStay
        let length = try head.contentLength()
        let hasEncoding = head.has(.transferEncoding)
        if hasEncoding {
            guard length == nil, head.minorVersion == 1, head.isExactlyChunked else {
                throw .badTransferEncoding
            }
        }
        if method == .head || head.status < 200 || head.status == 204 || head.status == 304 {
            head.framing = .none
        } else if hasEncoding {
            head.framing = .chunked
        } else if let length {
            head.framing = length == 0 ? .none : .length(length)
        } else {
            head.framing = .untilClose
            head.keepsAlive = false
        }
    }
}

extension HeadParts {
    /// What Connection and the version say of the connection's life.
    fileprivate var wantsToStay: Bool {
        var keeps = minorVersion == 1
        guard has(.connection) else { return keeps }
        if connectionIsPlain { return true }
        for field in fields where field.known == .connection {
            for option in listElements(bytes[field.value]) {
                if equalsIgnoringCase(option, closeToken[...]) { return false }
                if equalsIgnoringCase(option, keepAliveToken[...]) { keeps = true }
            }
        }
        return keeps
    }

    /// One field, digits only: no sign, no list, no second one though it be the same.
    fileprivate func contentLength() throws(FramingError) -> Int? {
        guard let value = value(.contentLength) else { return nil }
        guard !isRepeated(.contentLength), !value.isEmpty, value.count <= 18 else {
            throw .badContentLength
        }
        var length = 0
        for byte in value {
            guard (0x30...0x39).contains(byte) else { throw .badContentLength }
            length = length * 10 + Int(byte - 0x30)
        }
        return length
    }

    fileprivate var isExactlyChunked: Bool {
        guard !isRepeated(.transferEncoding), let value = value(.transferEncoding) else {
            return false
        }
        return equalsIgnoringCase(value, chunkedToken[...])
    }
}

/// `uri-host [ ":" port ]`, without user information.
///
/// Source: RFC 3986, 3.2.2; RFC 9110, 4.2.4 and 7.2.
enum HostRule {
    static func isValid(_ value: ArraySlice<UInt8>) -> Bool {
        guard let first = value.first, value.count <= 255 else { return false }
        var index = value.startIndex
        if first == UInt8(ascii: "[") {
            index += 1
            while index < value.endIndex, isInLiteral(value[index]) { index += 1 }
            guard index > value.startIndex + 2, index < value.endIndex,
                value[index] == UInt8(ascii: "]")
            else { return false }
            index += 1
        } else {
            while index < value.endIndex, isInName(value[index]) { index += 1 }
            guard index > value.startIndex else { return false }
        }
        guard index < value.endIndex else { return true }
        guard value[index] == UInt8(ascii: ":"), value.endIndex - index <= 6 else { return false }
        return value[(index + 1)...].allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Hexadecimal digits, colons and dots of an IPv6 address.
    private static func isInLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3a, 0x41...0x46, 0x61...0x66, 0x2e: true
        default: false
        }
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: true
        default: false
        }
    }
}
