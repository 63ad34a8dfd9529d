import Messaging
import NotificationsMigrations
import Postgres
public import ServiceKit
import WalletProtocol

// Safety: the migrations are constants of the executable, with their own count.
/// Notifications: the feed, and mails and text messages on their way out.
public let notificationsService = ServiceDefinition(
    .notifications,
    variables: NotificationsVariables.all,
    migrations: unsafe embeddedFiles(
        notifications_migrations,
        count: notifications_migrations_count
    ),
    wire: { _, service in
        let seal = try service.settings.messageSeal()
        let bell = WorkBell(on: service.loop)
        let delivery = MessageDelivery(service, seal: seal)
        // Each has one message in hand at a time: a slow provider holds up that many.
        for _ in 0..<MessageDelivery.workersPerLoop {
            service.addPeriodicWorker("messages", everyMilliseconds: 1_000, wokenBy: bell) {
                while try await delivery.deliverNext() {}
            }
        }
        let database = service.database
        if service.isFirst {
            service.addPeriodicWorker("receipts", everyMilliseconds: 3_600_000) {
                try await database.execute(MessageStatements.deleteOld)
            }
            service.addPeriodicWorker("keys", everyMilliseconds: 3_600_000) {
                try await IdempotencyKeys.deleteOld(in: database)
            }
        }
        let watch = FeedWatch(database: database, on: service.loop)
        service.consume(from: .auth) { event, transaction in
            try await PeopleEvents.apply(event, in: transaction)
        }
        let feeds = EventHandler.together(FeedEvents.apply)
        service.consume(from: .groups, waking: watch.bell, handler: feeds)
        for filter in LedgerEvents.filters {
            service.consume(from: .ledger, filter: filter, waking: watch.bell, handler: feeds)
        }
        service.follow(journalOf: .ledger, waking: watch.bell) { postings, transaction in
            try await TransfersReceived.apply(postings, in: transaction)
        }
        let router = service.router
        let messages = MessageStore(database: database, seal: seal, bell: bell)
        let reports = MonthlyReports(
            messages: messages,
            publicURL: service.settings.text(CommonVariables.publicURL)
        )
        service.consume(from: .analytics, waking: bell) { event, transaction in
            try await reports.apply(event, in: transaction)
        }
        router.add(SendMessage(messages: messages))
        router.addExport(InternalExports.notifications, of: ExportStatements.parts, in: database)
        router.add(EraseUser(eraser: PersonEraser(database: database)))
        let feed = FeedStore(database: database)
        router.add(ListNotifications(feed: feed))
        let effects = KeyedEffects(database: database, relayBell: service.relayBell)
        router.add(ReadNotification(effects: effects, feed: feed))
        router.add(ReadAllNotifications(effects: effects, feed: feed))
        router.add(
            StreamNotifications(
                feed: feed,
                watch: watch,
                revocations: service.revocations,
                open: OpenStreams()
            )
        )
    }
)
