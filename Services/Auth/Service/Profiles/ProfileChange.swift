import Text
import WalletProtocol

/// Who wants a profile to be another way.
enum ChangeAuthor: String, Sendable {
    /// The person: a new e-mail waits for its own link, a phone is proved by its code.
    case owner
    /// An administrator: e-mail and phone wait for the person's consent, or seven days.
    case admin
}

/// A change of a profile whose fields are good in themselves; what is taken, the database knows.
struct ProfileChange: Sendable {
    let author: ChangeAuthor
    let fields: ProfileChanges
    /// The address asked for.
    let email: EmailAddress?
    /// The name asked for.
    let username: Username?
    /// The line that it is asked for from, where links are mailed for it.
    var line: String?
    private let firstName: Patch<String>
    private let lastName: Patch<String>

    /// - Throws: 422 with every wrong field.
    init(_ body: ProfileChanges, by author: ChangeAuthor, phoneKeys: [[UInt8]]) throws(APIError) {
        self.author = author
        fields = body
        var checks = FieldChecks()
        email = body.email.content.flatMap { checks.email($0) }
        username = body.username.content.flatMap { checks.username($0) }
        let first = checks.name("/firstName", body.firstName.content)
        let last = checks.name("/lastName", body.lastName.content)
        firstName = first.map { .set($0) } ?? body.firstName
        lastName = last.map { .set($0) } ?? body.lastName
        checks.birth(body.dateOfBirth.content)
        checks.language(body.language.content)
        checks.area(body.area.content)
        checks.timeZone(body.timeZone.content)
        checks.phone(
            body.phone.content,
            body.phoneToken,
            keys: phoneKeys,
            needsProof: author == .owner
        )
        try checks.finish()
    }

    /// Whether it asks for what an intruder would ask for: another way to reach the person.
    var needsProof: Bool { email != nil || !fields.phone.isUnchanged }

    /// Whether it can be seen by it that a name is somebody's.
    var namesSomething: Bool { username != nil || needsProof }

    /// The profile with what is in force at once: what was left out stays, null clears.
    func applied(to old: Profile) -> Profile {
        var new = old
        if let username { new.username = username.text }
        new.firstName = firstName.applied(to: old.firstName)
        new.lastName = lastName.applied(to: old.lastName)
        new.dateOfBirth = fields.dateOfBirth.applied(to: old.dateOfBirth)
        if author == .owner { new.phone = fields.phone.applied(to: old.phone) }
        new.area = fields.area.applied(to: old.area)
        new.theme = fields.theme.applied(to: old.theme)
        new.language = fields.language.applied(to: old.language)
        new.currency = fields.currency.applied(to: old.currency)
        new.dateFormat = fields.dateFormat.applied(to: old.dateFormat)
        new.timeZone = fields.timeZone.applied(to: old.timeZone)
        new.monthStart = fields.monthStart.applied(to: old.monthStart)
        return new
    }

    /// Which changes between two profiles their owner is told of.
    static func notices(from old: Profile, to new: Profile) -> [SecurityChange] {
        var notices: [SecurityChange] = []
        if old.email != new.email { notices.append(.email) }
        if old.username != new.username { notices.append(.username) }
        if old.firstName != new.firstName || old.lastName != new.lastName {
            notices.append(.names)
        }
        if old.phone != new.phone { notices.append(.phone) }
        return notices
    }
}
