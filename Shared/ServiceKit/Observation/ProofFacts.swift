public import WalletProtocol

extension Request {
    /// The facts of a proof that succeeded, for the log of security events.
    ///
    /// - Parameter methods: how somebody proved who they are (RFC 8176).
    public func facts(of user: ID<User>, _ methods: [String] = []) -> SecurityLog.Facts {
        SecurityLog.Facts(
            route: route,
            sender: .user(user),
            address: clientAddress,
            further: methods.isEmpty ? [] : [("methods", methods.joined(separator: " "))]
        )
    }
}
