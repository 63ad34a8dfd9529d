import AnalyticsMigrations
import Messaging
import Postgres
public import ServiceKit
import WalletProtocol

// Safety: the migrations are constants of the executable, with their own count.
/// Analytics: each user's reports, and what the whole of them spends.
public let analyticsService = ServiceDefinition(
    .analytics,
    variables: AnalyticsVariables.all,
    migrations: unsafe embeddedFiles(analytics_migrations, count: analytics_migrations_count),
    wire: { _, service in
        service.consume(from: .auth) { event, transaction in
            try await PeopleEvents.apply(event, in: transaction)
        }
        service.consume(
            from: .ledger,
            handler: .together { events, transaction in
                try await FactEvents.apply(events, in: transaction)
            }
        )
        service.consume(
            from: .groups,
            handler: .together { events, transaction in
                try await GroupEvents.apply(events, in: transaction)
            }
        )
        service.follow(journalOf: .ledger) { postings, transaction in
            try await Facts.apply(postings, in: transaction)
        }
        let (database, client) = (service.database, service.internalClient)
        let rates = RateStore(database: database) { day throws(APIError) in
            let query = RateQuery(base: .eur, date: day)
            return try await client.call(Rates.get, query: query, body: NoBody())
        }
        addRoutes(
            to: service.router,
            ReportStore(database: database, rates: rates),
            ReportRights { query throws(APIError) in
                try await client.call(InternalGroups.access, query: query, body: NoBody())
            },
            InsightStore(
                database: database,
                rates: rates,
                blocking: service.blocking,
                usersMin: service.settings.integer(AnalyticsVariables.usersMin)
            )
        )
        service.router.addExport(
            InternalExports.analytics,
            of: ExportStatements.parts,
            in: database
        )
        service.router.add(EraseUser(eraser: PersonEraser(database: database)))
    }
)
