import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import IBANs
@testable import LedgerService

/// The examples of the SWIFT registry, one a country.
private let examples = [
    "AD1200012030200359100100", "AE070331234567890123456", "AL47212110090000000235698741",
    "AT611904300234573201", "AZ21NABZ00000000137010001944", "BE68539007547034",
    "BG80BNBG96611020345678", "BH67BMAG00001299123456", "BR9700360305000010009795493P1",
    "CH9300762011623852957", "CR05015202001026284066", "CY17002001280000001200527600",
    "CZ6508000000192000145399", "DE89370400440532013000", "DK5000400440116243",
    "DO28BAGR00000001212453611324", "EE382200221020145685", "ES9121000418450200051332",
    "FI2112345600000785", "FO6264600001631634", "FR1420041010050500013M02606",
    "GB29NWBK60161331926819", "GE29NB0000000101904917", "GI75NWBK000000007099453",
    "GL8964710001000206", "GR1601101250000000012300695", "HR1210010051863000160",
    "HU42117730161111101800000000", "IE29AIBK93115212345678", "IL620108000000099999999",
    "IS140159260076545510730339", "IT60X0542811101000000123456",
    "JO94CBJO0010000000000131000302", "KW81CBKU0000000000001234560101", "KZ86125KZT5004100100",
    "LB62099900000001001901229114", "LI21088100002324013AA", "LT121000011101001000",
    "LU280019400644750000", "LV80BANK0000435195001", "MC5811222000010123456789030",
    "MT84MALT011000012345MTLCAST001S", "NL91ABNA0417164300", "NO9386011117947",
    "PL61109010140000071219812874", "PT50000201231234567890154", "RO49AAAA1B31007593840000",
    "RS35260005601001611379", "SE4550000000058398257466", "SI56263300012039086",
    "SK3112000000198742637541", "SM86U0322509800000000270100", "TN5910006035183598478831",
    "TR330006100519786457841326", "VG96VPVG0000012345678901", "XK051212012345678906",
]

@Suite struct IBANTests {
    private let registry: IBANRegistry

    init() throws { registry = try IBANRegistry.shared() }

    @Test(arguments: examples)
    func theRegistrysExamplesAreValid(text: String) throws {
        let iban = try #require(registry.iban(text))
        #expect(iban.text == text && iban.country == text.prefix(2))
        let grouped = iban.grouped
        #expect(registry.iban(grouped) == iban)
        #expect(registry.iban(grouped.lowercased()) == iban)
        #expect(grouped.filter { $0 != " " } == text)
        #expect(!registry.isValid(text + "0"))
        #expect(!registry.isValid(String(text.dropLast())))
    }

    @Test(arguments: examples)
    func anyOtherDigitIsRefused(text: String) {
        let bytes = Array(text.utf8)
        for index in bytes.indices where isDigit(bytes[index]) {
            for digit in UInt8(ascii: "0")...UInt8(ascii: "9") where digit != bytes[index] {
                var changed = bytes
                changed[index] = digit
                let isValid = registry.isValid(String(decoding: changed, as: UTF8.self))
                #expect(!isValid, "\(index) \(digit)")
            }
        }
    }

    @Test(arguments: examples)
    func swappedNeighboursAreRefused(text: String) {
        let bytes = Array(text.utf8)
        for index in 2..<bytes.count - 1 where index != 3 && bytes[index] != bytes[index + 1] {
            guard isDigit(bytes[index]) == isDigit(bytes[index + 1]) else { continue }
            var changed = bytes
            changed.swapAt(index, index + 1)
            let isValid = registry.isValid(String(decoding: changed, as: UTF8.self))
            #expect(!isValid, "\(index)")
        }
    }

    @Test(arguments: [
        "", " ", "DE", "DE89", "XX89370400440532013000", "DE8937040044053201300",
        "DE8937040044053201300A", "DE89-3704-0044-0532-0130-00", "ＤＥ89370400440532013000",
        "DE89370400440532013000\0", "ES91210004184502000ß1332",
        // Congruent check digits below 02 and above 98 are no IBAN's.
        "GB00NWBK60161331926819",
    ])
    func otherTextsAreNone(text: String) {
        #expect(!registry.isValid(text))
    }

    @Test func checkDigitsAreThoseFrom02To98() throws {
        for number in 0..<2_000 as Range<UInt64> {
            let iban = try registry.make(
                country: "DE",
                bankCode: "99999999",
                accountNumber: number
            )
            let check = try #require(Int(iban.text.dropFirst(2).prefix(2)))
            #expect((2...98).contains(check))
            for other in [check - 97, check + 97] where (0...99).contains(other) {
                let text = "DE\(other < 10 ? "0" : "")\(other)\(iban.text.dropFirst(4))"
                let isValid = registry.isValid(text)
                #expect(!isValid, "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("DE", "37040044", 532_013_000 as UInt64, "DE89370400440532013000"),
        ("AT", "19043", 234_573_201, "AT611904300234573201"),
        ("CH", "00762", 11_623_852_957, "CH9300762011623852957"),
        ("GB", "NWBK601613", 31_926_819, "GB29NWBK60161331926819"),
        ("LT", "10000", 11_101_001_000, "LT121000011101001000"),
    ])
    func knownIBANsAreMade(country: String, bank: String, number: UInt64, text: String) throws {
        let iban = try registry.make(country: country, bankCode: bank, accountNumber: number)
        #expect(iban.text == text)
        #expect(iban.masked == "\(text.prefix(4)) •••• \(text.suffix(4))")
    }

    @Test(arguments: ledgerSeeds)
    func whatIsMadeIsValidInEveryCountryWhereItIsMade(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var made = 0
        for country in registry.countries {
            let format = try #require(registry.format(of: country))
            guard format.canBeMade else { continue }
            made += 1
            for _ in 0..<20 {
                let bank = String(
                    format.bankPart.map { letters in
                        let alphabet =
                            switch letters {
                            case .digits: "0123456789"
                            case .capitals: "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            case .both: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            }
                        return alphabet.randomElement(using: &random) ?? "0"
                    }
                )
                let digits = min(format.accountNumber.count, 19)
                let largest = (0..<digits).reduce(UInt64(1)) { power, _ in power * 10 } - 1
                let number = UInt64.random(in: 0...largest, using: &random)
                let iban = try registry.make(
                    country: country,
                    bankCode: bank,
                    accountNumber: number
                )
                #expect(registry.iban(iban.text) == iban, "seed \(seed): \(iban)")
            }
        }
        #expect(made > 40)
    }

    @Test func aNumberThatDoesNotFitIsRefused() throws {
        let largest = try registry.make(
            country: "DE",
            bankCode: "99999999",
            accountNumber: 9_999_999_999
        )
        #expect(registry.isValid(largest.text))
        #expect(throws: IBANError.accountNumber(10_000_000_000, digits: 10)) {
            try registry.make(
                country: "DE",
                bankCode: "99999999",
                accountNumber: 10_000_000_000
            )
        }
    }

    @Test(arguments: [
        ("ZZ", "99999999", IBANError.unknownCountry("ZZ")),
        ("de", "99999999", .unknownCountry("de")),
        ("IT", "05428", .unsupportedCountry("IT")),
        ("NL", "ABNA", .unsupportedCountry("NL")),
        ("DE", "9999999", .bankCode("9999999", length: 8)),
        ("DE", "9999999A", .bankCode("9999999A", length: 8)),
        ("GB", "NWBK", .bankCode("NWBK", length: 10)),
    ])
    func otherCountriesAndBanksAreRefused(country: String, bank: String, fault: IBANError) {
        #expect(throws: fault) {
            try registry.make(country: country, bankCode: bank, accountNumber: 1)
        }
    }

    @Test func aRegistryThatContradictsItselfIsRefused() {
        let row = """
            {"bban_spec": "8!n10!n", "bban_length": 17, "iban_length": 21, "positions": \
            {"account_code": [8, 18], "bank_code": [0, 8]}}
            """
        #expect(throws: IBANError.registry("DE")) {
            try IBANRegistry(json: Array("{\"DE\": \(row)}".utf8))
        }
        #expect(throws: IBANError.registry("")) { try IBANRegistry(json: Array("{}".utf8)) }
        #expect(throws: IBANError.registry("")) { try IBANRegistry(json: Array("[".utf8)) }
    }

    @Test func settingsAreCheckedAgainstTheRegistry() throws {
        let secret = ["EZWALLET_JOURNAL_SECRET": ServiceRig.secret]
        let fallback = try LedgerConfiguration(
            try Settings(LedgerVariables.all, environment: secret),
            registry: registry
        )
        #expect(fallback.ibanCountry == "DE" && fallback.bankCode == "99999999")
        let faults = [
            ("QQ", "99999999", "EZWALLET_IBAN_COUNTRY"), ("FR", "99999", "EZWALLET_IBAN_COUNTRY"),
            ("DE", "123", "EZWALLET_BANK_CODE"),
        ]
        for (country, bank, name) in faults {
            let settings = try Settings(
                LedgerVariables.all,
                environment: secret.merging(
                    ["EZWALLET_IBAN_COUNTRY": country, "EZWALLET_BANK_CODE": bank]
                ) { $1 }
            )
            let fault = #expect(throws: LedgerConfiguration.Fault.self) {
                try LedgerConfiguration(settings, registry: registry)
            }
            #expect(fault?.description.hasPrefix(name) == true)
        }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
