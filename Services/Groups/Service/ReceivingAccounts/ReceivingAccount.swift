import IBANs
import WalletProtocol

/// Where somebody is paid what others owe them.
enum ReceivingAccount: Sendable, Hashable {
    /// An account of their own, in the ledger.
    case own(ID<Account>)
    /// An account at another bank: its IBAN, in capitals and without spaces, and whose it is.
    case elsewhere(iban: String, name: String)

    var account: ID<Account>? { if case .own(let id) = self { id } else { nil } }
    var iban: String? { if case .elsewhere(let iban, _) = self { iban } else { nil } }
    var name: String? { if case .elsewhere(_, let name) = self { name } else { nil } }

    /// What somebody wrote: one of the two forms, whole.
    /// - Throws: every field that is missing, too many or no IBAN.
    init(_ choice: ReceivingAccountChoice, _ registry: IBANRegistry) throws(APIError) {
        let iban = choice.iban.flatMap { registry.iban($0) }
        switch (choice.accountID, iban, choice.name) {
        case (let account?, nil, nil) where choice.iban == nil:
            self = .own(account)
        case (nil, let iban?, let name?):
            self = .elsewhere(iban: iban.text, name: name)
        default:
            throw APIError(.invalidBody, errors: Self.faults(of: choice, hasIBAN: iban != nil))
        }
    }

    private static func faults(
        of choice: ReceivingAccountChoice,
        hasIBAN: Bool
    ) -> [FieldError] {
        var faults: [FieldError] = []
        func fail(_ pointer: String, _ code: FieldCode, _ detail: String) {
            faults.append(FieldError(pointer: pointer, code: code, detail: detail))
        }
        if choice.iban != nil, !hasIBAN { fail("/iban", .invalidValue, "is no IBAN") }
        let isElsewhere = choice.iban != nil || choice.name != nil
        switch (choice.accountID, isElsewhere) {
        case (nil, false): fail("/accountId", .required, "an account or an IBAN is needed")
        case (_?, true): fail("/accountId", .conflict, "an account or an IBAN, not both")
        case (nil, true):
            if choice.iban == nil { fail("/iban", .required, "a name needs its IBAN") }
            if choice.name == nil { fail("/name", .required, "an IBAN needs a name") }
        case (_?, false): break
        }
        return faults
    }

    /// Whether an account can get payments of this currency.
    /// - Throws: every reason why not; `unknown-reference` where there is none.
    static func check(_ account: OwnAccount?, for currency: Currency) throws(APIError) {
        guard let account else {
            throw .field("/accountId", .unknownReference, "is absent or not yours")
        }
        var faults: [FieldError] = []
        func fail(_ code: FieldCode, _ detail: String) {
            faults.append(FieldError(pointer: "/accountId", code: code, detail: detail))
        }
        switch account.kind {
        case .current, .deposit: break
        case .wallet, .allowance, .receivable:
            fail(.conflict, "must be a current or a deposit account")
        }
        if account.currency != currency { fail(.currencyMismatch, "is of \(account.currency)") }
        if account.isClosed { fail(.conflict, "is closed") }
        guard faults.isEmpty else { throw APIError(.invalidBody, errors: faults) }
    }
}

/// A receiving account as its row has it.
struct ReceivingAccountRow: Sendable, Hashable {
    let currency: Currency
    let account: ReceivingAccount
    let namedAt: Instant

    /// The account as its owner sees it.
    var view: ReceivingAccountView {
        ReceivingAccountView(
            currency: currency,
            accountID: account.account,
            iban: account.iban,
            name: account.name,
            namedAt: namedAt
        )
    }

    /// No two of a currency were named at once.
    var tag: String { namedAt.text }
}
