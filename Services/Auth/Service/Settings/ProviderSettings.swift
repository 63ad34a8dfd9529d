import ServiceKit

/// The settings of sign-in by other providers: any number of them, each by a name.
enum IdentityVariables {
    static let providers = Variable(
        "EZWALLET_OIDC_PROVIDERS",
        "names of OpenID Connect providers, with commas; letters a to z, digits and - in each"
    )
    static let issuer = Variable(
        "EZWALLET_OIDC_<NAME>_ISSUER",
        "a provider's issuer, as its tokens tell it; NAME is the provider's in capitals, _ for -",
        required: true,
        listedIn: providers.name
    )
    static let clientID = Variable(
        "EZWALLET_OIDC_<NAME>_CLIENT_ID",
        "who we are at that provider",
        required: true,
        listedIn: providers.name
    )
    static let clientSecret = Variable(
        "EZWALLET_OIDC_<NAME>_CLIENT_SECRET",
        "what proves it there; a public client has none",
        secret: true,
        listedIn: providers.name
    )
    static let title = Variable(
        "EZWALLET_OIDC_<NAME>_TITLE",
        "the provider's name as people read it; its name where left out",
        listedIn: providers.name
    )
    static let scopes = Variable(
        "EZWALLET_OIDC_<NAME>_SCOPES",
        "what is asked for at that provider",
        default: "openid email",
        listedIn: providers.name
    )
    static let nativeRedirects = Variable(
        "EZWALLET_NATIVE_REDIRECTS",
        "addresses that a native client's sign-in may return to, with commas; compared exactly"
    )
    static let perAddressMax = Variable(
        "EZWALLET_SIGN_INS_PER_ADDRESS_MAX",
        "sign-ins by providers begun in an hour from one address (its network: four times that); "
            + "0 for no limit",
        kind: .integer(0...1_000_000),
        default: "60"
    )

    static let all = [
        providers, issuer, clientID, clientSecret, title, scopes, nativeRedirects, perAddressMax,
    ]
}

/// One provider as it is configured.
struct ProviderSettings: Sendable {
    let name: String
    let title: String
    let issuer: String
    let clientID: String
    let clientSecret: String?
    let scopes: String

    /// Every provider.
    /// - Throws: `ConfigurationError` naming each that cannot be.
    static func all(_ settings: Settings) throws -> [ProviderSettings] {
        var faults: [String] = []
        let list = Variable.names(in: settings.optional(IdentityVariables.providers))
        if Set(list.map { IdentityVariables.issuer.named($0).name }).count != list.count {
            faults.append("\(IdentityVariables.providers.name): a name twice")
        }
        let providers = list.map { name in
            func text(_ variable: Variable) -> String? { settings.optional(variable.named(name)) }
            let provider = ProviderSettings(
                name: name,
                title: text(IdentityVariables.title) ?? name,
                issuer: text(IdentityVariables.issuer) ?? "",
                clientID: text(IdentityVariables.clientID) ?? "",
                clientSecret: text(IdentityVariables.clientSecret),
                scopes: text(IdentityVariables.scopes) ?? ""
            )
            if !isName(name) {
                faults.append("\(IdentityVariables.providers.name): \(name) is no name")
            }
            if ProviderURL(issuer: provider.issuer) == nil {
                faults.append(
                    "\(IdentityVariables.issuer.named(name).name): https://… is needed, or "
                        + "http://127.0.0.1 for tests"
                )
            }
            if !provider.scopes.split(separator: " ").contains("openid") {
                faults.append("\(IdentityVariables.scopes.named(name).name): openid is needed")
            }
            return provider
        }
        guard faults.isEmpty else { throw ConfigurationError(faults: faults) }
        return providers
    }

    private static func isName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count) && name.first != "-"
            && name.utf8.allSatisfy {
                (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d
            }
    }
}
