/// A client's address as what it stands for: somebody's line, and the network around it.
///
/// One household has a /64 of IPv6 at least, so that single addresses of it count nothing
/// (RFC 6177); a site has up to a /48, as a /24 of IPv4 has one owner mostly.
public struct ClientNetwork: Hashable, Sendable {
    /// The line: an IPv4 address, or the /64 of an IPv6 one.
    public let line: String
    /// The network: the /24 or the /48.
    public let network: String

    /// From an address as text; what is none stands for itself.
    public init(_ address: String) {
        if let bytes = Self.ipv4(address[...]) {
            self = Self.of(ipv4: bytes)
        } else if let groups = Self.ipv6(address) {
            if groups[0..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
                self = Self.of(
                    ipv4: [groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255]
                )
            } else {
                let parts = groups.map { String($0, radix: 16) }
                self.init(
                    line: parts[0..<4].joined(separator: ":") + "::/64",
                    network: parts[0..<3].joined(separator: ":") + "::/48"
                )
            }
        } else {
            self.init(line: address, network: address)
        }
    }

    private init(line: String, network: String) {
        self.line = line
        self.network = network
    }

    private static func of(ipv4 bytes: [UInt16]) -> ClientNetwork {
        let parts = bytes.map { String($0) }
        return ClientNetwork(
            line: parts.joined(separator: "."),
            network: parts[0..<3].joined(separator: ".") + ".0/24"
        )
    }

    private static func ipv4(_ text: Substring) -> [UInt16]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { UInt8($0) }.map { UInt16($0) }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    /// The eight groups of an address (RFC 4291, 2.2), without its zone.
    private static func ipv6(_ address: String) -> [UInt16]? {
        let text = address.prefix { $0 != "%" }
        guard text.contains(":") else { return nil }
        var halves = [text[...]]
        let pairs = zip(text.indices, text.indices.dropFirst())
        if let (first, second) = pairs.first(where: { text[$0] == ":" && text[$1] == ":" }) {
            halves = [text[..<first], text[text.index(after: second)...]]
        }
        var groups: [[UInt16]] = []
        for half in halves {
            guard let part = Self.groups(half) else { return nil }
            groups.append(part)
        }
        if halves.count == 1 { return groups[0].count == 8 ? groups[0] : nil }
        let missing = 8 - groups[0].count - groups[1].count
        guard missing >= 1 else { return nil }
        return groups[0] + [UInt16](repeating: 0, count: missing) + groups[1]
    }

    private static func groups(_ text: Substring) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let bytes = ipv4(part) {
                groups += [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
            } else {
                guard part.utf8.count <= 4, let group = UInt16(part, radix: 16) else { return nil }
                groups.append(group)
            }
        }
        return groups
    }
}
