import IBANs
import Messaging
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// Opens an account, with what is in it from the start.
struct OpenAccount: Handler {
    static let endpoint = Accounts.open
    let effects: KeyedEffects
    let database: Database
    let people: People
    let ibans: IBANMaker

    func handle(
        _ request: Request<NoQuery, NewAccount>,
        as caller: Caller
    ) async throws -> Response<AccountView> {
        let user = caller.user.id
        let person = try await people.person(user)
        let body = request.body
        let currency = body.currency ?? person.currency
        try check(body, currency)
        return try await effects.run(
            request.idempotency,
            refusing: ["account_name_key": .accountNameTaken]
        ) { keyed in
            let new = try await Draft(
                id: .new(),
                user: user,
                kind: body.kind.kind,
                currency: currency,
                name: body.name.map(TextFolding.composed),
                icon: body.icon,
                iban: body.kind == .current ? ibans.make() : nil,
                opening: body.openingBalance?.minorUnits ?? 0,
                day: people.today(for: person)
            )
            return try await database.posting { transaction in
                try await keyed.answer(in: transaction) {
                    let row = try await open(new, in: transaction)
                    return .created(row.view, at: "/v1/accounts/\(row.id)")
                        .tagged(String(row.version))
                }
            }
        }
    }

    private func open(_ new: Draft, in transaction: Transaction) async throws -> AccountRow {
        try await AccountLimits.check(of: new.user, in: transaction)
        try await insert(new, in: transaction)
        guard let row = try await transaction.queryOne(AccountStatements.find, new.user, new.id)
        else { throw APIError(.internalError) }
        return row
    }

    private struct Draft {
        let id: ID<Account>
        let user: ID<User>
        let kind: AccountKind
        let currency: Currency
        let name: String?
        let icon: String?
        let iban: String?
        let opening: Int64
        let day: Day
    }

    private func check(_ body: NewAccount, _ currency: Currency) throws(APIError) {
        var errors: [FieldError] = []
        func wrong(_ pointer: String, _ code: FieldCode, _ detail: String) {
            errors.append(FieldError(pointer: pointer, code: code, detail: detail))
        }
        if let opening = body.openingBalance {
            if opening.currency != currency {
                wrong("/openingBalance/currency", .invalidValue, "is not the account's")
            }
            if body.kind != .wallet, !opening.isZero {
                wrong("/openingBalance", .invalidValue, "is for wallets only")
            }
        }
        if !errors.isEmpty { throw APIError(.invalidBody, errors: errors) }
    }

    private func insert(_ new: Draft, in transaction: Transaction) async throws {
        let name: String
        if let chosen = new.name {
            name = chosen
        } else {
            // Whoever leaves the name to us comes one after another: else many at once would all
            // choose the same one, and most of them again and again.
            try await transaction.execute(AccountStatements.lockNames, new.user.text)
            let kind = new.kind == .current ? "Current" : "Wallet"
            name = try await AccountNames.free(
                "\(kind) \(new.currency.code)",
                of: new.user,
                in: transaction
            )
        }
        do {
            try await transaction.execute(
                AccountStatements.insert,
                new.id,
                new.user,
                new.kind.rawValue,
                new.currency.code,
                Int16(new.currency.exponent),
                name,
                try folded(name),
                new.icon,
                new.iban,
                false
            )
        } catch let error as DatabaseError {
            // Somebody who gave no name is not told that it is taken: the next one is.
            guard new.name == nil, error.violatedConstraint == "account_name_key" else {
                throw error
            }
            throw TryAgain()
        }
        _ = try await Outbox.append(
            AccountOpened(
                accountID: new.id,
                userID: new.user,
                kind: new.kind,
                currency: new.currency,
                openedAt: .now()
            ),
            of: "account:\(new.id)",
            in: transaction
        )
        guard new.opening != 0 else { return }
        var opening = Posting(
            .opening,
            Posting.Operation(of: new.user),
            by: new.user,
            on: new.id
        )
        opening.amount = new.opening
        opening.currency = new.currency
        opening.day = new.day
        for outcome in try await transaction.postIfFree([opening]) { _ = try outcome.posted() }
    }
}

/// Makes IBANs of our own bank, none twice and in no order.
struct IBANMaker {
    let database: Database
    let configuration: LedgerConfiguration
    let registry: IBANRegistry

    /// A new one.
    func make() async throws -> String {
        guard let format = registry.format(of: configuration.ibanCountry),
            let next = try await database.queryOne(AccountStatements.nextNumber)
        else { throw APIError(.internalError) }
        let numbers = AccountNumbers(key: next.key, digits: format.accountNumber.count)
        // Beyond the last number the registry says that there is no room.
        let number = numbers.scattered(next.number) ?? next.number
        return try registry.make(
            country: configuration.ibanCountry,
            bankCode: configuration.bankCode,
            accountNumber: number
        ).text
    }
}
