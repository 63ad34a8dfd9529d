import HTTP
import Testing

@testable import GatewayService

/// The fields of every answer that leaves the suite.
@Suite struct SecurityFieldsTests {
    @Test(arguments: [
        ("https://wallet.example", true), ("https://wallet.example:8443/", true),
        ("https://localhost:8443", false), ("https://LOCALHOST", false),
        ("https://a.localhost", false), ("https://127.0.0.1:8443", false),
        ("https://[::1]:8443", false), ("http://wallet.example", false),
    ])
    func onlyNamesOfOthersWantTLS(address: String, isWanted: Bool) {
        #expect(SecurityFields.wantsTLS(address) == isWanted)
        let text = String(decoding: SecurityFields.block(publicURL: address).bytes, as: UTF8.self)
        #expect(text.contains("strict-transport-security") == isWanted)
        for field in ["x-frame-options: DENY", "referrer-policy: no-referrer", "nosniff"] {
            #expect(text.contains(field))
        }
    }
}
