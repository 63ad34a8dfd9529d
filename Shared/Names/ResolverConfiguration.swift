/// Whom a resolver asks, for how long it waits, and how much it remembers.
public struct ResolverConfiguration: Sendable {
    /// The file that names the servers (resolv.conf(5)); read again after servers have failed.
    public var serversFile = "/etc/resolv.conf"
    /// The servers' port.
    public var serverPort: UInt16 = 53
    /// How long a server has for its first answer; it doubles with each round of all servers.
    public var tryMilliseconds: Int32 = 1_000
    /// Rounds of all servers.
    public var tries: Int32 = 3
    /// How long a caller waits who has no nearer deadline.
    public var waitMillisecondsMax: UInt64 = 5_000
    /// Answers are kept for at least so long, whatever their records say.
    public var keptSecondsMin = 1
    /// Answers are kept for at most so long.
    public var keptSecondsMax = 60
    /// That there is no such name is kept for so long.
    public var absenceSeconds = 1
    /// Names whose answers are kept; the one that ends first goes.
    public var namesMax = 256
    /// Names looked up at once.
    public var lookupsMax = 64
    /// Addresses taken of one name; the others are left out.
    public var addressesMax = 64

    /// The system's servers, with the defaults above.
    public init() {}
}
