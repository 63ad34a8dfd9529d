import Crypto
import IBANs
import Receipts
import ServiceKit
import WalletProtocol

/// The settings of the ledger.
enum LedgerVariables {
    /// Germany by default: its account numbers have no check digits that the IBAN's structure
    /// knows of, and room for 10 digits.
    static let ibanCountry = Variable(
        "EZWALLET_IBAN_COUNTRY",
        "country of new IBANs, two capitals; one without check digits of its own inside them",
        default: "DE"
    )
    static let bankCode = Variable(
        "EZWALLET_BANK_CODE",
        "bank code, with the branch where there is one, of new IBANs; the default is no bank's",
        default: "99999999"
    )

    static let stepUpAmount = Variable(
        "EZWALLET_STEP_UP_AMOUNT",
        "whole EUR that a person sends to others within 24 hours; what goes beyond wants a proof "
            + "of identity not older than 10 minutes; 0 for never",
        kind: .integer(0...1_000_000_000),
        default: "1000"
    )

    static let journalSecret = Variable(
        "EZWALLET_JOURNAL_SECRET",
        "secret of the key that signs the journal; the same for every replica of the ledger",
        kind: .secrets,
        required: true,
        secret: true
    )
    static let verificationHour = Variable(
        "EZWALLET_VERIFICATION_HOUR",
        "hour of the day, UTC, in which the whole journal is verified; -1 for never",
        kind: .integer(-1...23),
        default: "3"
    )

    /// What turns the fetching of rates off.
    static let off = "off"
    /// The European Central Bank's own.
    private static let bankRatesURL =
        "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist-90d.xml"
    static let ratesURL = Variable(
        "EZWALLET_RATES_URL",
        "reference rates as the ECB publishes them, XML (daily, 90 days, all) or the ZIP of all; "
            + "off: those that are shipped",
        default: bankRatesURL
    )

    static let ratesSource = Variable(
        "EZWALLET_RATES_SOURCE",
        "who publishes the rates at EZWALLET_RATES_URL, told with each of them: up to 20 letters, "
            + "digits, - and .; needed where that is not the ECB's own"
    )

    static let rateDaysMax = Variable(
        "EZWALLET_RATE_DAYS_MAX",
        "days after which a rate moves no money any more, as where fetching fails; 0 for no limit",
        kind: .integer(0...3_650),
        default: "7"
    )

    /// Whether what is fetched can be nobody's but the bank's.
    static func fetchesFromBank(_ settings: Settings) -> Bool {
        let url = settings.optional(ratesURL)
        return url == nil || url == off || url == bankRatesURL
    }

    static let holdDays = Variable(
        "EZWALLET_HOLD_DAYS",
        "days after which money that is held for a transfer is given back",
        kind: .integer(1...365),
        default: "7"
    )

    static let all: [Variable] = [
        ibanCountry, bankCode, stepUpAmount, AttachmentLimits.mebibytes, journalSecret,
        verificationHour,
        ratesURL, ratesSource, rateDaysMax, holdDays,
    ]
}

/// What the settings come to.
struct LedgerConfiguration: Sendable {
    /// A setting that cannot be, in words for who has set it.
    struct Fault: Error, Sendable, CustomStringConvertible {
        let description: String
    }

    /// The country of new IBANs.
    let ibanCountry: String
    /// What stands before the account number in them.
    let bankCode: String
    /// Whole EUR within a day beyond which money sent to others wants a fresh proof; 0: never.
    let stepUpEuros: Int
    /// What one user's receipts may take.
    let attachments: AttachmentLimits
    /// Seals the private half of the key that signs the journal's blocks.
    let journalSeal: Seal
    /// The first makes proofs of the journal's keys, any of them checks one.
    let journalProofKeys: [[UInt8]]
    /// The hour of the day in which the journal is verified; none: never.
    let verificationHour: Int?
    /// Who publishes the rates that are fetched.
    let ratesSource: String
    /// After how many days a rate moves no money any more; nil: never.
    let rateDaysMax: Int?
    /// How long money is held for a transfer.
    let holdSeconds: Int64

    /// Checks the settings against the registry, once at start.
    init(_ settings: Settings, registry: IBANRegistry) throws(Fault) {
        ibanCountry = settings.text(LedgerVariables.ibanCountry)
        bankCode = settings.text(LedgerVariables.bankCode)
        stepUpEuros = settings.integer(LedgerVariables.stepUpAmount)
        attachments = AttachmentLimits(settings)
        let secrets = settings.secrets(LedgerVariables.journalSecret).map { Array($0.utf8) }
        // One secret, a key for each use: none can be turned into another's.
        journalProofKeys = secrets.map { HMACSHA256.code("journal proof".utf8, key: $0) }
        guard let seal = Seal(keys: secrets.map { HMACSHA256.code("journal seal".utf8, key: $0) })
        else { throw Fault(description: "\(LedgerVariables.journalSecret.name): none is given") }
        journalSeal = seal
        ratesSource = try Self.publisher(settings)
        let rateDays = settings.integer(LedgerVariables.rateDaysMax)
        rateDaysMax = rateDays == 0 ? nil : rateDays
        let hour = settings.integer(LedgerVariables.verificationHour)
        verificationHour = hour < 0 ? nil : hour
        holdSeconds = Int64(settings.integer(LedgerVariables.holdDays)) * 86_400
        do throws(IBANError) {
            try registry.usableFormat(country: ibanCountry, bankCode: bankCode)
        } catch {
            throw Fault(description: Self.words(for: error))
        }
    }

    /// Who publishes the rates; nobody is taken for the bank who is not asked as the bank.
    private static func publisher(_ settings: Settings) throws(Fault) -> String {
        let name = LedgerVariables.ratesSource.name
        guard let publisher = settings.optional(LedgerVariables.ratesSource) else {
            guard LedgerVariables.fetchesFromBank(settings) else {
                throw Fault(
                    description: "\(name): who publishes the rates at "
                        + "\(LedgerVariables.ratesURL.name)?"
                )
            }
            return ExchangeRate.centralBank
        }
        let isName = publisher.allSatisfy { character in
            character.isASCII
                && (character.isLetter || character.isNumber || "-.".contains(character))
        }
        guard isName, (1...20).contains(publisher.count) else {
            throw Fault(description: "\(name): 1 to 20 letters, digits, - and .")
        }
        return publisher
    }

    private static func words(for error: IBANError) -> String {
        let (country, bank) = (LedgerVariables.ibanCountry.name, LedgerVariables.bankCode.name)
        switch error {
        case .registry(let row): return "the IBAN registry cannot be read (\(row))"
        case .unknownCountry(let code): return "\(country): the IBAN registry has no \(code)"
        case .unsupportedCountry(let code):
            return "\(country): IBANs of \(code) have check digits of their own; take another"
        case .bankCode(let code, let length):
            return "\(bank): \(code) is no code of \(length) digits or capitals as the country has"
        case .accountNumber(let number, let digits):
            return "\(number) has more than \(digits) digits"
        }
    }
}
