import IBANs
import Postgres
import ServiceKit
import WalletProtocol

/// The two accounts of a transfer, as whoever pays may name them.
struct Parties: Sendable {
    let from: AccountReference
    let to: AccountReference

    var areOneOwners: Bool { from.owner == to.owner }

    /// Finds both.
    /// - Throws: `unknown-reference` for an account that is not the caller's, `unknown-iban`.
    static func find(
        from: ID<Account>,
        toAccount: ID<Account>?,
        toIBAN: String?,
        for user: ID<User>,
        in database: Database,
        _ registry: IBANRegistry
    ) async throws -> Parties {
        let payer = try await Self.payer(from, of: user, in: database)
        if let toAccount {
            guard
                let payee = try await database.queryOne(
                    AccountStatements.named,
                    [toAccount],
                    [String]()
                )?.reference,
                payee.owner == user
            else { throw try await refusal(of: toAccount, "/toAccountId", user, database) }
            return try Parties(from: payer, to: payee).checked("/toAccountId")
        }
        guard let text = toIBAN, let iban = registry.iban(text),
            let payee = try await database.queryOne(
                AccountStatements.named,
                [ID<Account>](),
                [iban.text]
            )?.reference
        else { throw APIError(.unknownIBAN) }
        return try Parties(from: payer, to: payee).checked("/toIban")
    }

    /// The account of the caller's that pays.
    /// - Throws: `unknown-reference`.
    static func payer(
        _ id: ID<Account>,
        of user: ID<User>,
        in database: Database
    ) async throws -> AccountReference {
        guard
            let payer = try await database.queryOne(
                AccountStatements.named,
                [id],
                [String]()
            )?.reference,
            payer.owner == user
        else { throw try await refusal(of: id, "/fromAccountId", user, database) }
        return payer
    }

    private static func refusal(
        of account: ID<Account>,
        _ pointer: String,
        _ user: ID<User>,
        _ database: Database
    ) async throws -> APIError {
        try await AccountStanding.find(of: user, to: [account], in: database)
            .refusal(of: account, pointer) ?? unknown(pointer)
    }

    func checked(_ pointer: String) throws(APIError) -> Parties {
        guard from.id != to.id else {
            throw .field(pointer, .invalidValue, "is the account that pays")
        }
        return self
    }

    fileprivate static func unknown(_ pointer: String) -> APIError {
        .field(pointer, .unknownReference, "is absent or not yours")
    }

    /// What refuses a transfer whatever its amount.
    func checkState() throws(APIError) {
        guard !from.isClosed, !to.isClosed else { throw APIError(.accountClosed) }
        guard areOneOwners || from.kind == .current || from.kind == .deposit else {
            throw APIError(.accountKind)
        }
    }

    /// What is debited and what arrives.
    /// - Throws: as `Conversion.amounts` does.
    func amounts(
        of amount: Money,
        at rate: ExchangeRate?
    ) throws(APIError) -> (debit: Int64, credit: Int64) {
        try Conversion(from: from.currency, to: to.currency).amounts(of: amount, at: rate)
    }
}

/// What some accounts are to whoever names them.
struct AccountStanding: Sendable {
    private var owned: Set<ID<Account>> = []
    private var shared: Set<ID<Account>> = []

    static func find(
        of user: ID<User>,
        to accounts: [ID<Account>],
        in database: Database
    ) async throws -> AccountStanding {
        var standing = AccountStanding()
        guard !accounts.isEmpty else { return standing }
        for row in try await database.query(TransferStatements.standing, user, accounts) {
            if row.isOwned { standing.owned.insert(row.id) } else { standing.shared.insert(row.id) }
        }
        return standing
    }

    /// Why who asks may not name it in a transfer; nil for their own.
    ///
    /// 403 for a wallet that is only shared with them: its owner alone transfers. Of a stranger's
    /// no more is told than of one that is not there.
    func refusal(of account: ID<Account>, _ pointer: String) -> APIError? {
        if owned.contains(account) { return nil }
        return shared.contains(account) ? APIError(.forbidden) : Parties.unknown(pointer)
    }
}

/// Between which currencies money goes.
struct Conversion: Sendable {
    let from: Currency
    let to: Currency

    /// What is debited and what arrives: the debit rounded up, the credit down.
    /// - Throws: `currency-mismatch` for an amount in neither currency, `amount-too-small`.
    func amounts(
        of amount: Money,
        at rate: ExchangeRate?
    ) throws(APIError) -> (debit: Int64, credit: Int64) {
        guard let rate else {
            guard amount.currency == from else { throw APIError(.currencyMismatch) }
            return (amount.minorUnits, amount.minorUnits)
        }
        if amount.currency == from {
            let credit = try converted { () throws(RateError) in
                try rate.credit(for: amount.minorUnits)
            }
            guard credit > 0 else { throw APIError(.amountTooSmall) }
            return (amount.minorUnits, credit)
        }
        if amount.currency == to {
            let debit = try converted { () throws(RateError) in
                try rate.debit(for: amount.minorUnits)
            }
            return (debit, amount.minorUnits)
        }
        throw APIError(.currencyMismatch)
    }

    private func converted(_ convert: () throws(RateError) -> Int64) throws(APIError) -> Int64 {
        do throws(RateError) { return try convert() } catch { throw APIError(error) }
    }
}
