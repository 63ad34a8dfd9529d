import TestKit
import WalletProtocol

@testable import AnalyticsService

/// Random people who use the suite from January to May 2024, what is told of it, and what the
/// figures are by counting anew.
struct UsageHistory {
    /// What somebody did on a day, whatever comes of it.
    enum Deed: Hashable {
        case active
        case step(UsageStep)
        case file(UsedFileKind, UsedFileFormat)

        /// Of a file that went this way.
        func format(_ kind: UsedFileKind) -> UsedFileFormat? {
            guard case .file(kind, let format) = self else { return nil }
            return format
        }
    }

    struct Person {
        let id = ID<User>.new()
        let registered: Day
        let area: String?
        let born: Day?
        let language: String
        let isUser: Bool
        /// The release before which they were erased: 0 is the first; nil for those who stay.
        let erasedBefore: Int?
        var deeds: [(day: Day, deed: Deed)] = []

        var cohort: Month { registered.month }
    }

    private(set) var people: [Person] = []
    /// When releases are made: January and February are told by the first, March and April by the
    /// second.
    static let releases = ["2024-03-10", "2024-05-10"].compactMap { Day($0) }
    static let months = (1...4).compactMap { Month(year: 2_024, month: $0) }
    private static let areas = ["IT-RM", "IT-MI", "FR", nil]
    private static let births = ["1950-05-01", "1990-02-28", "2007-03-03", nil].map { text in
        text.flatMap { Day($0) }
    }

    init(count: Int, using random: inout SeededGenerator) {
        for _ in 0..<count { people.append(Self.person(&random)) }
        // A month is told once a later day has been seen.
        var witness = Person(
            registered: Self.months[0].firstDay,
            area: nil,
            born: nil,
            language: "it",
            isUser: true,
            erasedBefore: nil
        )
        for day in Self.releases.compactMap({ $0.adding(days: -1) }) {
            witness.deeds.append((day, .active))
        }
        people.append(witness)
    }

    private static func person(_ random: inout SeededGenerator) -> Person {
        let day = Day("2024-01-01")?.adding(days: Int.random(in: 0..<120, using: &random))
        var person = Person(
            registered: day ?? releases[0],
            area: areas.randomElement(using: &random) ?? nil,
            born: births.randomElement(using: &random) ?? nil,
            language: ["it", "en"].randomElement(using: &random) ?? "it",
            isUser: Int.random(in: 0..<8, using: &random) > 0,
            erasedBefore: Int.random(in: 0..<6, using: &random) == 0
                ? Int.random(in: 0...1, using: &random) : nil
        )
        let steps: [UsageStep] = [.transaction, .group, .transfer]
        for _ in 0..<Int.random(in: 0..<40, using: &random) {
            let later = person.registered.adding(days: Int.random(in: 0..<110, using: &random))
            guard let later, later < releases[1] else { continue }
            let deed: Deed =
                switch Int.random(in: 0..<8, using: &random) {
                case 0: .step(steps.randomElement(using: &random) ?? .group)
                case 1: .file(.import, [.csv, .qif].randomElement(using: &random) ?? .csv)
                case 2: .file(.export, [.pdf, .csv, .ofx].randomElement(using: &random) ?? .pdf)
                default: .active
                }
            person.deeds.append((later, deed))
            if deed != .active { person.deeds.append((later, .active)) }
        }
        return person
    }

    // MARK: Telling

    /// What comes before a release, in a random order across people and services, with doubles.
    func events(before release: Int, using random: inout SeededGenerator) -> [EventEnvelope] {
        let from = release == 0 ? nil : Self.releases[release - 1]
        let isNow = { (day: Day) in
            day < Self.releases[release] && (from.map { $0 <= day } ?? true)
        }
        var strands: [[EventEnvelope]] = []
        for person in people {
            var own: [EventEnvelope] = []
            if isNow(person.registered) { own += registration(of: person) }
            for (day, deed) in person.deeds where isNow(day) {
                let event = event(of: person, day, deed, &random)
                if event.source.hasSuffix("auth") {
                    own.append(event)
                } else {
                    strands.append([event])
                }
            }
            if person.erasedBefore == release {
                let at = Self.releases[release].startUTC
                own.append(envelope(UserErased(userID: person.id, erasedAt: at), from: .auth))
            }
            strands.append(own)
        }
        var all: [EventEnvelope] = []
        strands = strands.filter { !$0.isEmpty }
        while !strands.isEmpty {
            let index = Int.random(in: 0..<strands.count, using: &random)
            let event = strands[index].removeFirst()
            if strands[index].isEmpty { strands.remove(at: index) }
            all += Int.random(in: 0..<4, using: &random) == 0 ? [event, event] : [event]
        }
        return all
    }

    private func registration(of person: Person) -> [EventEnvelope] {
        let registered = UserRegistered(
            userID: person.id,
            username: "u",
            email: "u@example.org",
            area: "DE",
            language: "de",
            timeZone: "UTC",
            currency: .eur,
            registeredAt: person.registered.startUTC.adding(seconds: 80_000),
            roles: person.isUser ? [.user] : [.coo]
        )
        let changed = UserChanged(
            userID: person.id,
            username: "u",
            email: "u@example.org",
            emailVerified: true,
            dateOfBirth: person.born,
            area: person.area,
            language: person.language,
            timeZone: "UTC",
            currency: .eur,
            enabled: true
        )
        return [envelope(registered, from: .auth), envelope(changed, from: .auth)]
    }

    private func event(
        of person: Person,
        _ day: Day,
        _ deed: Deed,
        _ random: inout SeededGenerator
    ) -> EventEnvelope {
        let moment = day.startUTC.adding(seconds: Int64.random(in: 0..<86_400, using: &random))
        let user = person.id
        switch deed {
        case .active: return envelope(UserActive(userID: user, day: day), from: .auth)
        case .step(.group):
            let joined = GroupMemberJoined(
                groupID: .new(),
                memberID: .new(),
                userID: user,
                joinedAt: moment
            )
            return envelope(joined, from: .groups)
        case .step(let step):
            return envelope(posting(of: user, at: moment, isTransfer: step == .transfer))
        case .file(.import, .csv):
            let body = StatementImported(importID: .new(), userID: user, format: .csv)
            return envelope(body, at: moment)
        case .file(.import, _):
            let body = StatementImported(importID: .new(), userID: user, format: .qif)
            return envelope(body, at: moment)
        case .file(.export, let format):
            let type: StatementFileType = format == .csv ? .csv : format == .ofx ? .ofx : .pdf
            let body = StatementExported(exportID: .new(), userID: user, format: type)
            return envelope(body, at: moment)
        }
    }

    /// A transfer to an own account is no expense.
    private func posting(
        of user: ID<User>,
        at moment: Instant,
        isTransfer: Bool
    ) -> TransactionPosted {
        TransactionPosted(
            source: JournalLine(entryID: .new(), place: 1),
            transactionID: .new(),
            version: 1,
            kind: .posted,
            userID: user,
            accountID: .new(),
            accountKind: .wallet,
            amount: Money(minorUnits: -100, .eur),
            day: Self.releases[0],
            categoryID: .new(),
            transferID: isTransfer ? .new() : nil,
            isOwnTransfer: isTransfer,
            recordedAt: moment
        )
    }

    // MARK: Counting

    /// The release that tells of a month.
    private static func release(of month: Month) -> Int { month <= months[1] ? 0 : 1 }

    /// Whether somebody is gone before a release.
    private static func isGone(_ person: Person, before release: Int) -> Bool {
        person.erasedBefore.map { $0 <= release } ?? false
    }

    /// Those that registered in a month and were there with its release; nobody forgets them.
    func cohort(_ month: Month) -> [Person] {
        people.filter {
            $0.isUser && $0.cohort == month && !Self.isGone($0, before: Self.release(of: month))
        }
    }

    /// Those of all cohorts that did something in a month and were not erased before it was told.
    private func doers(in month: Month, _ isDone: (Deed) -> Bool) -> [(Person, [Day])] {
        Self.months.filter { $0 <= month }.flatMap(cohort).filter {
            !Self.isGone($0, before: Self.release(of: month))
        }.compactMap { person in
            let days = person.deeds.filter { $0.day.month == month && isDone($0.deed) }.map(\.day)
            return days.isEmpty ? nil : (person, days)
        }
    }

    /// What a cell of an answer must be where it is told; nil where it must be of nobody.
    func figures(of cell: UsageCell, _ measure: UsageMeasure) -> UsageFigures? {
        var sum: UsageFigures?
        func add(_ person: Person, days: Set<Day> = [], times: Int = 0) {
            guard isIn(cell, person) else { return }
            let weeks = Set(days.map { $0.daysSince1970 - Int32($0.weekday) })
            let ofWeeks = (0..<cell.figuresMonth.dayCount).count { number in
                guard let day = cell.figuresMonth.firstDay.adding(days: number) else {
                    return false
                }
                return weeks.contains(day.daysSince1970 - Int32(day.weekday))
            }
            let own = UsageFigures(
                users: 1,
                days: Int64(days.count),
                weekDays: Int64(ofWeeks),
                times: Int64(times)
            )
            sum = (sum ?? UsageFigures()) + own
        }
        let month = cell.figuresMonth
        switch measure {
        case .registrations: cohort(month).forEach { add($0) }
        case .active: doers(in: month) { $0 == .active }.forEach { add($0, days: Set($1)) }
        case .retention:
            doers(in: month) { $0 == .active }.filter { $0.0.cohort == cell.month }
                .forEach { add($0.0, days: Set($0.1)) }
        case .imports, .exports:
            let kind: UsedFileKind = measure == .imports ? .import : .export
            for (person, days) in doers(in: month, { $0.format(kind) != nil }) {
                let formats = Set(
                    person.deeds.filter { $0.day.month == month }
                        .compactMap { $0.deed.format(kind) }
                )
                guard
                    cell.kind.map({ formats.count > 1 ? $0 == .several : formats == [$0] }) ?? true
                else { continue }
                add(person, times: Set(days).count)
            }
        case .funnel:
            let next = month.adding(1) ?? month
            let wanted = UsageStep.allCases.prefix { $0.level <= (cell.step?.level ?? 0) }
            for person in cohort(month) {
                let isGone = Self.isGone(person, before: Self.release(of: next))
                let done = Set(
                    person.deeds.filter { $0.day <= next.lastDay && !isGone }.map(\.deed)
                )
                guard wanted.dropFirst().allSatisfy({ done.contains(.step($0)) }) else { continue }
                add(person)
            }
        }
        return sum
    }

    private func isIn(_ cell: UsageCell, _ person: Person) -> Bool {
        let ageBand: AgeBand =
            switch person.born?.text.prefix(4) {
            case "1950": .from65
            case "1990": .from25
            case "2007": .under18
            default: .unknown
            }
        return (cell.area.map { $0 == person.area ?? "unknown" } ?? true)
            && (cell.ageBand.map { $0 == ageBand } ?? true)
            && (cell.language.map { $0 == person.language } ?? true)
    }
}

extension UsageCell {
    /// The month that the figures are of.
    var figuresMonth: Month { later.flatMap { month.adding($0) } ?? month }
}
