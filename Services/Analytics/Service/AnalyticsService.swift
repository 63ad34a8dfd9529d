import AnalyticsMigrations
import Documents
import Messaging
import Postgres
import ReportFiles
public import ServiceKit
import Text
import WalletProtocol

// Safety: the migrations are constants of the executable, with their own count.
/// Analytics: each user's reports, and what the whole of them spends.
public let analyticsService = ServiceDefinition(
    .analytics,
    variables: AnalyticsVariables.all,
    migrations: unsafe embeddedFiles(analytics_migrations, count: analytics_migrations_count),
    commands: [
        .init("release", help: ReleaseWork.usage) { _, service, arguments in
            try await releaseWork(service).command(arguments)
        },
        .init("verify", help: RebuildCommands.verifyUsage) { _, service, arguments in
            try await RebuildCommands.verify(arguments, service: service)
        },
        .init("rebuild", help: RebuildCommands.rebuildUsage) { _, service, arguments in
            try await RebuildCommands.rebuild(arguments, service: service)
        },
        .init("recount", help: RebuildCommands.recountUsage) { _, service, arguments in
            try await RebuildCommands.recount(arguments, service: service)
        },
    ],
    wire: { _, service in
        try TimeZones.requireDatabase()
        service.consume(from: .auth) { event, transaction in
            try await PeopleEvents.apply(event, in: transaction)
            try await UsageEvents.apply(event, in: transaction)
        }
        service.consume(
            from: .ledger,
            handler: .together { events, transaction in
                // Locks of people before those of their buckets, as who erases them takes them.
                try await UsageEvents.apply(events, in: transaction)
                try await FactEvents.apply(events, in: transaction)
            }
        )
        service.consume(
            from: .groups,
            handler: .together { events, transaction in
                try await UsageEvents.apply(events, in: transaction)
                try await GroupEvents.apply(events, in: transaction)
            }
        )
        let known = KnownSteps()
        service.follow(journalOf: .ledger) { postings, transaction in
            try await Facts.apply(postings, in: transaction)
            try await known.note(FirstStep.all(of: postings), in: transaction)
        }
        let (database, client) = (service.database, service.internalClient)
        let releases = try releaseWork(service)
        let newer = NewerPeople(versions: service.people) { user in
            try await client.call(InternalAuth.user, path: ["id": user.text])
        }
        let people = PersonReader(database: database, newer: newer)
        let insights = InsightStore(
            database: database,
            blocking: service.blocking,
            settings: releases.settings
        )
        let usage = UsageStore(database: database, settings: releases.settings)
        let audit = InsightAudit { reading throws(APIError) in
            _ = try await client.call(InternalAuth.insightsRead, query: NoQuery(), body: reading)
        }
        addRoutes(
            to: service.router,
            ReportStore(
                database: database,
                rates: releases.rates,
                people: people
            ),
            ReportRights { query throws(APIError) in
                try await client.call(InternalGroups.access, query: query, body: NoBody())
            },
            reportDocuments(service, people),
            insights,
            usage,
            audit
        )
        addQueryRoutes(
            to: service.router,
            InsightQueries(spending: insights, usage: usage, blocking: service.blocking),
            SavedQueryStore(database: database),
            KeyedEffects(database: database, relayBell: service.relayBell),
            audit
        )
        service.router.addExport(
            InternalExports.analytics,
            of: ExportStatements.parts + UsageExportStatements.parts,
            in: database
        )
        service.router.add(EraseUser(eraser: PersonEraser(database: database)))
        guard service.isFirst else { return }
        service.addPeriodicWorker("releases", everyMilliseconds: 60_000) {
            try await releases.run()
        }
        service.addPeriodicWorker("keys", everyMilliseconds: 3_600_000) {
            try await IdempotencyKeys.deleteOld(in: database)
        }
    }
)

/// What makes releases on a loop, with the rates that the ledger answers.
private func releaseWork(_ service: ServiceLoop) throws -> ReleaseWork {
    let (client, blocking) = (service.internalClient, service.blocking)
    return ReleaseWork(
        service: service,
        rates: RateStore(database: service.database) { day throws(APIError) in
            let query = RateQuery(base: .eur, date: day)
            return try await client.call(Rates.get, query: query, body: NoBody())
        },
        settings: try ReleaseSettings(service.settings),
        also: [
            ReleasePart(name: "usage") { release, connection in
                let usage = UsageRelease(
                    release: release,
                    blocking: blocking,
                    connection: connection
                )
                try await usage.run()
            },
            ReleasePart(name: "announcement") { _, connection in
                try await MonthAnnouncement(connection: connection).run()
            },
        ]
    )
}

/// What makes documents on a loop, with the names that the ledger and groups answer.
private func reportDocuments(
    _ service: ServiceLoop,
    _ people: PersonReader
) -> ScopeDocuments {
    let client = service.internalClient
    return ScopeDocuments(
        documents: ReportDocuments(blocking: service.blocking, loop: service.loop) { user in
            let person = try await people.settings(of: user)
            return DocumentReader(
                language: person.language,
                timeZone: person.timeZone,
                dateFormat: person.dateFormat
            )
        },
        labels: CategoryLabelReader(
            ledger: { request throws(APIError) in
                try await client.call(InternalCategories.labels, query: NoQuery(), body: request)
            },
            groups: { group, reader throws(APIError) in
                let path = ["id": group.text]
                return try await client.call(GroupCategories.list, path: path, for: reader).items
            }
        )
    )
}

/// The argument by which this program is told to set a document, and nothing else.
public let typesetCommand = Typesetter.argument

/// Sets the document on standard input, under limits, without settings or connections.
public func serveTypesetting() -> Never { Typesetter.serve() }
