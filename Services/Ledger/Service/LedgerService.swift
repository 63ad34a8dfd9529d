import BankFiles
import LedgerMigrations
import Loops
import Postgres
import Receipts
public import ServiceKit
import WalletProtocol

// Safety: the migrations are constants of the executable, with their own count.
/// Ledger: whose money is where, and how it came there.
public let ledgerService = ServiceDefinition(
    .ledger,
    variables: LedgerVariables.all,
    migrations: unsafe embeddedFiles(ledger_migrations, count: ledger_migrations_count),
    migrationSettings: { settings in
        let name = settings.text(CommonVariables.databaseName)
        return [("ezwallet.poster_role", "\(name)_poster")]
    },
    commands: [
        .init("journal-head", help: LedgerCommands.headUsage) { _, service, arguments in
            try await LedgerCommands.printHead(arguments, service: service)
        },
        .init("verify", help: LedgerCommands.verifyUsage) { _, service, arguments in
            try await LedgerCommands.verify(arguments, service: service)
        },
    ],
    avoidsBitmaps: true,
    wire: { _, service in
        let parts = try LedgerParts(service)
        addRoutes(to: service.router, parts)
        service.journal = TellingStatements.journal
        let (database, relayBell) = (service.database, service.relayBell)
        service.consume(from: .auth) { event, transaction in
            try await PeopleEvents.apply(event, in: transaction)
            relayBell.ring()
        }
        guard service.isFirst else { return }
        let rates = RateWork(
            database: database,
            blocking: service.blocking,
            loop: service.loop,
            logger: service.logger,
            url: service.settings.optional(LedgerVariables.ratesURL),
            publisher: parts.configuration.ratesSource
        )
        service.addPeriodicWorker("rates", everyMilliseconds: 2_000) { try await rates.run() }
        let sweep = CategorySweep(database: database, relayBell: relayBell)
        service.addPeriodicWorker("categories", everyMilliseconds: 500) {
            while try await sweep.sweepOne() {}
        }
        let notices = AllowanceNotices(database: database, relayBell: relayBell)
        service.addPeriodicWorker("allowance notices", everyMilliseconds: 1_000) {
            while try await notices.publishOne() {}
        }
        let budgets = BudgetWatch(store: parts.budgets, relayBell: relayBell)
        let households = HouseholdWatch(store: parts.households)
        service.addPeriodicWorker("budgets", everyMilliseconds: 250) {
            while try await budgets.lookThrough() {}
            while try await budgets.lookAtOne() {}
        }
        service.addPeriodicWorker("households", everyMilliseconds: 250) {
            while try await households.lookAtOne() {}
        }
        let recurrences = RecurrenceWork(
            database: database,
            relayBell: relayBell,
            begun: BegunWork(service)
        )
        service.addPeriodicWorker("recurrences", everyMilliseconds: 500) {
            while try await recurrences.doOne() {}
        }
        var orders = StandingOrderWork(
            database: database,
            rates: { try await RateStore.shared.history(on: service.blocking) },
            relayBell: relayBell,
            begun: BegunWork(service)
        )
        orders.rateDaysMax = parts.configuration.rateDaysMax
        service.addPeriodicWorker("standing orders", everyMilliseconds: 500) {
            while try await orders.doOne() {}
        }
        let search = SearchIndex(database: database)
        service.addPeriodicWorker("search", everyMilliseconds: 200) {
            while try await search.takeUpSome() {}
        }
        let imports = ImportWork(
            database: database,
            relayBell: relayBell,
            begun: BegunWork(service)
        )
        // One at a time for all loops: each has a connection to itself for as long as it lasts.
        service.addPeriodicWorker("imports", everyMilliseconds: 250, wokenBy: parts.importBell) {
            while try await imports.doOne() {}
        }
        let holds = HoldExpiry(database: database, relayBell: relayBell)
        service.addPeriodicWorker("holds", everyMilliseconds: 1_000) {
            try await holds.endAll()
        }
        let (files, ended) = (
            AttachmentFiles(database: database), AttachmentSweep(database: database)
        )
        service.addPeriodicWorker("attachments", everyMilliseconds: 60_000) {
            while try await files.sweepUploads() {}
            try await ended.sweepSome()
        }
        let sealer = makeJournalSealer(parts.configuration, database: database)
        service.addPeriodicWorker("journal chain", everyMilliseconds: 200) {
            if try await sealer.run() > 0 { relayBell.ring() }
        }
        let nightly = NightlyVerification(service: service, configuration: parts.configuration)
        service.addPeriodicWorker("verification", everyMilliseconds: 60_000) {
            try await nightly.run()
        }
        service.addPeriodicWorker("clean-up", everyMilliseconds: 60_000) {
            try await database.execute(TransferStatements.deleteOldQuotes)
            try await database.execute(StepUpStatements.deleteOld)
            try await database.execute(DeletionStatements.deleteOld)
            try await database.execute(ErasureStatements.deleteRefused)
            try await IdempotencyKeys.deleteOld(in: database)
            while try await ImportStore.dropOldPreview(in: database) {}
            while try await PostingStatements.forgetSome(in: database) {}
        }
    }
)
