internal import CGlibcSystem
internal import Glibc

// Safety: in this file addresses and options are passed to the system for the length of a call,
// each with its size; a `sockaddr_storage` is as large and as aligned as any address.
/// Sends small answers at once instead of waiting for more to send.
func setNoDelay(_ descriptor: Int32) {
    var on: Int32 = 1
    // Safety: the kernel copies what these pointers lend before the call returns.
    unsafe _ = setsockopt(
        descriptor,
        Int32(IPPROTO_TCP),
        TCP_NODELAY,
        &on,
        socklen_t(MemoryLayout<Int32>.size)
    )
}

/// A socket address as bytes, with its family.
struct SocketAddress: Sendable {
    var storage: sockaddr_storage
    var length: socklen_t
    var family: Int32

    /// From a numeric IPv4 or IPv6 address.
    init?(host: String, port: Int) {
        guard (0...65_535).contains(port) else { return nil }
        storage = sockaddr_storage()
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        let name = host == "localhost" ? "127.0.0.1" : host
        if unsafe inet_pton(AF_INET, name, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = in_port_t(port).bigEndian
            family = AF_INET
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            unsafe withUnsafeMutableBytes(of: &storage) { target in
                unsafe withUnsafeBytes(of: &v4) { unsafe target.copyMemory(from: $0) }
            }
        } else if unsafe inet_pton(AF_INET6, name, &v6.sin6_addr) == 1 {
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = in_port_t(port).bigEndian
            family = AF_INET6
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            unsafe withUnsafeMutableBytes(of: &storage) { target in
                unsafe withUnsafeBytes(of: &v6) { unsafe target.copyMemory(from: $0) }
            }
        } else {
            return nil
        }
    }

    /// Calls `body` with the address as C wants it.
    func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, length)
            }
        }
    }
}

func bindListener(
    host: String,
    port: Int
) throws(HTTPServer.ListenError) -> (descriptor: Int32, port: Int) {
    guard let address = SocketAddress(host: host, port: port) else {
        throw HTTPServer.ListenError(description: "\(host):\(port) is no numeric address")
    }
    let descriptor = socket(
        address.family,
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue),
        0
    )
    guard descriptor >= 0 else {
        throw HTTPServer.ListenError(description: "no socket for \(host):\(port)")
    }
    var on: Int32 = 1
    unsafe _ = setsockopt(
        descriptor,
        SOL_SOCKET,
        SO_REUSEADDR,
        &on,
        socklen_t(MemoryLayout<Int32>.size)
    )
    let bound = unsafe address.withPointer { unsafe bind(descriptor, $0, $1) }
    guard bound == 0, listen(descriptor, 1_024) == 0 else {
        let reason = unsafe String(cString: strerror(errno))
        close(descriptor)
        throw HTTPServer.ListenError(description: "\(host):\(port): \(reason)")
    }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    unsafe withUnsafeMutablePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe _ = getsockname(descriptor, $0, &length)
        }
    }
    let chosen = unsafe withUnsafeBytes(of: &storage) { bytes in
        let high = unsafe Int(bytes[2])
        let low = unsafe Int(bytes[3])
        return high << 8 | low
    }
    return (descriptor, chosen)
}

/// The numeric address of a peer.
func peerAddress(_ storage: sockaddr_storage) -> PeerAddress {
    var storage = storage
    let isIPv6 = Int32(storage.ss_family) == AF_INET6
    var text = [CChar](repeating: 0, count: 64)
    var network: UInt64 = 0
    unsafe withUnsafeBytes(of: &storage) { bytes in
        // The address lies behind family, port and (IPv6) flow information.
        let (first, count) = isIPv6 ? (8, 16) : (4, 4)
        network = unsafe networkNumber(of: Array(bytes[first..<(first + count)]))
        if let base = bytes.baseAddress {
            unsafe _ = inet_ntop(
                isIPv6 ? AF_INET6 : AF_INET,
                base + (isIPv6 ? 8 : 4),
                &text,
                socklen_t(text.count)
            )
        }
    }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return PeerAddress(
        text: String(decoding: bytes, as: UTF8.self),
        isIPv6: isIPv6,
        network: network
    )
}

/// The network of an address of 4 or 16 bytes as a number.
///
/// IPv4 addresses stand where IPv6 has none (0:ffff::/32), also those that come mapped into IPv6.
func networkNumber(of address: [UInt8]) -> UInt64 {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff]
    if address.count == 4 || address.starts(with: mapped) {
        return 0xffff_0000_0000 | number(address.suffix(4))
    }
    return number(address.prefix(8))
}

/// An IMF-fixdate (RFC 9110, 5.6.7).
func httpDate(secondsSince1970 seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = unsafe tm()
    unsafe _ = gmtime_r(&time, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let weekday = unsafe days[Int(parts.tm_wday)]
    let day = unsafe "\(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1_900)"
    let clock = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return "\(weekday), \(day) \(clock) GMT"
}
