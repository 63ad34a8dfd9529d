/// How a client looks.
public enum Theme: String, StringEnum {
    /// Dark on light.
    case light
    /// Light on dark.
    case dark
    /// As the device does.
    case system
}

/// A language that documents or messages have texts in.
public struct LanguageView: JSONObject, Hashable {
    public let tag: String
    public let name: String

    public init(tag: String, name: String) {
        self.tag = tag
        self.name = name
    }

    public static let json = Object(
        LanguageView.init,
        Field(
            "tag",
            \.tag,
            about: "The language tag of BCP 47, which a profile's `language` takes."
        ),
        Field("name", \.name, about: "The name of the language in the language itself.")
    )
}

/// What is to be another way in a profile; what is left out stays.
public struct ProfileChanges: JSONObject, Hashable {
    public let email: Replace<String>
    public let username: Replace<String>
    public let firstName: Patch<String>
    public let lastName: Patch<String>
    public let dateOfBirth: Patch<Day>
    public let phone: Patch<String>
    public let phoneToken: String?
    public let area: Patch<String>
    public let theme: Replace<Theme>
    public let language: Replace<String>
    public let currency: Replace<Currency>
    public let dateFormat: Patch<DateFormat>
    public let timeZone: Replace<String>
    public let monthStart: Replace<Int>
    public let password: String?

    public init(
        email: Replace<String> = .unchanged,
        username: Replace<String> = .unchanged,
        firstName: Patch<String> = .unchanged,
        lastName: Patch<String> = .unchanged,
        dateOfBirth: Patch<Day> = .unchanged,
        phone: Patch<String> = .unchanged,
        phoneToken: String? = nil,
        area: Patch<String> = .unchanged,
        theme: Replace<Theme> = .unchanged,
        language: Replace<String> = .unchanged,
        currency: Replace<Currency> = .unchanged,
        dateFormat: Patch<DateFormat> = .unchanged,
        timeZone: Replace<String> = .unchanged,
        monthStart: Replace<Int> = .unchanged,
        password: String? = nil
    ) {
        self.email = email
        self.username = username
        self.firstName = firstName
        self.lastName = lastName
        self.dateOfBirth = dateOfBirth
        self.phone = phone
        self.phoneToken = phoneToken
        self.area = area
        self.theme = theme
        self.language = language
        self.currency = currency
        self.dateFormat = dateFormat
        self.timeZone = timeZone
        self.monthStart = monthStart
        self.password = password
    }

    public static let json = Object(
        ProfileChanges.init,
        Field(
            "email",
            \.email,
            .line(0...512),
            about: "The address; in force once it is verified."
        ),
        Field("username", \.username, .line(0...256), about: "The public name."),
        Field("firstName", \.firstName, .line(1...80), about: "The given name."),
        Field("lastName", \.lastName, .line(1...80), about: "The family name."),
        Field("dateOfBirth", \.dateOfBirth, about: "The day of birth."),
        Field(
            "phone",
            \.phone,
            .line(0...64),
            about: "The phone, E.164, proved by `phoneToken`; null takes it away."
        ),
        Field(
            "phoneToken",
            \.phoneToken,
            .line(1...256),
            about: "The proof that a code on that phone gave."
        ),
        Field("area", \.area, .line(0...64), about: "The region."),
        Field("theme", \.theme, about: "How clients look."),
        Field("language", \.language, .line(0...64), about: "The language."),
        Field("currency", \.currency, about: "The currency of totals."),
        Field(
            "dateFormat",
            \.dateFormat,
            about: "How days are written; null: as the language does."
        ),
        Field("timeZone", \.timeZone, .line(0...64), about: "The time zone."),
        Field(
            "monthStart",
            \.monthStart,
            .range(1...28),
            about: "The day on which a month of one's own begins."
        ),
        Field(
            "password",
            \.password,
            .secret(1...Passwords.charactersMax),
            about: "The password, in place of a fresh proof, where e-mail or phone change."
        )
    )
}

/// One's own profile, and what waits to become of it.
public enum Profiles {
    /// Changes the profile of who asks.
    public static let change = Endpoint<NoQuery, ProfileChanges, UserView>(
        "changeMe",
        .patch,
        "/v1/users/me",
        of: .auth,
        for: .signedIn,
        errors: [
            .emailTaken, .usernameTaken, .phoneTaken, .preconditionFailed, .stepUpRequired,
            .wrongPassword, .tooManyRequests, .lockedOut,
        ],
        isTagged: true,
        summary: "Change one's own profile",
        description: """
            What is left out stays; null clears an optional field. An e-mail waits as \
            `pendingEmail` until the link mailed to it is followed. E-mail and phone want a proof \
            not older than 10 min, or `password`; each change of e-mail, username, names or phone \
            is mailed.
            """
    )

    /// Mails the link of an address that is not verified yet once more.
    public static let resend = Endpoint<NoQuery, NoBody, NoView>(
        "sendEmailVerification",
        .post,
        "/v1/email-verifications",
        of: .auth,
        for: .signedIn,
        errors: [.alreadyVerified, .tooManyRequests],
        summary: "Mail the confirmation link again",
        description: "To the pending address where there is one, else to the current one."
    )

    /// Puts into force what an administrator wants of a profile.
    public static let confirmChange = Endpoint<NoQuery, NoBody, NoView>(
        "confirmProfileChange",
        .post,
        "/v1/profile-changes/{token}/confirmation",
        of: .auth,
        for: .anyone,
        idempotency: .ignored,
        errors: [.notFound, .emailTaken, .phoneTaken],
        summary: "Accept an administrator's change of e-mail or phone, by the link told of it"
    )

    /// Refuses what an administrator wants of a profile.
    public static let rejectChange = Endpoint<NoQuery, NoBody, NoView>(
        "rejectProfileChange",
        .post,
        "/v1/profile-changes/{token}/rejection",
        of: .auth,
        for: .anyone,
        idempotency: .ignored,
        errors: [.notFound],
        summary: "Reject an administrator's change of e-mail or phone, by the link told of it"
    )

    /// The languages that there are texts in.
    public static let languages = Endpoint<NoQuery, NoBody, Page<LanguageView>>(
        "listLanguages",
        .get,
        "/v1/languages",
        of: .auth,
        for: .anyone,
        summary: "Every language that documents or messages have texts in",
        description: """
            A profile's `language` is one of these tags, or one of them with a region, as in \
            `de-AT`, by which dates and numbers are written. Messages that lack a language are in \
            English.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [
        change.erased, resend.erased, confirmChange.erased, rejectChange.erased, languages.erased,
    ]
}
