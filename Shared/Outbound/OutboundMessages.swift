/// A request to a provider outside.
public struct OutboundRequest: Sendable {
    /// The method.
    public var method: String
    /// `https://…` or `http://…`; redirects are not followed.
    public var url: String
    /// The fields.
    public var headers: [(String, String)]
    /// The body, where there is one.
    public var body: [UInt8]?
    /// When to give up, in monotonic nanoseconds.
    public var deadline: UInt64
    /// How large an answer is taken.
    public var responseBytesMax: Int
    /// PEM of the authorities to trust in place of the system's.
    public var authorityFile: String?

    /// A request.
    public init(
        method: String,
        url: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil,
        deadline: UInt64,
        responseBytesMax: Int = 1 << 20,
        authorityFile: String? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.deadline = deadline
        self.responseBytesMax = responseBytesMax
        self.authorityFile = authorityFile
    }
}

/// A provider's answer.
public struct OutboundResponse: Sendable {
    /// The status.
    public let status: Int
    /// The body.
    public let body: [UInt8]
}

/// Why something did not get out.
public enum OutboundError: Error, Sendable, Equatable {
    /// The address, a header or the message is malformed; nothing was sent.
    case invalid(String)
    /// Nobody could be reached; nothing was sent.
    case unreachable(String)
    /// The other side said no: an HTTP status or an SMTP reply; 0 where it has none.
    case refused(status: Int, detail: String)
    /// The deadline came, or the connection broke: what was sent may have been taken.
    case interrupted(String)
    /// The answer was larger than the caller takes.
    case tooLarge

    /// Whether the other side may have taken it all the same.
    public var isDoubtful: Bool {
        switch self {
        case .interrupted, .tooLarge: true
        case .invalid, .unreachable, .refused: false
        }
    }

    /// Whether trying again cannot help: 5yz of SMTP, 4xx of HTTP but 408 and 429.
    public var isPermanent: Bool {
        switch self {
        case .invalid: true
        case .refused(let status, let detail):
            detail == OutboundClient.smtpDetail
                ? status >= 500
                : (400..<500).contains(status) && status != 408 && status != 429
        case .unreachable, .interrupted, .tooLarge: false
        }
    }
}

/// A mail server.
public struct SMTPServer: Sendable {
    /// `smtp://host:port` or `smtps://host:port`.
    public var url: String
    /// The user, where it wants one.
    public var user: String?
    /// The password.
    public var password: String?
    /// Whether mail may go without TLS where the server offers none.
    public var requiresTLS: Bool

    /// A server.
    public init(
        url: String,
        user: String? = nil,
        password: String? = nil,
        requiresTLS: Bool = false
    ) {
        self.url = url
        self.user = user
        self.password = password
        self.requiresTLS = requiresTLS
    }
}
