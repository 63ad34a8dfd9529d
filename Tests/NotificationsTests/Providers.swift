import Foundation
import Glibc
import HTTP
import Loops
import Synchronization

/// A mail server on a thread of its own, as far as a client of SMTP can see one (RFC 5321).
final class MailServer: Sendable {
    /// How it answers the next DATA.
    enum Answer: Sendable {
        case take
        case refuse(String)
        /// Takes the mail, and hangs up before it says so.
        case vanish
    }
    struct Mail: Sendable {
        let recipients: [String]
        let text: String
        /// The value of a header field.
        func field(_ name: String) -> String? {
            text.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }
    private struct State {
        var answers: [Answer] = []
        var mails: [Mail] = []
    }
    let port: Int
    private let descriptor: Int32
    private let state = Mutex(State())

    var mails: [Mail] { state.withLock { $0.mails } }
    func answerNext(_ answers: Answer...) { state.withLock { $0.answers = answers } }

    init() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = bind(descriptor, pointer, length)
                _ = listen(descriptor, 16)
                _ = getsockname(descriptor, pointer, &length)
            }
        }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0 else { return }
                Thread.detachNewThread { self.talk(accepted) }
            }
        }
    }

    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    private func talk(_ descriptor: Int32) {
        defer { close(descriptor) }
        func say(_ text: String) {
            _ = (text + "\r\n").withCString { write(descriptor, $0, strlen($0)) }
        }
        func line() -> String? {
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) == 1 {
                bytes.append(byte)
                if byte == 0x0a { return String(decoding: bytes.dropLast(2), as: UTF8.self) }
            }
            return nil
        }
        say("220 test")
        var recipients: [String] = []
        while let command = line() {
            switch command.prefix(4).uppercased() {
            case "EHLO", "HELO", "MAIL", "RSET", "NOOP": say("250 ok")
            case "RCPT":
                recipients.append(String(command.dropFirst(8)))
                say("250 ok")
            case "DATA":
                say("354 go on")
                var text = ""
                while let line = line(), line != "." { text += line + "\r\n" }
                let mail = Mail(recipients: recipients, text: text)
                recipients = []
                let answer = state.withLock { state in
                    state.answers.isEmpty ? Answer.take : state.answers.removeFirst()
                }
                switch answer {
                case .take:
                    state.withLock { $0.mails.append(mail) }
                    say("250 taken")
                case .refuse(let reply): say(reply)
                case .vanish:
                    state.withLock { $0.mails.append(mail) }
                    return
                }
            case "QUIT":
                say("221 bye")
                return
            default: say("500 what")
            }
        }
    }
}

/// What an SMS provider was asked, and how it answers.
final class SMSProvider: Sendable {
    private struct State {
        var keys: [String] = []
        var status = 201
        var isSilent = false
    }
    private let state = Mutex(State())
    /// The idempotency keys that came, in order.
    var keys: [String] { state.withLock { $0.keys } }
    func answer(_ status: Int) { state.withLock { $0.status = status } }
    func beSilent(_ isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }

    fileprivate func take(_ key: String) -> (status: Int, isSilent: Bool) {
        state.withLock { state in
            state.keys.append(key)
            return (state.status, state.isSilent)
        }
    }

    /// Listens on a loop of the group.
    func listen(on group: LoopGroup) async throws -> Int {
        let server = HTTPServer(loops: group)
        return try await group.loops[0].actor.run { actor in
            server.attach(SMSHandler(self), on: actor)
            return try server.listen(host: "127.0.0.1", port: 0, on: actor)
        }
    }
}

private final class SMSHandler: HTTPHandler {
    let provider: SMSProvider
    init(_ provider: SMSProvider) { self.provider = provider }
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        _ = try? await request.body(max: 1 << 16)
        let (status, isSilent) = provider.take(request.head.text(.idempotencyKey) ?? "")
        while isSilent, !Task.isCancelled {
            guard (try? await request.loop.sleep(nanoseconds: 20_000_000)) != nil else { break }
        }
        return HTTPResponse(status: status)
    }
    func refusal(_ error: FramingError) -> HTTPResponse { HTTPResponse(status: error.status) }
}
