import Text
import WalletProtocol

/// What groups knows of a user.
struct Person: Sendable, Hashable {
    let id: ID<User>
    let username: String
    let email: String
    var isEmailVerified: Bool
    let displayName: String
    let timeZone: String
    let currency: Currency
    let language: String
    /// Of their profile, by which auth tells of a change.
    var version = 0

    /// The day in the person's time zone.
    func day(at instant: Instant) -> Day { Self.day(at: instant, in: timeZone) }

    /// The day in a time zone; in UTC, where the zone is not known.
    static func day(at instant: Instant, in zone: String) -> Day {
        let civil = TimeZones.civilDay(ofMicroseconds: instant.microseconds, in: zone)
        let day = civil.flatMap { Day(year: $0.year, month: $0.month, day: $0.day) }
        // Cannot fire: every caller asks for the day of our own clock, which is no year 10,000.
        guard let day = day ?? Day(utc: instant) else {
            preconditionFailure("a clock outside the calendar")
        }
        return day
    }

    /// How the others see somebody: by the name given, else by the username.
    static func displayName(first: String?, last: String?, username: String) -> String {
        let full = [first, last].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
        return full.isEmpty ? username : full
    }
}

extension Person {
    init(_ user: InternalUser) {
        self.init(
            id: user.id,
            username: user.username,
            email: user.email,
            isEmailVerified: user.emailVerified,
            displayName: Person.displayName(
                first: user.firstName,
                last: user.lastName,
                username: user.username
            ),
            timeZone: user.timeZone,
            currency: user.currency,
            language: user.language,
            version: user.version
        )
    }

    /// A proven address is told by a change; who has just registered has none.
    init(_ user: UserRegistered) {
        self.init(
            id: user.userID,
            username: user.username,
            email: user.email,
            isEmailVerified: false,
            displayName: Person.displayName(
                first: user.firstName,
                last: user.lastName,
                username: user.username
            ),
            timeZone: user.timeZone,
            currency: user.currency,
            language: user.language,
            version: user.version
        )
    }

    init(_ user: UserChanged) {
        self.init(
            id: user.userID,
            username: user.username,
            email: user.email,
            isEmailVerified: user.emailVerified,
            displayName: Person.displayName(
                first: user.firstName,
                last: user.lastName,
                username: user.username
            ),
            timeZone: user.timeZone,
            currency: user.currency,
            language: user.language,
            version: user.version
        )
    }
}
