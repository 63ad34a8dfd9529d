@testable import HTTP

// What is held of the codec: messages do not depend on how the bytes were cut; what is taken as a
// request means the same once it is written anew, as the gateway does, and read again; what one
// message is taken for never reaches into the next.

/// One message as the codec understood it.
private struct Message: Equatable {
    var line: String
    var fields: [UInt8]
    var body: [UInt8]
}

/// Every message in `bytes`, and whether the codec stopped at a fault.
private func messages(
    _ bytes: [UInt8],
    cutAt cut: Int,
    asRequests: Bool,
    limits: HeadLimits = HeadLimits(bytesMax: 4_096, fieldsMax: 20)
) throws(FuzzFault) -> (found: [Message], failed: Bool) {
    var parser = HeadParser(limits: limits)
    let head = MessageHead()
    var found: [Message] = []
    var start = 0
    var decoder: BodyDecoder?
    var body: [UInt8] = []
    for end in [min(cut, bytes.count), bytes.count] {
        let available = Array(bytes[..<end])
        do {
            while true {
                guard var open = decoder else {
                    guard
                        let length = try parser.headLength(in: available, from: start, to: end)
                    else { break }
                    if asRequests {
                        try parser.readRequest(available, from: start, length: length, into: head)
                    } else {
                        try parser.readResponse(
                            available,
                            from: start,
                            length: length,
                            to: .get,
                            into: head
                        )
                    }
                    start += length
                    body = []
                    decoder = BodyDecoder(head.framing)
                    continue
                }
                let step = try open.next(in: available, from: start, to: end)
                decoder = open
                switch step {
                case .skip(let count):
                    try hold(count > 0 && start + count <= end, "skipped past the end")
                    start += count
                case .data(let count):
                    try hold(count > 0 && start + count <= end, "read past the end")
                    body += available[start..<start + count]
                    start += count
                case .end:
                    found.append(message(head, body))
                    decoder = nil
                case .needsMore: break
                }
                if step == .needsMore { break }
            }
        } catch let fault as FuzzFault {
            throw fault
        } catch {
            return (found, true)
        }
    }
    return (found, false)
}

private func message(_ head: MessageHead, _ body: [UInt8]) -> Message {
    var block = HeaderBlock()
    head.copyEndToEndFields(to: &block) { _ in false }
    let line = "\(head.method) \(head.status) \(String(decoding: head.target, as: UTF8.self))"
    return Message(line: line, fields: block.bytes, body: body)
}

/// The message as a gateway sends it on.
private func written(_ message: Message) -> [UInt8]? {
    let parts = message.line.split(separator: " ", omittingEmptySubsequences: false)
    guard parts[0] != "other", parts.count == 3 else { return nil }
    let method = parts[0].uppercased()
    return Array("\(method) \(parts[2]) HTTP/1.1\r\n".utf8) + message.fields
        + Array("Content-Length: \(message.body.count)\r\n\r\n".utf8) + message.body
}

private func checkMessages(_ bytes: [UInt8], cutAt cut: Int) throws {
    for asRequests in [true, false] {
        let whole = try messages(bytes, cutAt: bytes.count, asRequests: asRequests)
        let parted = try messages(bytes, cutAt: cut, asRequests: asRequests)
        try hold(whole.found == parted.found, "the cut at \(cut) changes the messages")
        try hold(whole.failed == parted.failed, "the cut at \(cut) changes the verdict")
        guard asRequests else { continue }
        for message in whole.found {
            // Whoever has no Host came by HTTP/1.0 and would be refused as 1.1.
            guard let text = written(message), hasHost(message.fields) else { continue }
            // The length that was added counts, too.
            let again = try messages(
                text,
                cutAt: text.count,
                asRequests: true,
                limits: HeadLimits()
            )
            try hold(again.found == [message] && !again.failed, "means something else anew")
        }
    }
}

private func hasHost(_ fields: [UInt8]) -> Bool {
    String(decoding: fields, as: UTF8.self).split(separator: "\r\n").contains {
        $0.lowercased().hasPrefix("host:")
    }
}

extension FuzzTarget {
    /// The first byte says where to cut the rest.
    static let httpCodec = FuzzTarget(
        "http-codec",
        words: [
            "\r\n", "\r\n\r\n", "Host: h", "Content-Length: ", "Transfer-Encoding: chunked",
            "0\r\n",
            " HTTP/1.1", "Connection: close", "Expect: 100-continue", ":", ";", "chunked, gzip",
        ],
        growths: [
            Growth("~GET /", "a"), Growth("~GET / HTTP/1.1\r\nHost: h\r\n", "A: b\r\n", "\r\n"),
            Growth("~GET / HTTP/1.1\r\nHost: h\r\nA: ", "b,", "\r\n\r\n"), Growth("~\r\n"),
            Growth(
                "~PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
                "1\r\na\r\n",
                "0\r\n\r\n"
            ),
            Growth("~GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        ],
        seeds: {
            [
                "~GET /a?x=1 HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, X-A\r\nX-A: b\r\n\r\n",
                "@POST http://h/b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
                    + "GET / HTTP/1.0\r\n\r\n",
                " PUT / HTTP/1.1\r\nHost: [::1]:80\r\nTransfer-Encoding: chunked\r\n"
                    + "Expect: 100-continue\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: x\r\n\r\n",
                "0HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 204 No\r\n\r\n",
                "9HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "A\r\n0123456789\r\n0\r\n\r\n",
            ].map { Array($0.utf8) }
        },
        check: { data in
            guard data.count > 1 else { return }
            let bytes = Array(data.dropFirst())
            let cut = Int(data[0]) * max(1, bytes.count / 200) % bytes.count
            try checkMessages(bytes, cutAt: cut)
        }
    )
}
