import Foundation
import Glibc
import HTTP
import Loops
import Synchronization
import TestKit

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
    private let server = Mutex<RawServer?>(nil)
    private let state = Mutex(State())

    var port: Int { server.withLock { $0?.port ?? 0 } }
    var mails: [Mail] { state.withLock { $0.mails } }
    func answerNext(_ answers: Answer...) { state.withLock { $0.answers = answers } }

    init() {
        let server = RawServer { [self] descriptor, _ in talk(descriptor) }
        self.server.withLock { $0 = server }
    }

    func stop() { server.withLock { $0?.stop() } }

    private func talk(_ descriptor: Int32) {
        func say(_ text: String) { RawServer.write(text + "\r\n", to: descriptor) }
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
    func refusal(_ error: FramingError, from peer: PeerAddress) -> HTTPResponse {
        HTTPResponse(status: error.status)
    }
}
