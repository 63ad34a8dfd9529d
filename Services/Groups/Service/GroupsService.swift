import GroupsMigrations
import Postgres
public import ServiceKit
import WalletProtocol

// Safety: the migrations are constants of the executable, with their own count.
/// Groups: who shares expenses with whom, who owes whom, and limits on what is spent together.
public let groupsService = ServiceDefinition(
    .groups,
    migrations: unsafe embeddedFiles(groups_migrations, count: groups_migrations_count),
    wire: { _, service in
        let parts = GroupsParts(service)
        addRoutes(to: service.router, parts)
        let people = parts.people
        service.consume(from: .auth) { event, transaction in
            try await people.apply(event, in: transaction)
        }
        if service.isFirst {
            let database = service.database
            service.addPeriodicWorker("keys", everyMilliseconds: 3_600_000) {
                try await database.execute(KeyStatements.deleteOld)
            }
        }
    }
)

/// What one loop of groups is made of.
struct GroupsParts {
    let people: PeopleStore
    let groups: GroupStore
    let invitations: InvitationStore
    let expenses: ExpenseStore
    let balances: BalanceStore
    let settlements: SettlementStore
    let thresholds: ThresholdStore

    init(_ service: ServiceLoop) {
        let client = service.internalClient
        self.init(database: service.database, relayBell: service.relayBell) { question in
            try await question.ask(client)
        }
    }

    init(
        database: Database,
        relayBell: RelayBell,
        ask: @escaping (PersonQuestion) async throws -> InternalUser?
    ) {
        let effects = KeyedEffects(database: database, relayBell: relayBell)
        people = PeopleStore(database: database, relayBell: relayBell, ask: ask)
        invitations = InvitationStore(database: database, effects: effects, people: people)
        groups = GroupStore(database: database, effects: effects)
        expenses = ExpenseStore(database: database, effects: effects)
        balances = BalanceStore(database: database)
        settlements = SettlementStore(database: database, effects: effects)
        thresholds = ThresholdStore(database: database, effects: effects)
    }
}
