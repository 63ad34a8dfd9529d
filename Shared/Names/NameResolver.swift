public import Loops

/// Resolves names on one loop: hosts file, then DNS, with what was learnt kept for its time.
///
/// Belongs to one loop. Rules:
/// - an address in figures is answered at once, and nothing is opened for it;
/// - who asks for a name that is being looked up waits for the same answer;
/// - an answer is kept for its records' least time to live, within bounds; that a name is absent
///   is kept briefly; a failure is not kept;
/// - after servers have failed the files are read again, for there may be others by now.
public final class NameResolver {
    /// What is known of a name.
    private struct Known {
        let outcome: Outcome
        let learntAt: UInt64
        let endsAt: UInt64
    }

    /// The loop that it belongs to.
    public let loop: EventLoop
    private let configuration: ResolverConfiguration
    /// Made at first need: it takes 100 KB.
    private var channel: Channel?
    private var serversFailed = false
    private var known: [String: Known] = [:]
    private var lookups: [String: Lookup] = [:]
    /// Questions for mail that somebody waits for.
    private var mailLookups = 0

    /// Names that were asked of files and servers, rather than remembered.
    public private(set) var lookupCount = 0
    /// Names whose answers are kept.
    public var knownCount: Int { known.count }

    /// A resolver on this loop, which opens nothing yet.
    public init(on loop: EventLoop, configuration: ResolverConfiguration = .init()) {
        self.loop = loop
        self.configuration = configuration
    }

    /// All addresses of a host, IPv4 first, with what is left of their time to live; never none.
    ///
    /// An answer that is older than `secondsOldMax` is asked for again. Without a `deadline` the
    /// wait ends with the request that the task serves. On-loop only.
    /// - Throws: `.notFound`, `.timedOut` and so on; nothing is known then.
    public func addresses(
        of host: String,
        secondsOldMax: Int = .max,
        deadline: UInt64? = nil
    ) async throws(NameError) -> [NumericAddress] {
        if let numeric = NumericAddress(numeric: host) { return [numeric] }
        let name = host.lowercased()
        guard Self.mayBeName(name) else { throw .notFound }
        let now = monotonicNanoseconds()
        // Cannot wrap: it was learnt before now, and the clock never goes back.
        if let known = known[name], now < known.endsAt,
            now &- known.learntAt <= Self.nanoseconds(secondsOldMax)
        {
            return try Self.remaining(known, now).get()
        }
        let wait = Wait<Outcome>(on: loop)
        if let lookup = lookups[name] {
            lookup.add(wait)
        } else {
            try begin(name, for: wait)
        }
        let limit = configuration.waitMillisecondsMax * 1_000_000
        let end = deadline ?? RequestContext.deadline(within: limit)
        let timer = loop.schedule(at: end) {
            wait.resume(returning: .failure(.timedOut))
        }
        defer { timer.cancel() }
        let outcome: Outcome
        do { outcome = try await wait.value() } catch { throw .cancelled }
        return try outcome.get()
    }

    /// Lets go of sockets; who waits is told.
    public func close() {
        channel?.close()
        channel = nil
    }

    private func begin(_ name: String, for wait: Wait<Outcome>) throws(NameError) {
        let channel = try openChannel()
        let lookup = Lookup { [weak self] outcome in
            self?.ended(name, outcome) ?? outcome
        }
        lookup.add(wait)
        lookups[name] = lookup
        channel.ask(name, lookup)
    }

    /// Asks for who takes a domain's mail.
    func askMail(_ domain: String, _ lookup: MailLookup) throws(NameError) {
        guard Self.mayBeName(domain) else { throw .notFound }
        let channel = try openChannel()
        mailLookups += 1
        channel.askMail(domain, lookup)
    }

    /// Such a question has ended, well or badly.
    func mailLookupEnded(_ error: NameError?) {
        mailLookups -= 1
        if let error, error != .notFound, error != .cancelled { serversFailed = true }
    }

    /// The channel for one more question.
    private func openChannel() throws(NameError) -> Channel {
        guard lookups.count + mailLookups < configuration.lookupsMax else { throw .tooMany }
        // Never within a call of c-ares, for this is a task's turn.
        if serversFailed, lookups.isEmpty, mailLookups == 0 { close() }
        guard let channel = channel ?? Channel(configuration, on: loop) else {
            throw .failed("no resolver can be made")
        }
        self.channel = channel
        serversFailed = false
        lookupCount += 1
        return channel
    }

    /// Keeps what is to be kept; answers what those who wait are told.
    private func ended(_ name: String, _ outcome: Outcome) -> Outcome {
        lookups[name] = nil
        let outcome = outcome.map { Array($0.prefix(configuration.addressesMax)) }
        let seconds: Int
        switch outcome {
        case .success(let addresses):
            let least = addresses.map(\.secondsToLive).min() ?? 0
            seconds = min(max(least, configuration.keptSecondsMin), configuration.keptSecondsMax)
        case .failure(.notFound): seconds = configuration.absenceSeconds
        case .failure(let error):
            if error != .cancelled { serversFailed = true }
            return outcome
        }
        let now = monotonicNanoseconds()
        let learnt = Known(
            outcome: outcome,
            learntAt: now,
            // Cannot wrap: a minute at most, whatever a server says (`keptSecondsMax`).
            endsAt: now &+ Self.nanoseconds(seconds)
        )
        makeRoom(for: name, now)
        known[name] = learnt
        return Self.remaining(learnt, now)
    }

    private func makeRoom(for name: String, _ now: UInt64) {
        guard known[name] == nil, known.count >= configuration.namesMax else { return }
        known = known.filter { $0.value.endsAt > now }
        guard known.count >= configuration.namesMax,
            let first = known.min(by: { $0.value.endsAt < $1.value.endsAt })
        else { return }
        known[first.key] = nil
    }

    /// The answer with what is left of its time.
    private static func remaining(_ known: Known, _ now: UInt64) -> Outcome {
        // Cannot wrap: callers have seen that it ends behind now.
        let left = Int((known.endsAt &- now &+ 999_999_999) / 1_000_000_000)
        return known.outcome.map { addresses in
            addresses.map { NumericAddress(text: $0.text, secondsToLive: left) }
        }
    }

    private static func nanoseconds(_ seconds: Int) -> UInt64 {
        let product = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return product.overflow ? .max : product.partialValue
    }

    /// RFC 1035, 2.3.4: no longer than 253 characters, labels no longer than 63, none empty.
    private static func mayBeName(_ name: String) -> Bool {
        var text = name.utf8[...]
        if text.last == UInt8(ascii: ".") { text.removeLast() }
        guard (1...253).contains(text.count) else { return false }
        let isPlain = text.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return isPlain && labels.allSatisfy { (1...63).contains($0.count) }
    }
}
