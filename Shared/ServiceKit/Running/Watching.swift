internal import Loops
internal import Messaging
internal import Postgres

extension ServiceRunner {
    /// Brings this loop's gauges up to date each second.
    func watchLoop(_ service: ServiceLoop, _ actor: isolated LoopActor) {
        let labels = "loop=\"\(actor.loop.index)\""
        let lag = metrics.gauge(
            "ezwallet_loop_lag_microseconds",
            "Longest turn of the loop in the last second.",
            labels: labels
        )
        let inUse = metrics.gauge(
            "ezwallet_database_in_flight",
            "Statements under way on shared connections.",
            labels: labels
        )
        let leased = metrics.gauge(
            "ezwallet_database_leased",
            "Leased connections in use.",
            labels: labels
        )
        let waiting = metrics.gauge(
            "ezwallet_database_waiting",
            "Requests that wait for a connection.",
            labels: labels
        )
        let (loop, database) = (actor.loop, service.database)
        func sample() {
            lag.set(Int64(clamping: loop.takeLag() / 1_000))
            let figures = database.metrics
            inUse.set(Int64(figures.sharedInFlight))
            leased.set(Int64(figures.leasedInUse))
            waiting.set(Int64(figures.sharedWaiting + figures.leasedWaiting))
            loop.schedule(afterNanoseconds: 1_000_000_000, sample)
        }
        sample()
    }

    /// Brings the outbox's gauges up to date each second.
    func watchRelay(_ relay: OutboxRelay, _ service: ServiceLoop, _ actor: isolated LoopActor) {
        let depth = metrics.gauge("ezwallet_outbox_depth", "Rows not published yet.")
        let oldest = metrics.gauge(
            "ezwallet_outbox_oldest_milliseconds",
            "Age of the oldest row not published."
        )
        let xid = metrics.gauge(
            "ezwallet_oldest_transaction_milliseconds",
            "Age of the cluster's oldest writer."
        )
        let waiting = metrics.gauge(
            "ezwallet_journal_depth",
            "Entries of the journal not published yet."
        )
        let age = metrics.gauge(
            "ezwallet_journal_oldest_milliseconds",
            "Age of the first entry not published."
        )
        let help = "Up to where the relay has published everything, while it leads."
        let mark = metrics.gauge("ezwallet_relay_mark", help, labels: "source=\"outbox\"")
        let place = metrics.gauge("ezwallet_relay_mark", help, labels: "source=\"journal\"")
        let leads = metrics.gauge("ezwallet_relay_leads", "1 where this replica's relay leads.")
        let loop = actor.loop
        func sample() {
            let figures = relay.metrics
            depth.set(figures.outbox.depth)
            oldest.set(figures.outbox.oldestAgeMilliseconds)
            xid.set(figures.outbox.oldestTransactionMilliseconds)
            waiting.set(figures.journal.depth)
            age.set(figures.journal.oldestAgeMilliseconds)
            mark.set(figures.mark)
            place.set(figures.journalMark)
            leads.set(figures.leads ? 1 : 0)
            loop.schedule(afterNanoseconds: 1_000_000_000, sample)
        }
        sample()
    }

    /// Brings the numbers of a journal's consumer up to date each second.
    func watchJournal(_ consumer: JournalConsumer, _ actor: isolated LoopActor) {
        let labels = "consumer=\"\(consumer.name)\""
        let buried = metrics.counter(
            "ezwallet_consumer_buried_total",
            "Events that became dead letters here.",
            labels: labels
        )
        let lost = lostCounter(labels)
        let applied = metrics.counter(
            "ezwallet_journal_applied_total",
            "Postings applied here.",
            labels: labels
        )
        let pages = metrics.counter(
            "ezwallet_journal_pages_total",
            "Pages of missing places that were asked for here.",
            labels: labels
        )
        let mark = metrics.gauge(
            "ezwallet_journal_applied_mark",
            "The place up to which everything is applied.",
            labels: labels
        )
        let missing = metrics.gauge(
            "ezwallet_journal_missing",
            "Places that are missing below the highest that is applied.",
            labels: labels
        )
        let lag = metrics.gauge(
            "ezwallet_journal_lag_milliseconds",
            "Age of the last posting when it was applied here.",
            labels: labels
        )
        let loop = actor.loop
        func sample() {
            let figures = consumer.metrics
            buried.set(Int64(clamping: figures.buried))
            lost.set(Int64(clamping: figures.lost))
            applied.set(Int64(clamping: figures.applied))
            pages.set(Int64(clamping: figures.pages))
            mark.set(figures.mark)
            missing.set(figures.missing)
            lag.set(figures.lagMicroseconds / 1_000)
            loop.schedule(afterNanoseconds: 1_000_000_000, sample)
        }
        sample()
    }

    /// Brings a consumer's counters up to date each second.
    func watchConsumer(_ consumer: EventConsumer, _ actor: isolated LoopActor) {
        let buried = metrics.counter(
            "ezwallet_consumer_buried_total",
            "Events that became dead letters here.",
            labels: "consumer=\"\(consumer.name)\""
        )
        let lost = lostCounter("consumer=\"\(consumer.name)\"")
        let loop = actor.loop
        func sample() {
            buried.set(Int64(clamping: consumer.metrics.buried))
            lost.set(Int64(clamping: consumer.metrics.lost))
            loop.schedule(afterNanoseconds: 1_000_000_000, sample)
        }
        sample()
    }

    private func lostCounter(_ labels: String) -> MetricValue {
        metrics.counter(
            "ezwallet_consumer_lost_total",
            "Times that the durable was gone from the broker and was made again here.",
            labels: labels
        )
    }
}
