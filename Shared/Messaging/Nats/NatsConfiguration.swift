/// How the broker is reached.
public struct NatsConfiguration: Sendable {
    /// Its addresses, `nats://host:port` or `tls://host:port`; credentials may stand in them.
    public var urls: [String]
    /// The name shown in the broker's list of connections.
    public var name: String
    /// The user, where the broker asks for one.
    public var user: String?
    /// The user's password.
    public var password: String?
    /// The authority that signed the broker's certificate; set: TLS is asked for.
    public var authorityFile: String?
    /// The pause between attempts to connect; a jitter of as much again is added.
    public var reconnectMilliseconds: Int64 = 250
    /// How long one attempt to connect may take.
    public var connectMillisecondsMax: Int64 = 2_000
    /// How long an answer of JetStream's API may take.
    public var answerMillisecondsMax: Int64 = 2_000

    /// A configuration with the defaults above.
    public init(urls: [String], name: String) {
        self.urls = urls
        self.name = name
    }
}

/// The one stream of the suite, as it is to be.
public struct StreamConfiguration: Sendable, Equatable {
    /// The stream's name.
    public var name = "EZWALLET"
    /// The subjects that it stores.
    public var subjects = ["ezwallet.>"]
    /// How long an event stays; producers publish again no older ones after a loss.
    public var maxAgeSeconds: Int64 = 7 * 86_400
    /// How much it holds; beyond that the oldest go.
    public var maxBytes: Int64 = 2 << 30
    /// How long the broker remembers ids, to drop what is published twice.
    public var duplicateWindowSeconds: Int64 = 120
    /// On how many servers of a cluster each event lies.
    public var replicas: Int64 = 1

    /// The defaults above.
    public init() {}
}
