// `in_addr` counts as that of whichever of the two is seen first, which differs in a release.
internal import CCares
internal import CGlibcSystem

/// An IPv4 or IPv6 address, and for how long a name may be taken to stand for it.
public struct NumericAddress: Sendable, Hashable {
    /// The address in figures.
    public let text: String
    /// What is left of the record's time to live, in seconds; at least 1.
    public let secondsToLive: Int

    /// Whether it is an IPv6 address.
    public var isIPv6: Bool { text.utf8.contains(UInt8(ascii: ":")) }

    init(text: String, secondsToLive: Int) {
        self.text = text
        self.secondsToLive = secondsToLive
    }

    /// An address that needs no looking up; nil: `host` is a name.
    public init?(numeric host: String) {
        // Safety: the buffers are as large as the addresses, and live as long as the calls.
        var v4 = in_addr()
        var v6 = in6_addr()
        guard
            unsafe inet_pton(AF_INET, host, &v4) == 1 || inet_pton(AF_INET6, host, &v6) == 1
        else { return nil }
        self.init(text: host, secondsToLive: .max)
    }
}

/// Why a name was not resolved.
public enum NameError: Error, Sendable, Hashable {
    /// There is no such name, or it has no address.
    case notFound
    /// No server answered in time, or the caller's deadline came first.
    case timedOut
    /// Servers answered, or failed, otherwise: in c-ares's words.
    case failed(String)
    /// Too many names are being looked up.
    case tooMany
    /// The caller was cancelled, or the loop ended.
    case cancelled
}
