import HTTP
import ServiceKit
import WalletProtocol

/// The settings of the gateway.
enum GatewayVariables {
    static let listen = Variable(
        "EZWALLET_LISTEN",
        "address and port of clients, under TLS where a certificate is given",
        default: "127.0.0.1:8443"
    )
    static let internalListen = Variable(
        "EZWALLET_INTERNAL_LISTEN",
        "address and port by which services call each other",
        default: "127.0.0.1:8081"
    )
    static let certificate = Variable(
        "EZWALLET_TLS_CERTIFICATE_FILE",
        "certificate chain, PEM; read again on SIGHUP"
    )
    static let key = Variable("EZWALLET_TLS_KEY_FILE", "its private key, PEM")
    // Cannot fire: the keys are the cases of an enumeration, each once.
    static let upstreams: [ServiceName: Variable] = Dictionary(
        uniqueKeysWithValues: ServiceName.allCases.filter { $0 != .gateway }.map { service in
            (
                service,
                Variable(
                    "EZWALLET_UPSTREAM_\(service.rawValue.uppercased())",
                    "replicas of \(service.rawValue): host:port, comma-separated; "
                        + "each address of a host is one"
                )
            )
        }
    )
    static let ratePerSecond = Variable(
        "EZWALLET_RATE_PER_SECOND",
        "requests a second of one client address; 0 is no limit",
        kind: .integer(0...1_000_000),
        default: "200"
    )
    static let rateBurst = Variable(
        "EZWALLET_RATE_BURST",
        "requests of one client address at once",
        kind: .integer(1...1_000_000),
        default: "400"
    )
    static let connectionsMax = Variable(
        "EZWALLET_CONNECTIONS_MAX",
        "client connections; the oldest that has asked nothing goes for a new one",
        kind: .integer(1...1_000_000),
        default: "10000"
    )
    static let connectionsPerAddressMax = Variable(
        "EZWALLET_CONNECTIONS_PER_ADDRESS_MAX",
        "client connections of one address (of IPv6 one /64)",
        kind: .integer(1...1_000_000),
        default: "1000"
    )
    static let connectionsPerNetworkMax = Variable(
        "EZWALLET_CONNECTIONS_PER_NETWORK_MAX",
        "client connections of one network (IPv4 /24, IPv6 /48)",
        kind: .integer(1...1_000_000),
        default: "4000"
    )
    static let handshakesPerAddressMax = Variable(
        "EZWALLET_HANDSHAKES_PER_ADDRESS_MAX",
        "client connections of one address that have asked nothing yet, handshakes among them",
        kind: .integer(1...1_000_000),
        default: "600"
    )
    static let handshakesPerNetworkMax = Variable(
        "EZWALLET_HANDSHAKES_PER_NETWORK_MAX",
        "the same of one network",
        kind: .integer(1...1_000_000),
        default: "2000"
    )

    /// The bounds of the clients' listener.
    static func limits(_ settings: Settings) -> ServerLimits {
        var limits = ServerLimits()
        limits.connectionsMax = settings.integer(connectionsMax)
        limits.connectionsPerAddressMax = settings.integer(connectionsPerAddressMax)
        limits.connectionsPerNetworkMax = settings.integer(connectionsPerNetworkMax)
        limits.unservedPerAddressMax = settings.integer(handshakesPerAddressMax)
        limits.unservedPerNetworkMax = settings.integer(handshakesPerNetworkMax)
        return limits
    }

    static let all: [Variable] =
        [
            listen, internalListen, CommonVariables.adminListen, CommonVariables.loops,
            CommonVariables.logLevel, CommonVariables.publicURL, CommonVariables.gatewayURL,
            CommonVariables.serviceSecret, CommonVariables.requestSeconds,
            CommonVariables.drainSeconds, certificate, key, ratePerSecond, rateBurst,
            connectionsMax, connectionsPerAddressMax, connectionsPerNetworkMax,
            handshakesPerAddressMax, handshakesPerNetworkMax,
        ] + ServiceName.allCases.compactMap { upstreams[$0] }
}
