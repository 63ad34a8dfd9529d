import GroupsMigrations
import IBANs
import Postgres
import Receipts
public import ServiceKit
import Text
import WalletProtocol

// Safety: the migrations are constants of the executable, with their own count.
/// Groups: who shares expenses with whom, who owes whom, and limits on what is spent together.
public let groupsService = ServiceDefinition(
    .groups,
    variables: [CommonVariables.sealingSecret] + MapVariables.all + [
        AttachmentLimits.mebibytes, GroupAttachmentLimits.mebibytes,
    ],
    migrations: unsafe embeddedFiles(groups_migrations, count: groups_migrations_count),
    wire: { _, service in
        try TimeZones.requireDatabase()
        let messages = MessageJobs(
            database: service.database,
            client: service.internalClient,
            seal: try service.settings.messageSeal(),
            logger: service.logger,
            metrics: service.metrics
        )
        let tokens = LinkToken(
            secrets: service.settings.secrets(CommonVariables.sealingSecret),
            publicURL: service.settings.text(CommonVariables.publicURL)
        )
        let parts = GroupsParts(
            service,
            messages: messages,
            tokens: tokens,
            registry: try IBANRegistry.shared()
        )
        let map = try MapConfiguration(service.settings)
        parts.batcher.addWorkers(to: service)
        addRoutes(to: service.router, parts, map: map.view)
        addInternalRoutes(to: service.router, parts)
        addExpenseRoutes(to: service.router, parts)
        addFamilyRoutes(to: service.router, parts)
        addAttachments(to: service, parts.effects)
        let imports = GroupImportStore(
            database: service.database,
            effects: parts.effects,
            members: parts.members,
            blocking: service.blocking
        )
        addImportRoutes(to: service.router, imports, people: parts.people)
        service.router.addExport(
            InternalExports.groups,
            of: ExportStatements.parts,
            in: service.database
        )
        let people = parts.people
        service.consume(from: .auth) { event, transaction in
            try await people.apply(event, in: transaction)
        }
        for filter in BudgetEvents.filters {
            service.consume(from: .ledger, filter: filter) { event, transaction in
                try await BudgetEvents.apply(event, in: transaction)
            }
        }
        let posted = LedgerLinkStore.filter
        service.consume(from: .ledger, filter: posted) { event, transaction in
            try await LedgerLinkStore.apply(event, in: transaction)
        }
        service.addPeriodicWorker("messages", everyMilliseconds: 500, wokenBy: messages.bell) {
            while try await messages.handOver() > 0 {}
        }
        if service.isFirst {
            let periods = parts.periods
            service.addPeriodicWorker("periods", everyMilliseconds: 1_000) {
                while try await periods.announceBegun(at: .now()) == PeriodStore.countMax {}
            }
            let foreign = parts.foreignExpenses
            service.addPeriodicWorker("conversions", everyMilliseconds: 1_000) {
                while try await foreign.walkSome(at: .now()) > 0 {}
                while try await foreign.convertSome(at: .now()) == ForeignExpenseStore.countMax {}
            }
            let recurring = ExpenseRecurrenceWork(
                database: service.database,
                effects: parts.effects,
                expenses: parts.expenses,
                begun: BegunWork(service)
            )
            service.addPeriodicWorker("recurrences", everyMilliseconds: 250) {
                while try await recurring.doOne() {}
            }
            let shared = parts.shared
            service.addPeriodicWorker("acceptances", everyMilliseconds: 1_000) {
                try await shared.finishSome()
            }
            let allowances = parts.allowances
            service.addPeriodicWorker("allowances", everyMilliseconds: 1_000) {
                try await allowances.finishSome()
            }
            let due = RecurringAllowanceWork(
                database: service.database,
                effects: parts.effects,
                ledger: allowances.ledger
            )
            service.addPeriodicWorker("recurring allowances", everyMilliseconds: 1_000) {
                while try await due.noteOne() {}
                try await due.payAll()
            }
            let households = parts.households
            service.addPeriodicWorker("households", everyMilliseconds: 1_000) {
                try await households.finishAll()
            }
            let orders = parts.settlementOrders
            service.addPeriodicWorker("settlements", everyMilliseconds: 5_000) {
                try await orders.decideSome()
            }
            let links = parts.ledgerLinks
            service.addPeriodicWorker("ledger-links", everyMilliseconds: 5_000) {
                try await links.finishSome()
            }
            let decisions = parts.approvalDecisions
            service.addPeriodicWorker("approvals", everyMilliseconds: 5_000) {
                try await decisions.finishSome()
            }
            service.addPeriodicWorker("expired approvals", everyMilliseconds: 5_000) {
                try await decisions.expireSome()
            }
            let database = service.database
            let nameTries = parts.nameTries
            service.addPeriodicWorker("keys", everyMilliseconds: 3_600_000) {
                try await orders.deleteOld()
                try await decisions.deleteOld()
                try await IdempotencyKeys.deleteOld(in: database)
                try await allowances.deleteOld()
                try await nameTries.deleteOld()
                try await imports.deleteOld()
                try await GuestMerges.deleteOld(in: database)
            }
        }
    }
)

/// Receipts of expenses, and the sweep behind them.
private func addAttachments(to service: ServiceLoop, _ effects: KeyedEffects) {
    let database = service.database
    let files = AttachmentFiles(database: database)
    let attachments = ExpenseAttachmentStore(
        database: database,
        limits: GroupAttachmentLimits(service.settings)
    )
    let uploads = AttachmentUploads(effects: effects, database: database)
    addAttachmentRoutes(to: service.router, attachments, uploads, files)
    guard service.isFirst else { return }
    let ended = ExpenseAttachmentSweep(attachments: attachments)
    service.addPeriodicWorker("attachments", everyMilliseconds: 60_000) {
        while try await files.sweepUploads() {}
        try await ended.sweepSome()
    }
}

/// What one loop of groups is made of.
struct GroupsParts {
    let friends: FriendStore
    let effects: KeyedEffects
    let people: PeopleStore
    let nameTries: NameTries
    let groups: GroupStore
    let pairs: PairStore
    let refusals: RefusalStore
    let members: MemberStore
    let invitations: InvitationStore
    let links: LinkStore
    let shared: SharedInvitationStore
    let families: FamilyStore
    let allowances: AllowanceStore
    let recurringAllowances: RecurringAllowanceStore
    let households: HouseholdTasks
    let limits: LimitStore
    let approvals: ApprovalStore
    let approvalDecisions: ApprovalDecisions
    let expenses: ExpenseStore
    let expenseList: ExpenseList
    let expenseTable: ExpenseTableStore
    let recurrences: ExpenseRecurrenceStore
    let batcher: ExpenseBatcher
    let categories: GroupCategoryStore
    let comments: CommentStore
    let reports: GroupReportStore
    let balances: BalanceStore
    let settlements: SettlementStore
    let settlementConversion: SettlementConversion
    let receiving: ReceivingAccountStore
    let settlementOrders: SettlementOrders
    let ledgerLinks: LedgerLinkWork
    let linked: LinkedExpenses
    let cleared: ClearedSettlements
    let paymentCodes: PaymentCodeStore
    let thresholds: ThresholdStore
    let periods: PeriodStore
    let foreignExpenses: ForeignExpenseStore
    let snapshots: SnapshotStore

    init(
        _ service: ServiceLoop,
        messages: MessageJobs,
        tokens: LinkToken,
        registry: IBANRegistry
    ) {
        let client = service.internalClient
        self.init(
            database: service.database,
            messages: messages,
            tokens: tokens,
            relayBell: service.relayBell,
            ledger: .calling(client),
            registry: registry,
            versions: service.people
        ) { question in
            try await question.ask(client)
        }
    }

    // Flat: each is made once, behind those that it needs.
    init(
        database: Database,
        messages: MessageJobs,
        tokens: LinkToken,
        relayBell: RelayBell,
        ledger: LedgerCalls,
        registry: IBANRegistry,
        versions: PeopleVersions? = nil,
        ask: @escaping (PersonQuestion) async throws -> InternalUser?
    ) {
        friends = FriendStore(database: database)
        effects = KeyedEffects(database: database, relayBell: relayBell)
        people = PeopleStore(
            database: database,
            relayBell: relayBell,
            versions: versions,
            ask: ask
        )
        links = LinkStore(database: database, tokens: tokens)
        nameTries = NameTries(database: database, secret: tokens.secret)
        invitations = InvitationStore(
            database: database,
            people: people,
            messages: messages,
            links: links,
            tries: nameTries
        )
        shared = SharedInvitationStore(
            database: database,
            effects: effects,
            invitations: invitations,
            directory: ledger.directory
        )
        families = FamilyStore(database: database, invitations: invitations)
        allowances = AllowanceStore(
            database: database,
            families: families,
            ledger: ledger.allowances
        )
        recurringAllowances = RecurringAllowanceStore(
            database: database,
            families: families,
            ledger: ledger.allowances
        )
        households = HouseholdTasks(database: database, ledger: ledger.households)
        limits = LimitStore(families: families, allowances: allowances, ledger: ledger.limits)
        approvals = ApprovalStore(
            database: database,
            families: families,
            allowances: allowances,
            limits: ledger.limits
        )
        approvalDecisions = ApprovalDecisions(
            database: database,
            effects: effects,
            ledger: ledger.purchases
        )
        groups = GroupStore(database: database, effects: effects, invitations: invitations)
        pairs = PairStore(effects: effects, invitations: invitations)
        refusals = RefusalStore(database: database, people: people)
        members = MemberStore(database: database, effects: effects)
        expenses = ExpenseStore(database: database)
        expenseList = ExpenseList(database: database, rates: ledger.rates)
        expenseTable = ExpenseTableStore(database: database)
        recurrences = ExpenseRecurrenceStore(database: database, expenses: expenses)
        batcher = ExpenseBatcher(effects: effects, expenses: expenses, on: database.loop)
        categories = GroupCategoryStore(database: database, effects: effects)
        comments = CommentStore(database: database)
        reports = GroupReportStore(database: database)
        balances = BalanceStore(database: database, rates: ledger.rates)
        settlements = SettlementStore(database: database)
        settlementConversion = SettlementConversion(database: database, rates: ledger.rates)
        receiving = ReceivingAccountStore(
            database: database,
            registry: registry,
            ledger: ledger.accounts
        )
        settlementOrders = SettlementOrders(
            database: database,
            effects: effects,
            ledger: ledger.settlements
        )
        ledgerLinks = LedgerLinkWork(database: database, effects: effects, ledger: ledger.links)
        linked = LinkedExpenses(expenses: expenses, links: ledgerLinks)
        cleared = ClearedSettlements(settlements: settlements, links: ledgerLinks)
        paymentCodes = PaymentCodeStore(
            database: database,
            registry: registry,
            ledger: ledger.accounts
        )
        thresholds = ThresholdStore(database: database)
        periods = PeriodStore(database: database, effects: effects)
        snapshots = SnapshotStore(database: database)
        foreignExpenses = ForeignExpenseStore(
            database: database,
            effects: effects,
            rates: ledger.rates
        )
    }
}
