import Loops
import Names
import Outbound
import ServiceKit
import WalletProtocol

/// Whether mail can be sent to an address at all, beyond its form.
///
/// First the DNS, then an outside validator where one is configured. Who does not answer in time
/// says nothing, and the address is let pass: its mailed link is what proves it in the end.
/// Belongs to one loop.
final class MailDomainCheck {
    static let waitNanoseconds: UInt64 = 1_000_000_000
    /// So many domains without an answer, and no other one with one in between: then it is our own
    /// resolver that is silent, and not a stranger's server, which would so switch the check off.
    static let silentDomainsMax = 4
    /// After that nobody waits for it for so long.
    static let pauseNanoseconds: UInt64 = 10_000_000_000

    private let names: NameResolver?
    private let validator: MailValidator?
    private let logger: Logger
    private var pausedUntil: UInt64 = 0
    /// By their last two labels: whoever has a domain has any number below it.
    private var silentDomains: Set<String> = []

    /// - Parameter names: whom domains are looked up with; nil: not at all.
    init(names: NameResolver?, validator: MailValidator?, logger: Logger) {
        self.names = names
        self.validator = validator
        self.logger = logger
    }

    /// As a service's settings have it.
    convenience init(_ service: ServiceLoop) {
        let settings = service.settings
        let url = settings.optional(AuthVariables.emailValidatorURL) ?? ""
        self.init(
            names: settings.text(AuthVariables.emailDomainCheck) == "on" ? service.names : nil,
            validator: url.isEmpty
                ? nil
                : MailValidator(
                    url: url,
                    token: settings.optional(AuthVariables.emailValidatorToken),
                    loop: service.loop
                ),
            logger: service.logger
        )
    }

    /// - Throws: 422 `invalid-email` at `/email`.
    func check(_ email: EmailAddress) async throws {
        var checks = FieldChecks()
        await check(email, &checks)
        try checks.finish()
    }

    /// Notes what is wrong.
    func check(_ email: EmailAddress, _ checks: inout FieldChecks) async {
        if let reason = await refusalByDNS(email) {
            checks.wrong("/email", .invalidEmail, reason)
        } else if let validator, let reason = await refusal(of: email, by: validator) {
            checks.wrong("/email", .invalidEmail, reason)
        }
    }

    private func refusalByDNS(_ email: EmailAddress) async -> String? {
        let now = monotonicNanoseconds()
        guard let names, now >= pausedUntil else { return nil }
        do {
            let domain = try await names.mailDomain(
                String(email.domain),
                deadline: now + Self.waitNanoseconds
            )
            silentDomains = []
            switch domain {
            case .takesMail: return nil
            case .refusesMail: return "domain-takes-no-mail"
            case .isAbsent: return "domain-not-found"
            }
        } catch {
            if error == .timedOut { noteSilence(of: email.domain) }
            logger.warning("mail domains are unchecked", [("cause", "\(error)")])
            return nil
        }
    }

    private func noteSilence(of domain: some StringProtocol) {
        let labels = domain.lowercased().split(separator: ".").suffix(2)
        silentDomains.insert(labels.joined(separator: "."))
        guard silentDomains.count >= Self.silentDomainsMax else { return }
        silentDomains = []
        pausedUntil = monotonicNanoseconds() + Self.pauseNanoseconds
        logger.warning("no mail domain is answered for: the check pauses")
    }

    private func refusal(of email: EmailAddress, by validator: MailValidator) async -> String? {
        do {
            return try await validator.accepts(email) ? nil : "refused-by-validator"
        } catch {
            logger.warning("the mail validator is unreachable", [("cause", "\(error)")])
            return nil
        }
    }
}

/// An outside service that knows more of addresses than the DNS does.
///
/// `POST {"email": …}` with a bearer token; it answers `{"valid": true}` or false. What reason it
/// gives is not passed on: it is a stranger's words.
final class MailValidator {
    static let waitNanoseconds: UInt64 = 3_000_000_000

    private let url: String
    private let token: String?
    private let loop: EventLoop
    /// Made at first need.
    private var client: OutboundClient?

    init(url: String, token: String?, loop: EventLoop) {
        self.url = url
        self.token = token
        self.loop = loop
    }

    private struct Answer: JSONObject {
        let isValid: Bool
        let reason: String?

        static let json = Object(
            Answer.init,
            Field("valid", \.isValid),
            Field("reason", \.reason)
        )
    }

    private struct Unreadable: Error {}

    /// - Throws: where it cannot be reached, or answers something else.
    func accepts(_ email: EmailAddress) async throws -> Bool {
        let client = client ?? OutboundClient(loop: loop)
        self.client = client
        var headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        if let token { headers.append(("Authorization", "Bearer " + token)) }
        let answer = try await client.request(
            OutboundRequest(
                method: "POST",
                url: url,
                headers: headers,
                body: JSON.write(JSONTree.object([JSONMember("email", .string(email.text))])),
                deadline: monotonicNanoseconds() + Self.waitNanoseconds,
                responseBytesMax: 16_384
            )
        )
        guard answer.status == 200,
            let said = try? JSON.read(Answer.self, from: answer.body, ignoringUnknownFields: true)
        else { throw Unreadable() }
        return said.isValid
    }
}
