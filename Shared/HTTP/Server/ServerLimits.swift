/// Bounds of a server; every one has a reason to be reached.
public struct ServerLimits: Sendable {
    /// How large a head may be.
    public var head = HeadLimits()
    /// A connection without a request.
    public var idleNanoseconds: UInt64 = 75_000_000_000
    /// The same where nine tenths of all connections are taken: whoever asks now and then would
    /// else keep others out for next to nothing.
    public var crowdedIdleNanoseconds: UInt64 = 5_000_000_000
    /// A TLS handshake, whole.
    public var handshakeNanoseconds: UInt64 = 10_000_000_000
    /// A head, from its first byte to its last (slowloris).
    public var headNanoseconds: UInt64 = 10_000_000_000
    /// A body, from the head on.
    public var bodyNanoseconds: UInt64 = 60_000_000_000
    /// A body, decoded; an endpoint may take less.
    public var bodyBytesMax = 64 << 20
    /// From the head to the answer.
    public var requestNanoseconds: UInt64 = 30_000_000_000
    /// One write that the peer does not take.
    public var writeNanoseconds: UInt64 = 30_000_000_000
    /// Between two parts of a streamed answer that has an end.
    public var streamNanoseconds: UInt64 = 60_000_000_000
    /// How long what the peer still sends is read after the last answer: who sends a large body
    /// mostly looks for the answer only afterwards.
    public var lingerNanoseconds: UInt64 = 2_000_000_000
    /// And how much of it.
    public var lingerBytesMax = 16 << 20
    /// An unread body up to this is read over to keep the connection.
    public var drainedBytesMax = 65_536
    /// Answers of pipelined requests are gathered up to this.
    public var outBytesMax = 65_536
    /// Requests on one connection.
    public var requestsMax = 100_000
    /// A body from this size on is written from where it lies, and in parts of it.
    public var partBytes = 65_536
    /// Connections on all loops; the oldest that has asked nothing goes for a new one.
    public var connectionsMax = 10_000
    /// Connections of one address (of IPv6 one /64).
    public var connectionsPerAddressMax = Int.max
    /// Connections of one network (IPv4 /24, IPv6 /48).
    public var connectionsPerNetworkMax = Int.max
    /// Connections of one address that have asked nothing yet, TLS handshakes among them.
    public var unservedPerAddressMax = Int.max
    /// The same of one network.
    public var unservedPerNetworkMax = Int.max

    /// The defaults.
    public init() {}
}
