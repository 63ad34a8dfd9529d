import Loops
import Messaging
import Palette
import Postgres
import ServiceKit
import Text
import WalletProtocol

/// What the ledger knows of a person.
struct Person: Sendable, Hashable {
    /// That of «Default» and of accounts opened without one.
    var currency: Currency
    /// The civil day's.
    var timeZone: String
    /// What others read when they send money.
    var displayName: String
    /// The day on which a month of theirs begins, 1 to 28.
    var monthStart = 1
    /// What is written for them is in it: BCP 47.
    var language = "en"
    /// How they write days; nil: as the language does.
    var dateFormat: DateFormat?
    /// Of their profile, by which auth tells of a change.
    var version = 0
    /// «Others», which never changes.
    var others: CategoryID?
}

extension Person {
    /// What auth tells of a user.
    init(_ user: InternalUser) {
        self.init(
            currency: user.currency,
            timeZone: user.timeZone,
            displayName: Self.name(user.firstName, user.lastName, user.username),
            monthStart: user.monthStart,
            language: user.language,
            dateFormat: user.dateFormat,
            version: user.version
        )
    }

    init(_ event: UserRegistered) {
        self.init(
            currency: event.currency,
            timeZone: event.timeZone,
            displayName: Self.name(event.firstName, event.lastName, event.username),
            language: event.language,
            dateFormat: event.dateFormat,
            version: event.version
        )
    }

    init(_ event: UserChanged) {
        self.init(
            currency: event.currency,
            timeZone: event.timeZone,
            displayName: Self.name(event.firstName, event.lastName, event.username),
            monthStart: event.monthStart,
            language: event.language,
            dateFormat: event.dateFormat,
            version: event.version
        )
    }

    private static func name(_ first: String?, _ last: String?, _ username: String) -> String {
        let names = [first, last].compactMap(\.self).filter { !$0.isEmpty }
        return names.isEmpty ? username : names.joined(separator: " ")
    }
}

extension Day {
    /// The day in UTC of a moment of our own clock.
    static func utc(_ moment: Instant) -> Day {
        // Cannot fire: every caller asks for the day of our own clock, which is no year 10,000.
        guard let day = Day(utc: moment) else {
            preconditionFailure("the clock is beyond the year 9999")
        }
        return day
    }
}

/// People, and what everybody has from the start: the wallet «Default» and the category «Others».
///
/// Made on the event of a registration or on the first call, whichever comes first.
final class People {
    private let database: Database
    /// What auth tells of a user; absent where everybody who calls is known.
    private let ask: ((ID<User>) async throws -> InternalUser)?
    private let relayBell: RelayBell
    private let newer: NewerPeople?
    /// Who was seen since the last change of theirs; one loop's own.
    private var seen: [ID<User>: Seen] = [:]
    private var era = 0

    private struct Seen {
        let person: Person
        let until: UInt64
    }

    /// The day in each zone that somebody is in; a calendar is slow.
    private var days: [String: CivilDay] = [:]

    static let seenMax = 20_000
    /// The poll brings changes at once; this is for changes by a release of auth without it.
    static let seenNanoseconds: UInt64 = 60_000_000_000
    static let defaultAccountName = "Default"
    static let defaultCategoryName = "Others"

    init(_ service: ServiceLoop) {
        database = service.database
        let client = service.internalClient
        let ask: (ID<User>) async throws -> InternalUser = { user in
            try await client.call(InternalAuth.user, path: ["id": user.text])
        }
        self.ask = ask
        relayBell = service.relayBell
        newer = NewerPeople(versions: service.people, ask: ask)
    }

    /// Those who are known already, for work behind the calls.
    init(
        database: Database,
        relayBell: RelayBell,
        versions: PeopleVersions? = nil,
        ask: ((ID<User>) async throws -> InternalUser)? = nil
    ) {
        self.database = database
        self.relayBell = relayBell
        self.ask = ask
        newer = if let versions, let ask { NewerPeople(versions: versions, ask: ask) } else { nil }
    }

    /// The day that it is where the person is.
    func today(for person: Person) -> Day {
        let now = Instant.now()
        if let known = days[person.timeZone], now >= known.from, now < known.to { return known.day }
        guard let made = CivilDay(of: now, in: person.timeZone) else { return .utc(now) }
        days[person.timeZone] = made
        return made.day
    }

    /// The person who calls, with what everybody has; never as they were before a change that auth
    /// has told of, unless auth does not answer: then as they were last known.
    func person(_ user: ID<User>) async throws -> Person {
        let now = monotonicNanoseconds()
        let told = newer?.versions.version(of: user) ?? 0
        forgetEarlierEra()
        if let known = seen[user], known.until > now, known.person.version >= told {
            return known.person
        }
        let person = try await current(user)
        if seen.count >= Self.seenMax { seen.removeAll(keepingCapacity: true) }
        if person.version >= told {
            seen[user] = Seen(person: person, until: now + Self.seenNanoseconds)
        }
        return person
    }

    private func forgetEarlierEra() {
        guard let now = newer?.versions.era, now != era else { return }
        era = now
        seen.removeAll(keepingCapacity: true)
    }

    /// The person as stored; where auth has told of a later version whose event has not come, as
    /// auth has them, which is stored.
    private func current(_ user: ID<User>) async throws -> Person {
        let person = try await stored(user)
        guard let told = await newer?.person(user, after: person.version) else { return person }
        try await database.transaction { transaction in
            try await PeopleEvents.change(told.id, Person(told), in: transaction)
        }
        return try await stored(user)
    }

    private func stored(_ user: ID<User>) async throws -> Person {
        if let person = try await database.queryOne(PeopleStatements.find, user) { return person }
        guard let ask else { throw APIError(.unavailable) }
        let told = try await ask(user)
        let person = Person(told)
        try await database.transaction { transaction in
            try await Self.make(user, person, in: transaction)
        }
        relayBell.ring()
        guard let made = try await database.queryOne(PeopleStatements.find, user) else {
            throw APIError(.unauthenticated)
        }
        return made
    }

    /// Writes the person and what everybody has, once.
    static func make(
        _ user: ID<User>,
        _ person: Person,
        in transaction: Transaction
    ) async throws {
        let inserted = try await transaction.execute(
            PeopleStatements.insert,
            user,
            person.currency.code,
            person.timeZone,
            person.displayName,
            Int16(clamping: person.monthStart),
            person.language,
            person.dateFormat?.rawValue,
            Int32(clamping: person.version)
        )
        guard inserted == 1 else { return }
        let account = ID<Account>.new()
        let now = Instant.now()
        try await transaction.execute(
            AccountStatements.insert,
            account,
            user,
            AccountKind.wallet.rawValue,
            person.currency.code,
            Int16(person.currency.exponent),
            defaultAccountName,
            TextFolding.caseFolded(defaultAccountName),
            nil as String?,
            nil as String?,
            true
        )
        _ = try await Outbox.append(
            AccountOpened(
                accountID: account,
                userID: user,
                kind: .wallet,
                currency: person.currency,
                openedAt: now
            ),
            of: "account:\(account)",
            in: transaction
        )
        let category = CategoryID.new()
        try await transaction.execute(
            CategoryStatements.insert,
            category,
            user,
            defaultCategoryName,
            TextFolding.caseFolded(defaultCategoryName),
            Int32(Palette.grey.rgb),
            "dots",
            nil as CategoryID?,
            CategoryType.both.rawValue,
            nil as String?,
            true
        )
        _ = try await Outbox.append(
            CategoryChanged(categoryID: category, userID: user, isDefault: true),
            of: "category:\(category)",
            in: transaction
        )
    }
}

/// A day in a time zone, from its first moment to the next one's.
struct CivilDay {
    let day: Day
    let from: Instant
    let to: Instant

    init?(of moment: Instant, in zone: String) {
        guard
            let civil = TimeZones.civilDay(ofMicroseconds: moment.microseconds, in: zone),
            let day = Day(year: civil.year, month: civil.month, day: civil.day),
            let next = day.adding(days: 1)?.parts,
            let from = TimeZones.startOfDay(
                year: civil.year,
                month: civil.month,
                day: civil.day,
                in: zone
            ),
            let to = TimeZones.startOfDay(
                year: next.year,
                month: next.month,
                day: next.day,
                in: zone
            )
        else { return nil }
        self.day = day
        self.from = Instant(microseconds: from)
        self.to = Instant(microseconds: to)
    }
}
