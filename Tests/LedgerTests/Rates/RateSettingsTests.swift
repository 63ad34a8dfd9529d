import ServiceKit
import TestKit
import Testing

@testable import IBANs
@testable import LedgerService

/// Nobody's rates are told as somebody else's.
@Suite struct RateSettingsTests {
    private func source(_ environment: [String: String]) throws -> String {
        try configuration(environment).ratesSource
    }

    private func configuration(_ environment: [String: String]) throws -> LedgerConfiguration {
        let secret = ["EZWALLET_JOURNAL_SECRET": ServiceRig.secret]
        let settings = try Settings(
            LedgerVariables.all,
            environment: environment.merging(secret) { $1 }
        )
        let registry = try IBANRegistry.shared()
        return try LedgerConfiguration(settings, registry: registry)
    }

    @Test func rateMovesMoneyForAWeekUnlessSetOtherwise() throws {
        #expect(try configuration([:]).rateDaysMax == 7)
        #expect(try configuration(["EZWALLET_RATE_DAYS_MAX": "0"]).rateDaysMax == nil)
    }

    @Test func theBankIsNamedWhereItIsAsked() throws {
        #expect(try source([:]) == "ECB")
        #expect(try source(["EZWALLET_RATES_URL": "off"]) == "ECB")
    }

    @Test func whoeverElseIsAskedMustBeNamed() throws {
        let elsewhere = ["EZWALLET_RATES_URL": "https://rates.example.org/all.xml"]
        let fault = #expect(throws: LedgerConfiguration.Fault.self) { try source(elsewhere) }
        #expect(fault?.description.hasPrefix("EZWALLET_RATES_SOURCE") == true)
        let named = elsewhere.merging(["EZWALLET_RATES_SOURCE": "Bank-1.x"]) { $1 }
        #expect(try source(named) == "Bank-1.x")
    }

    @Test(arguments: ["a bank", "\u{E9}", "a/b", "a\nb", "xxxxxxxxxxxxxxxxxxxxx"])
    func aPublisherIsAShortWord(name: String) throws {
        let fault = #expect(throws: LedgerConfiguration.Fault.self) {
            try source(["EZWALLET_RATES_SOURCE": name])
        }
        #expect(fault?.description.hasPrefix("EZWALLET_RATES_SOURCE") == true)
    }
}
