import Loops
import Postgres
import ServiceKit
import WalletProtocol

/// Looks up the accounts that a loop's transfers name: those of many requests with one statement.
///
/// One statement is under way at a time; what is asked for meanwhile goes with the next: whoever
/// is alone waits for nobody, and among many each pays a part of it.
final class AccountLookup {
    /// What was found, of this request and of those that shared its statement.
    struct Found: Sendable {
        var accounts: [ID<Account>: AccountReference] = [:]
        /// Without those of people who are erased.
        var ibans: [String: AccountReference] = [:]
    }

    private final class Item {
        let accounts: Set<ID<Account>>
        let ibans: Set<String>
        let wait: Wait<Found>

        init(_ accounts: Set<ID<Account>>, _ ibans: Set<String>, on loop: EventLoop) {
            self.accounts = accounts
            self.ibans = ibans
            wait = Wait(on: loop)
        }
    }

    /// Accounts and IBANs a statement: as many as the largest batch of transfers names.
    static let keysMax = 2_000

    private let database: Database
    private let loop: EventLoop
    private var waiting: [Item] = []
    private let bell: WorkBell
    /// How long it sleeps where nobody asks for anything.
    private static let idleNanoseconds: UInt64 = 60_000_000_000

    convenience init(_ service: ServiceLoop) {
        self.init(database: service.database)
        service.addWorker("looking up accounts") { [self] in await serve() }
    }

    /// A look-up whose worker the caller starts.
    init(database: Database) {
        self.database = database
        loop = database.loop
        bell = WorkBell(on: database.loop)
    }

    /// The accounts with these ids, and those with these IBANs.
    func find(_ accounts: Set<ID<Account>>, ibans: Set<String>) async throws -> Found {
        if accounts.isEmpty, ibans.isEmpty { return Found() }
        let item = Item(accounts, ibans, on: loop)
        waiting.append(item)
        bell.ring()
        return try await item.wait.value()
    }

    /// What the worker does.
    func serve() async {
        while !Task.isCancelled {
            if waiting.isEmpty {
                await bell.sleep(nanoseconds: Self.idleNanoseconds)
                continue
            }
            let items = take()
            do {
                let found = try await look(for: items)
                for item in items { item.wait.resume(returning: found) }
            } catch {
                for item in items { item.wait.resume(throwing: error) }
            }
        }
    }

    /// The next ones, without those that nobody waits for any more.
    private func take() -> [Item] {
        var keys = 0
        var count = 0
        for item in waiting {
            keys += item.accounts.count + item.ibans.count
            if count > 0, keys > Self.keysMax { break }
            count += 1
        }
        let taken = waiting[..<count].filter { !$0.wait.isOver }
        waiting.removeFirst(count)
        return taken
    }

    private func look(for items: [Item]) async throws -> Found {
        var accounts: Set<ID<Account>> = []
        var ibans: Set<String> = []
        for item in items {
            accounts.formUnion(item.accounts)
            ibans.formUnion(item.ibans)
        }
        var found = Found()
        guard !accounts.isEmpty || !ibans.isEmpty else { return found }
        let rows = try await database.query(
            AccountStatements.named,
            Array(accounts),
            Array(ibans)
        )
        for row in rows {
            if row.isByIBAN, let iban = row.reference.iban {
                found.ibans[iban] = row.reference
            } else {
                found.accounts[row.reference.id] = row.reference
            }
        }
        return found
    }
}
