import IBANs
import Loops
import Postgres
import ReportFiles
import ServiceKit
import Text
import WalletProtocol

/// What one loop of the ledger is made of.
struct LedgerParts {
    let effects: KeyedEffects
    let database: Database
    let relayBell: RelayBell
    let importBell: WorkBell
    let people: People
    let batcher: PostingBatcher
    let blocking: BlockingPool
    let registry: IBANRegistry
    let ibans: IBANMaker
    let stepUp: StepUpRule
    let budgets: BudgetStore
    let households: HouseholdStore
    let documents: ReportDocuments
    let configuration: LedgerConfiguration
    let accounts: AccountLookup
    let planner: TransferPlanner
    let holdSeconds: Int64
    /// Of files whose writing holds a connection for as long as their reader takes.
    let fileSlots: Slots
    /// How many of them one person may read at once.
    static let filesPerUserMax = 2

    init(_ service: ServiceLoop) throws {
        try TimeZones.requireDatabase()
        database = service.database
        effects = KeyedEffects(database: service.database, relayBell: service.relayBell)
        importBell = WorkBell(on: service.loop)
        relayBell = service.relayBell
        people = People(service)
        batcher = PostingBatcher(service)
        blocking = service.blocking
        documents = ReportDocuments(blocking: blocking, loop: service.loop) { [people] user in
            let person = try await people.person(user)
            return DocumentReader(
                language: person.language,
                timeZone: person.timeZone,
                dateFormat: person.dateFormat
            )
        }
        budgets = BudgetStore(
            database: database,
            people: people,
            rates: .shared,
            blocking: blocking
        )
        let client = service.internalClient
        households = HouseholdStore(
            database: database,
            people: people,
            rates: .shared,
            blocking: blocking,
            relayBell: relayBell
        ) { user in
            try await client.call(InternalGroups.familyPlace, path: ["userId": user.text])
        }
        registry = try IBANRegistry.shared()
        configuration = try LedgerConfiguration(service.settings, registry: registry)
        stepUp = StepUpRule(
            euros: configuration.stepUpEuros,
            rates: .shared,
            blocking: blocking,
            database: database
        )
        accounts = AccountLookup(service)
        planner = TransferPlanner(
            database: database,
            accounts: accounts,
            registry: registry
        )
        holdSeconds = configuration.holdSeconds
        fileSlots = Slots(
            max(1, database.configuration.leasedConnectionsMax / 2),
            perUserMax: Self.filesPerUserMax
        )
        ibans = IBANMaker(
            database: database,
            configuration: configuration,
            registry: registry
        )
    }
}

// What takes more of the parts than a line would hold.

extension TransferStore {
    init(_ parts: LedgerParts) {
        self.init(
            database: parts.database,
            people: parts.people,
            batcher: parts.batcher,
            planner: parts.planner,
            stepUp: parts.stepUp,
            holdSeconds: parts.holdSeconds
        )
    }
}

extension SettlementTransferStore {
    init(_ parts: LedgerParts) {
        self.init(
            database: parts.database,
            people: parts.people,
            accounts: parts.accounts,
            stepUp: parts.stepUp,
            relayBell: parts.relayBell
        )
    }
}

extension QuoteStore {
    init(_ parts: LedgerParts) {
        self.init(
            database: parts.database,
            rates: .shared,
            blocking: parts.blocking,
            registry: parts.registry,
            rateDaysMax: parts.configuration.rateDaysMax
        )
    }
}

extension StandingOrderMaker {
    init(_ parts: LedgerParts) {
        self.init(
            database: parts.database,
            people: parts.people,
            registry: parts.registry,
            rates: .shared,
            blocking: parts.blocking,
            proof: StandingOrderProof(stepUp: parts.stepUp),
            rateDaysMax: parts.configuration.rateDaysMax
        )
    }
}

extension DepositStore {
    init(_ parts: LedgerParts) {
        self.init(
            database: parts.database,
            people: parts.people,
            batcher: parts.batcher,
            ibans: parts.ibans
        )
    }
}

extension TransactionRecorder {
    init(_ parts: LedgerParts) {
        self.init(
            database: parts.database,
            people: parts.people,
            batcher: parts.batcher,
            relayBell: parts.relayBell,
            budgets: parts.budgets
        )
    }
}

extension TransactionList {
    init(_ parts: LedgerParts) {
        self.init(
            database: parts.database,
            people: parts.people,
            rates: .shared,
            blocking: parts.blocking
        )
    }
}

extension TransactionFiles {
    init(_ parts: LedgerParts) {
        self.init(
            database: parts.database,
            people: parts.people,
            rates: .shared,
            blocking: parts.blocking,
            slots: parts.fileSlots
        )
    }
}

extension IntegrityReader {
    init(_ parts: LedgerParts) {
        self.init(database: parts.database, rates: .shared, blocking: parts.blocking)
    }
}
