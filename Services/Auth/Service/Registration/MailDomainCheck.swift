import WalletProtocol

/// Whether mail can be sent to an address at all, beyond its form.
struct MailDomainCheck {
    /// - Throws: 422 `invalid-email` at `/email`.
    func check(_ email: EmailAddress) async throws {
        var checks = FieldChecks()
        try await check(email, &checks)
        try checks.finish()
    }

    /// Notes what is wrong.
    func check(_ email: EmailAddress, _ checks: inout FieldChecks) async throws {}
}
