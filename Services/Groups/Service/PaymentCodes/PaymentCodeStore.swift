import IBANs
import Postgres
import ServiceKit
import WalletProtocol

/// What somebody owes a member of a group, as a payment to the account that the member has named.
final class PaymentCodeStore {
    private let database: Database
    private let registry: IBANRegistry
    private let ledger: AccountLedger

    init(database: Database, registry: IBANRegistry, ledger: AccountLedger) {
        self.database = database
        self.registry = registry
        self.ledger = ledger
    }

    /// Order of checks: membership, member, what is open, the amount, the account.
    func transfer(
        _ amount: ExactDecimal?,
        to member: ID<Member>,
        of group: ID<Group>,
        by user: ID<User>
    ) async throws -> CreditTransfer {
        let membership = try await Membership.find(user, in: group, database)
        guard let payee = try await database.queryOne(GroupStatements.known, group, member) else {
            throw APIError.notFound
        }
        let cents = try await cents(amount, of: membership, to: member)
        // A guest has no account, and whoever has left has no name to be asked by.
        guard let payee = payee.user, let account = try await account(of: payee) else {
            throw APIError(.noReceivingAccount)
        }
        do {
            return try CreditTransfer(
                to: account.name,
                account.iban,
                cents: cents,
                text: membership.group.reference ?? ""
            )
        } catch .namelessPayee {
            throw APIError(.noReceivingAccount, "the account has no name that a bank takes")
        } catch .amount {
            throw Self.tooLarge
        }
    }

    /// How much is to be paid: all that is open, or what is asked for of it.
    private func cents(
        _ amount: ExactDecimal?,
        of membership: Membership,
        to member: ID<Member>
    ) async throws -> Int64 {
        let asked = try amount.map(Self.cents)
        let (group, payer) = (membership.group, membership.member)
        let pairs = try await database.query(BalanceStatements.pairs, group.id, [payer, member])
        let balances = try await database.query(BalanceStatements.members, group.id)
        let open = OpenDebts(
            .eur,
            pairs: pairs.filter { $0.amount.currency == .eur },
            balances: balances.filter { $0.amount.currency == .eur },
            simplifies: group.simplifiesDebts
        )
        guard payer != member, open.largest(between: payer, and: member)?.debtor == payer,
            let payment = try open.payment(of: asked, between: payer, and: member)
        else { throw APIError(.nothingToSettle) }
        return min(payment.amount.minorUnits, PaymentCodes.centsMax)
    }

    private static let tooLarge = APIError.query(
        "amount",
        .amountTooLarge,
        "must be at most 999999999.99"
    )

    private static func cents(_ amount: ExactDecimal) throws(APIError) -> Int64 {
        guard let money = amount.money(in: .eur) else {
            throw .query("amount", .invalidAmount, "is no amount in euros")
        }
        guard money.isPositive else { throw .query("amount", .notPositive, "must be above zero") }
        guard money.minorUnits <= PaymentCodes.centsMax else { throw tooLarge }
        return money.minorUnits
    }

    /// The account that somebody has named for euros, whichever it is; nil where none takes them.
    private func account(of payee: ID<User>) async throws -> (name: String, iban: IBAN)? {
        switch try await ReceivingAccountStore.find(.eur, of: payee, database)?.account {
        case nil: return nil
        case .elsewhere(let iban, let name):
            return registry.iban(iban).map { (name, $0) }
        case .own(let id):
            guard let own = try await ledger.own(id, payee), !own.isClosed, own.currency == .eur,
                let iban = own.iban.flatMap({ registry.iban($0) }),
                let person = try await database.queryOne(PeopleStatements.find, payee)
            else { return nil }
            return (person.displayName, iban)
        }
    }
}
