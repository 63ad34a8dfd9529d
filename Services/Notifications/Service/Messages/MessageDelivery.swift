import Crypto
import Loops
import Outbound
import Postgres
import ServiceKit
import WalletProtocol

/// Hands messages over to the mail server and the SMS provider, each once as far as can be known.
///
/// Where a provider's answer was lost the truth is unknowable: a mail goes again under the same
/// Message-ID, so that it is recognised; an SMS does not, for two codes confuse. Doubts are
/// counted.
final class MessageDelivery {
    private let database: Database
    private let seal: Seal
    private let outbound: OutboundClient
    private let settings: Settings
    private let loop: EventLoop
    private let logger: Logger
    private let begun: BegunWork
    private let sent: MetricValue
    private let doubtful: MetricValue
    private let failed: MetricValue

    static let workersPerLoop = 4
    /// Well within the minute that a claim lasts.
    static let deadlineNanoseconds: UInt64 = 20_000_000_000

    init(_ service: ServiceLoop, seal: Seal) {
        database = service.database
        self.seal = seal
        loop = service.loop
        outbound = OutboundClient(loop: service.loop)
        settings = service.settings
        logger = service.logger
        begun = BegunWork(service)
        let metrics = service.metrics
        func counter(_ outcome: String) -> MetricValue {
            metrics.counter(
                "ezwallet_messages_total",
                "Messages by outcome.",
                labels: "outcome=\"\(outcome)\""
            )
        }
        sent = counter("sent")
        doubtful = counter("doubtful")
        failed = counter("failed")
    }

    /// Delivers the message that has been due for longest.
    /// - Returns: whether there was one.
    func deliverNext() async throws -> Bool {
        guard let claimed = try await database.queryOne(MessageStatements.claim) else {
            return false
        }
        try await begun.attempt("message", claimed.id) { attempt in
            guard !attempt.isHopeless else {
                failed.add()
                return try await finish(claimed, as: "failed")
            }
            try await deliver(claimed)
        }
        return true
    }

    private func deliver(_ claimed: ClaimedMessage) async throws {
        guard claimed.expiresAt > .now() else {
            try await finish(claimed, as: "expired")
            return
        }
        if claimed.wasSending, claimed.channel == .sms {
            doubtful.add()
            try await finish(claimed, as: "doubtful")
            return
        }
        let message: NewMessage
        let text: MessageText
        do {
            (message, text) = try open(claimed)
        } catch {
            logger.error(
                "message cannot be opened",
                [("message", claimed.id.text), ("cause", String(describing: error))]
            )
            failed.add()
            try await finish(claimed, as: "failed")
            return
        }
        do {
            switch message.channel {
            case .email: try await sendMail(message, text)
            case .sms: try await sendSMS(message, text)
            }
            sent.add()
            try await finish(claimed, as: "sent")
        } catch let error as OutboundError {
            try await take(error, of: claimed)
        }
    }

    private func open(_ claimed: ClaimedMessage) throws -> (NewMessage, MessageText) {
        let plain = try seal.open(claimed.sealed, context: claimed.id.bytes)
        let message = try JSON.read(NewMessage.self, from: plain)
        guard let sealed = Base64URL.decode(message.sealedParameters.utf8) else {
            throw SealBroken()
        }
        let parameters = try JSON.read(
            [String: String].self,
            from: seal.open(sealed, context: message.id.bytes)
        )
        return (
            message,
            MessageText(message.template, language: message.language, parameters: parameters)
        )
    }

    /// An error of the provider: doubt, another try, or the end.
    private func take(_ error: OutboundError, of claimed: ClaimedMessage) async throws {
        logger.warning(
            "message not delivered",
            [
                ("message", claimed.id.text), ("channel", claimed.channel?.rawValue ?? ""),
                ("cause", String(describing: error)),
            ]
        )
        if error.isDoubtful, claimed.channel == .sms {
            doubtful.add()
            try await finish(claimed, as: "doubtful")
        } else if error.isPermanent {
            failed.add()
            try await finish(claimed, as: "failed")
        } else {
            // 1, 2, 4 … up to five minutes, each up to a quarter longer, so that they spread; until
            // it is delivered or of no use any more.
            let base = Double(min(300, 1 << min(9, Int(claimed.attempts) - 1)))
            var random = SystemRandomNumberGenerator()
            try await database.execute(
                MessageStatements.retry,
                claimed.id,
                base * Double.random(in: 1...1.25, using: &random)
            )
        }
    }

    private func finish(_ claimed: ClaimedMessage, as state: String) async throws {
        try await database.execute(MessageStatements.finish, claimed.id, state)
    }

    private func sendMail(
        _ message: NewMessage,
        _ text: MessageText
    ) async throws(OutboundError) {
        let from = settings.text(NotificationsVariables.mailFrom)
        let domain = from.drop { $0 != "@" }.dropFirst()
        let mail = MailMessage(
            from: from,
            to: message.recipient,
            subject: text.subject,
            text: text.text,
            messageID: "\(message.id.text)@\(domain)",
            secondsSince1970: Instant.now().secondsSince1970
        )
        try await outbound.sendMail(
            mail,
            via: SMTPServer(
                url: settings.text(NotificationsVariables.smtpURL),
                user: settings.optional(NotificationsVariables.smtpUser),
                password: settings.optional(NotificationsVariables.smtpPassword),
                requiresTLS: settings.text(NotificationsVariables.smtpStartTLS) == "required"
            ),
            // Cannot wrap: a constant is added to the clock.
            deadline: loop.now &+ Self.deadlineNanoseconds
        )
    }

    private func sendSMS(_ message: NewMessage, _ text: MessageText) async throws(OutboundError) {
        guard let url = settings.optional(NotificationsVariables.smsURL) else {
            throw OutboundError.refused(status: 0, detail: "no SMS provider is configured")
        }
        let body = JSON.write(
            JSONTree.object([
                JSONMember("to", .string(message.recipient)),
                JSONMember("text", .string(text.text)),
            ])
        )
        var headers = [
            ("Content-Type", "application/json"), ("Idempotency-Key", message.id.text),
        ]
        if let token = settings.optional(NotificationsVariables.smsToken) {
            headers.append(("Authorization", "Bearer \(token)"))
        }
        let answer = try await outbound.request(
            OutboundRequest(
                method: "POST",
                url: url,
                headers: headers,
                body: body,
                // Cannot wrap: a constant is added to the clock.
                deadline: loop.now &+ Self.deadlineNanoseconds
            )
        )
        guard (200..<300).contains(answer.status) else {
            throw OutboundError.refused(status: answer.status, detail: "the SMS provider")
        }
    }
}
