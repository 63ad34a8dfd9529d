import TestKit
import Testing

@testable import HTTP

/// Feeds bytes in pieces and reads what messages come out.
private func requests(
    _ text: [UInt8],
    splitAt splits: [Int] = [],
    limits: HeadLimits = HeadLimits()
) throws -> [(target: String, body: [UInt8])] {
    var parser = HeadParser(limits: limits)
    let head = MessageHead()
    var buffer: [UInt8] = []
    var start = 0
    var found: [(String, [UInt8])] = []
    var body: BodyDecoder?
    var content: [UInt8] = []
    let ends = splits.sorted() + [text.count]
    var from = 0
    for end in ends {
        buffer.append(contentsOf: text[from..<end])
        from = end
        reading: while true {
            if var decoder = body {
                switch try decoder.next(in: buffer, from: start, to: buffer.count) {
                case .skip(let count): start += count
                case .data(let count):
                    content.append(contentsOf: buffer[start..<start + count])
                    start += count
                case .needsMore:
                    body = decoder
                    break reading
                case .end:
                    found.append((String(decoding: head.target, as: UTF8.self), content))
                    content = []
                    body = nil
                    continue reading
                }
                body = decoder
            } else {
                guard let length = try parser.headLength(in: buffer, from: start, to: buffer.count)
                else { break reading }
                try parser.readRequest(buffer, from: start, length: length, into: head)
                start += length
                body = BodyDecoder(head.framing)
            }
        }
    }
    return found
}

private func request(_ lines: String..., body: String = "") -> [UInt8] {
    Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
}

@Suite struct HeadParserTests {
    private let stream: [UInt8] =
        request("GET /a?x=1 HTTP/1.1", "Host: h", "X-Other:  v ")
        + request("POST /b HTTP/1.1", "host: h:80", "Content-Length: 5", body: "hello")
        + request(
            "PUT /c HTTP/1.1",
            "Host: h",
            "Transfer-Encoding: chunked",
            body: "3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
        )
        + request("GET /d HTTP/1.0")

    @Test func everySplitOfTheInputGivesTheSameMessages() throws {
        let whole = try requests(stream)
        #expect(whole.map(\.target) == ["/a?x=1", "/b", "/c", "/d"])
        #expect(
            whole.map { String(decoding: $0.body, as: UTF8.self) }
                == ["", "hello", "abc0123456789", ""]
        )
        for first in 0..<stream.count {
            let split = try requests(stream, splitAt: [first, min(first + 7, stream.count)])
            #expect(split.map(\.target) == whole.map(\.target), "split at \(first)")
            #expect(split.map(\.body) == whole.map(\.body), "split at \(first)")
        }
        #expect(try requests(stream, splitAt: Array(0..<stream.count)).count == 4)
    }

    @Test(arguments: [
        (
            "a length and chunks",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        ),
        (
            "two lengths",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"
        ),
        ("a list of lengths", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\n"),
        ("a signed length", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n"),
        (
            "a huge length",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n"
        ),
        ("an empty length", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n"),
        ("an unknown coding", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n"),
        (
            "a list of codings",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
        ),
        (
            "chunked twice",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n"
        ),
        ("chunks in 1.0", "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"),
        ("a space before the colon", "GET / HTTP/1.1\r\nHost : h\r\n\r\n"),
        ("a folded line", "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n"),
        ("a bare line feed", "GET / HTTP/1.1\nHost: h\r\n\r\n"),
        ("a bare carriage return", "GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n"),
        ("a NUL in a value", "GET / HTTP/1.1\r\nHost: h\r\nA: \0\r\n\r\n"),
        ("a NUL in a name", "GET / HTTP/1.1\r\nHost: h\r\nA\0: b\r\n\r\n"),
        ("no host", "GET / HTTP/1.1\r\nA: b\r\n\r\n"),
        ("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        ("a host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        ("no name", "GET / HTTP/1.1\r\nHost: h\r\n: b\r\n\r\n"),
        ("no colon", "GET / HTTP/1.1\r\nHost: h\r\nabc\r\n\r\n"),
        ("two spaces in the request line", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"),
        ("a tab in the request line", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n"),
        ("version 2", "GET / HTTP/2.0\r\nHost: h\r\n\r\n"),
        ("a lower-case version", "GET / http/1.1\r\nHost: h\r\n\r\n"),
        ("a control character in the target", "GET /\u{1} HTTP/1.1\r\nHost: h\r\n\r\n"),
        ("a raw non-ASCII target", "GET /é HTTP/1.1\r\nHost: h\r\n\r\n"),
        ("a relative target", "GET a HTTP/1.1\r\nHost: h\r\n\r\n"),
        (
            "an expectation of something else",
            "POST / HTTP/1.1\r\nHost: h\r\nExpect: 200-ok\r\nContent-Length: 1\r\n\r\n"
        ),
        ("a CR before the request line", "\rXGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        ("an empty line that ends in LF", "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        ("an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        ("a host with two ports", "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n"),
        ("a host with a user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"),
        ("a list of hosts", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
        ("an open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"),
        ("an authority without Host", "GET http://a/ HTTP/1.1\r\n\r\n"),
        ("an authority and a bad Host", "GET http://a/ HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        ("an authority and two Hosts", "GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        ("no authority", "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("an empty authority", "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("an authority with a user", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("an asterisk for GET", "GET * HTTP/1.1\r\nHost: h\r\n\r\n"),
        ("a tunnel", "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"),
        ("a fragment", "GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n"),
        ("a length in hexadecimal", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x1\r\n\r\n"),
        ("a length with a blank", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1 1\r\n\r\n"),
        (
            "a coding behind a comma",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: , chunked\r\n\r\n"
        ),
        (
            "a coding with a vertical tab",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \u{b}chunked\r\n\r\n"
        ),
        (
            "a coding with parameters",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked;q=1\r\n\r\n"
        ),
        (
            "a length behind a folded line",
            "POST / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tContent-Length: 1\r\n\r\n"
        ),
        (
            "two expectations",
            "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nExpect: 100-continue\r\n"
                + "Content-Length: 1\r\n\r\n"
        ),
        ("many empty lines first", "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
    ])
    func malformedFramingIsRefused(name: String, text: String) {
        #expect(throws: FramingError.self, "\(name)") { try requests(Array(text.utf8)) }
    }

    @Test(arguments: [
        "g\r\nabc\r\n0\r\n\r\n", "-1\r\n", " 3\r\nabc\r\n", "3 \r\nabc\r\n0\r\n\r\n",
        "3\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "3\r\nabc\n0\r\n\r\n", "\r\n",
        "fffffffffffff\r\n", "0x3\r\nabc\r\n0\r\n\r\n", "3;\u{1}\r\nabc\r\n0\r\n\r\n",
        "3;a\nb\r\nabc\r\n0\r\n\r\n", "3\r\r\nabc\r\n0\r\n\r\n", "+3\r\nabc\r\n0\r\n\r\n",
        "3_0\r\nabc\r\n0\r\n\r\n", "0\r\n folded: x\r\n\r\n", "0\nGET / HTTP/1.1\r\n\r\n",
        "0\r\nno-colon\r\n\r\n", "0\r\nA: \0\r\n\r\n",
    ])
    func malformedChunksAreRefused(body: String) {
        let head = request("POST / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked")
        #expect(throws: FramingError.self) { try requests(head + Array(body.utf8)) }
    }

    @Test func extensionsAreBoundedEachAndTogether() throws {
        let head = request("POST / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked")
        func chunks(_ count: Int, _ size: Int) -> [UInt8] {
            let chunk = "1;" + String(repeating: "e", count: size) + "\r\nx\r\n"
            return head + Array((String(repeating: chunk, count: count) + "0\r\n\r\n").utf8)
        }
        #expect(try requests(chunks(10, 200)).first?.body.count == 10)
        #expect(throws: FramingError.badChunk) { try requests(chunks(1, 300)) }
        #expect(throws: FramingError.badChunk) { try requests(chunks(100, 200)) }
        let trailer = "0\r\n" + String(repeating: "a: b\r\n", count: 2_000) + "\r\n"
        #expect(throws: FramingError.badChunk) { try requests(head + Array(trailer.utf8)) }
    }

    /// RFC 9112, 3.2.2: what a target in absolute form says stands above `Host`.
    @Test(arguments: [
        ("http://Api.Example:80/a?b=c", "/a?b=c"), ("HTTPS://api.example/a", "/a"),
        ("http://other.example:8080/a", "/a"), ("http://[::1]:80/", "/"), ("http://h", "/"),
        ("http://h:80", "/"), ("http://a?x/", "/?x/"), ("http://[::1]?", "/?"),
    ])
    func theAbsoluteFormIsTakenWhateverHostSays(target: String, path: String) throws {
        for host in ["api.example:80", "b"] {
            let text = request("GET \(target) HTTP/1.1", "Host: \(host)")
            #expect(try requests(text).map(\.target) == [path])
        }
        #expect(try requests(request("GET \(target) HTTP/1.0")).map(\.target) == [path])
    }

    @Test(arguments: ["1.2", "1.9", "2.0", "3.0", "0.9"])
    func otherVersionsAreToldApartFromBadLines(version: String) {
        #expect(throws: FramingError.badVersion) {
            try requests(request("GET / HTTP/\(version)", "Host: h"))
        }
        #expect(throws: FramingError.badRequestLine) {
            try requests(request("GET / HTTP/1.11", "Host: h"))
        }
    }

    @Test(arguments: [
        "h", "h:8443", "127.0.0.1:80", "[::1]", "[::1]:443", "a-b.c_d~e",
    ])
    func soundHostsAreTaken(host: String) throws {
        #expect(try requests(request("GET / HTTP/1.1", "Host: \(host)")).count == 1)
    }

    @Test func everySplitOfAnAnswerGivesTheSameHead() throws {
        let text = Array(
            ("HTTP/1.1 200 All is well\r\nContent-Type: text/plain\r\nX-A: \t b \r\n"
                + "Transfer-Encoding: chunked\r\n\r\n").utf8
        )
        for split in 0...text.count {
            var parser = HeadParser()
            let head = MessageHead()
            if split < text.count {
                #expect(try parser.headLength(in: text, from: 0, to: split) == nil)
            }
            let length = try parser.headLength(in: text, from: 0, to: text.count)
            #expect(length == text.count)
            try parser.readResponse(text, from: 0, length: text.count, to: .get, into: head)
            #expect(head.status == 200)
            #expect(head.text(.contentType) == "text/plain")
            #expect(head.framing == .chunked)
        }
    }

    @Test func everyLimitOfTheHeadIsHeld() {
        let limits = HeadLimits(bytesMax: 200, fieldsMax: 3, targetBytesMax: 20)
        func refused(_ text: [UInt8]) -> FramingError? {
            do {
                _ = try requests(text, limits: limits)
                return nil
            } catch { return error as? FramingError }
        }
        let longTarget = "/" + String(repeating: "a", count: 20)
        #expect(refused(request("GET \(longTarget) HTTP/1.1", "Host: h")) == .targetTooLong)
        #expect(refused(request("GET / HTTP/1.1", "Host: h", "a: 1", "b: 2")) == nil)
        #expect(
            refused(request("GET / HTTP/1.1", "Host: h", "a: 1", "b: 2", "c: 3"))
                == .tooManyFields
        )
        #expect(
            refused(Array("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 300))".utf8))
                == .headTooLarge
        )
    }

    @Test func randomMutationsNeverCrashNorLoseTheLimits() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            var text = stream
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let at = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[at] = UInt8.random(in: 0...255, using: &random)
                case 1: text.remove(at: at)
                default: text.insert(UInt8.random(in: 0...255, using: &random), at: at)
                }
            }
            let split = Int.random(in: 0..<text.count, using: &random)
            let whole = (try? requests(text))?.map(\.target)
            let parted = (try? requests(text, splitAt: [split]))?.map(\.target)
            #expect(whole == parted, "seed \(seed)")
        }
    }

    @Test func hopByHopFieldsAndWhatConnectionNamesAreNotSentOn() throws {
        var parser = HeadParser()
        let head = MessageHead()
        let text = request(
            "GET / HTTP/1.1",
            "Host: h",
            "Connection: close, X-Secret",
            "X-Secret: 1",
            "TE: gzip",
            "Accept: a",
            "X-Kept: 2"
        )
        let length = try #require(try parser.headLength(in: text, from: 0, to: text.count))
        try parser.readRequest(text, from: 0, length: length, into: head)
        var block = HeaderBlock()
        head.copyEndToEndFields(to: &block) { $0 == .host }
        #expect(String(decoding: block.bytes, as: UTF8.self) == "Accept: a\r\nX-Kept: 2\r\n")
        #expect(!head.keepsAlive)
    }
}
