/// Decides how a body ends, and refuses every message over which two recipients could differ.
///
/// Source: RFC 9112, 6.1 to 6.3 and 11.2 (request smuggling).
extension HeadParser {
    func frameRequest(_ head: MessageHead) throws(FramingError) {
        let hosts = head.count(of: .host)
        guard hosts == 1 || (hosts == 0 && head.minorVersion == 0) else { throw .badHost }
        if let host = head.value(.host), !isHost(host) { throw .badHost }
        head.keepsAlive = keepsAlive(head)
        let length = try contentLength(head)
        if head.count(of: .transferEncoding) > 0 {
            // Never with a length, never in 1.0, never anything but exactly `chunked`, once.
            guard length == nil, head.minorVersion == 1, isExactlyChunked(head) else {
                throw .badTransferEncoding
            }
            head.framing = .chunked
        } else if let length, length > 0 {
            head.framing = .length(length)
        } else {
            head.framing = .none
        }
        if let expect = head.value(.expect) {
            guard equalsIgnoringCase(expect, continueToken[...]) else { throw .badExpectation }
            head.expectsContinue = head.minorVersion == 1 && head.framing != .none
        }
    }

    func frameResponse(_ head: MessageHead, method: HTTPMethod) throws(FramingError) {
        head.keepsAlive = keepsAlive(head)
        let length = try contentLength(head)
        let hasEncoding = head.count(of: .transferEncoding) > 0
        if hasEncoding {
            guard length == nil, head.minorVersion == 1, isExactlyChunked(head) else {
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

    private func keepsAlive(_ head: MessageHead) -> Bool {
        var keeps = head.minorVersion == 1
        guard head.value(.connection) != nil else { return keeps }
        for field in head.fields where field.known == .connection {
            let value = head.bytes[Int(field.valueStart)..<Int(field.valueEnd)]
            for option in listElements(value) {
                if equalsIgnoringCase(option, closeToken[...]) { return false }
                if equalsIgnoringCase(option, keepAliveToken[...]) { keeps = true }
            }
        }
        return keeps
    }

    /// One field, digits only: no sign, no list, no second one though it be the same.
    private func contentLength(_ head: MessageHead) throws(FramingError) -> Int? {
        guard let value = head.value(.contentLength) else { return nil }
        guard head.count(of: .contentLength) == 1, !value.isEmpty, value.count <= 18 else {
            throw .badContentLength
        }
        var length = 0
        for byte in value {
            guard (0x30...0x39).contains(byte) else { throw .badContentLength }
            length = length * 10 + Int(byte - 0x30)
        }
        return length
    }

    private func isExactlyChunked(_ head: MessageHead) -> Bool {
        guard head.count(of: .transferEncoding) == 1,
            let value = head.value(.transferEncoding)
        else { return false }
        return equalsIgnoringCase(value, chunkedToken[...])
    }

    /// `host` or `host:port`: what a name, an IPv4 or a bracketed IPv6 address may hold.
    private func isHost(_ value: ArraySlice<UInt8>) -> Bool {
        value.count <= 255
            && value.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
