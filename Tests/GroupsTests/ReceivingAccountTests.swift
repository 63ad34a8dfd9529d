import IBANs
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import GroupsService
@testable import ServiceKit

/// Which account may be named, and that no row of the database is half of one.
@Suite struct ReceivingAccountTests {
    private let registry: IBANRegistry
    private let account = ID<Account>.new()

    init() throws { registry = try IBANRegistry.shared() }

    private func faults(_ choice: ReceivingAccountChoice) -> Set<String> {
        do {
            _ = try ReceivingAccount(choice, registry)
            return []
        } catch { return Set(error.errors.map { "\($0.pointer) \($0.code.text)" }) }
    }

    /// Of the eight ways to fill the fields in, with an IBAN that is one or is not, two are right.
    @Test func exactlyOneFormIsRight() throws {
        let (good, bad) = ("de89 3704 0044 0532 0130 00", "DE89370400440532013001")
        for id in [account, nil] {
            for iban in [good, bad, nil] {
                for name in ["Ada", nil] {
                    let choice = ReceivingAccountChoice(accountID: id, iban: iban, name: name)
                    let isOwn = id != nil && iban == nil && name == nil
                    let isElsewhere = id == nil && iban == good && name != nil
                    #expect(faults(choice).isEmpty == (isOwn || isElsewhere), "\(choice)")
                }
            }
        }
        let both: Set<String> = ["/iban invalid-value", "/name required"]
        #expect(faults(ReceivingAccountChoice(iban: bad)) == both)
        let elsewhere = try ReceivingAccount(
            ReceivingAccountChoice(iban: good, name: "Ada"),
            registry
        )
        #expect(elsewhere == .elsewhere(iban: "DE89370400440532013000", name: "Ada"))
    }

    @Test func onlyOpenAccountsWithPaymentsOfTheCurrencyWillDo() throws {
        for kind in AccountKind.allCases {
            for isClosed in [false, true] {
                for currency in [Currency.eur, try #require(Currency("USD"))] {
                    let account = OwnAccount(kind: kind, currency: currency, isClosed: isClosed)
                    var expected = isClosed ? 1 : 0
                    if currency != .eur { expected += 1 }
                    if kind != .current && kind != .deposit { expected += 1 }
                    var found = 0
                    do { try ReceivingAccount.check(account, for: .eur) } catch {
                        found = error.errors.count
                    }
                    #expect(found == expected, "\(account)")
                }
            }
        }
        #expect(throws: APIError.field("/accountId", .unknownReference, "is absent or not yours")) {
            try ReceivingAccount.check(nil, for: .eur)
        }
    }

    @Test(arguments: [
        Row("EUR", hasAccount: false, nil, nil), Row("EUR", hasAccount: false, nil, "Ada"),
        Row("eur", hasAccount: true, nil, nil), Row("EURO", hasAccount: true, nil, nil),
        Row("EUR", hasAccount: false, "DE89370400440532013000", nil),
        Row("EUR", hasAccount: false, "DE89 3704 0044 0532 0130 00", "Ada"),
        Row("EUR", hasAccount: false, "DE89370400440532013000", ""),
        Row("EUR", hasAccount: false, "DE89370400440532013000", String(repeating: "x", count: 71)),
        Row("EUR", hasAccount: true, "DE89370400440532013000", "Ada"),
        Row("EUR", hasAccount: true, nil, "Ada"),
    ])
    func theDatabaseRefusesWhatIsNoAccount(row: Row) async throws {
        try await Harness.run { _, harness in
            let error = await #expect(throws: DatabaseError.self) {
                _ = try await harness.database.execute(
                    insertion,
                    row.currency,
                    row.account,
                    row.iban,
                    row.name
                )
            }
            #expect(error?.violatedConstraint != nil)
        }
    }

    struct Row: Sendable {
        let currency: String
        let account: ID<Account>?
        let iban: String?
        let name: String?

        init(_ currency: String, hasAccount: Bool, _ iban: String?, _ name: String?) {
            self.currency = currency
            account = hasAccount ? .new() : nil
            self.iban = iban
            self.name = name
        }
    }

    @Test func itGoesWithThePersonAndDoesNotComeBack() async throws {
        try await Harness.run { _, harness in
            let user = ID<User>.new()
            let store = harness.parts.receiving
            let choice = ReceivingAccountChoice(iban: "DE89370400440532013000", name: "Ada")
            let row = try await store.name(choice, for: .eur, by: user)
            #expect(try await store.list(of: user).items == [row.view])
            try await harness.parts.people.erase(
                ErasureOrder(userID: user, erasedAt: .now(), lastSequence: 0, email: nil)
            )
            #expect(try await store.list(of: user).items.isEmpty)
            let error = await #expect(throws: DatabaseError.self) {
                _ = try await store.name(choice, for: .eur, by: user)
            }
            #expect(error?.violatedConstraint == ErasedUsers.constraint)
        }
    }
}

/// A row of somebody's, whatever is in it.
private let insertion = Statement<Void>(
    """
    insert into groups.receiving_account (user_id, currency, account_id, iban, name)
    values (gen_random_uuid(), $1, $2, $3, $4)
    """
)
