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
        "client connections",
        kind: .integer(1...1_000_000),
        default: "10000"
    )

    static let all: [Variable] =
        [
            listen, internalListen, CommonVariables.adminListen, CommonVariables.loops,
            CommonVariables.logLevel, CommonVariables.publicURL, CommonVariables.gatewayURL,
            CommonVariables.serviceSecret, CommonVariables.requestSeconds,
            CommonVariables.drainSeconds, certificate, key, ratePerSecond, rateBurst,
            connectionsMax,
        ] + ServiceName.allCases.compactMap { upstreams[$0] }
}
