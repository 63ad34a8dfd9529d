import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Bounds the codes that go out in an hour, held in the database for every replica.
///
/// What is sent costs money (numbers that pay whoever owns them: toll fraud) and patience (mail
/// bombing), so that right answers give nothing back. All budgets of a code are taken, or none.
struct CodeBudget {
    /// What bounds a code.
    enum Subject {
        /// The phone or address that it goes to.
        case destination(String)
        /// Whose account it is for.
        case user(ID<User>)
        /// The line that asks.
        case line(String)
        /// The network around it.
        case network(String)
        /// The country's numbers, by calling code.
        case country(String)
        /// Every SMS.
        case all
        /// Recoveries by one address, known or not, as somebody asks for them.
        case recovery(String, Asker)
        /// What stands for nobody's phone yet: log-in has budgets of its own, which no stranger
        /// spends.
        indirect case unproved(Subject)
        /// Challenges that nothing is sent for, by the line that asks.
        case challenge(Unsent, from: String)
        /// Warnings of lockouts to one person.
        case warning(ID<User>)
        /// Notices of changes to one person: of names, or of all else.
        case notices(ID<User>, ofNames: Bool)
        /// Registrations that a line, or the network around it, tries.
        indirect case registration(Subject)
        /// Links that are mailed to one mailbox, whatever follows the `+` of its address.
        case links(to: String, Asker)
        /// Pictures that are rendered for one person.
        case pictures(of: ID<User>)
        /// Notices to a mailbox's addresses that nobody has proved.
        case unprovedNotices(to: String)

        var text: String {
            switch self {
            case .destination(let text): "to:" + text
            case .user(let user): "user:" + user.text
            case .line(let line): "line:" + line
            case .network(let network): "network:" + network
            case .country(let prefix): "country:" + prefix
            case .all: "all"
            case .recovery(let address, let asker): "recovery:" + address + asker.text
            case .unproved(let subject): "unproved:" + subject.text
            case .challenge(let kind, let line): "challenge:\(kind.rawValue):\(line)"
            case .warning(let user): "warning:" + user.text
            case .notices(let user, let isOfNames):
                "notices:\(isOfNames ? "names:" : "")" + user.text
            case .registration(let subject): "registration:" + subject.text
            case .unprovedNotices(let address):
                "notices:" + EmailAddress.mailbox(of: address)
            case .links(let address, let asker):
                "links:" + EmailAddress.mailbox(of: address) + asker.text
            case .pictures(let user): "pictures:" + user.text
            }
        }
    }

    /// Who asks for what goes to a mailbox that need not be theirs.
    enum Asker {
        /// One line, so that who asks for somebody else's does not use up the owner's.
        case line(String)
        /// The network around it, for one home has many lines.
        case network(String)
        /// Everybody, so that no mailbox is flooded.
        case anybody
        /// Any of these, where the account is known on the line: no stranger spends that.
        indirect case known(Asker)

        var text: String {
            switch self {
            case .line(let line): "@" + line
            case .network(let network): "@net:" + network
            case .anybody: ""
            case .known(let asker): asker.text + "#known"
            }
        }

        static func all(_ client: ClientNetwork) -> [Asker] {
            [.line(client.line), .network(client.network), .anybody]
        }

        /// How many an hour, of what so many are of in all.
        func most(ofAll all: Int32) -> Int32 {
            switch self {
            case .line: CodeBudget.lineMax
            case .network: CodeBudget.networkMax
            case .anybody: all
            case .known(let asker): asker.most(ofAll: all)
            }
        }
    }

    /// Challenges that nothing is sent for; each leaves a row.
    enum Unsent: String {
        case passkey
        case totp
    }

    /// How many of them there are for one code that may be sent.
    static let unsentFactor: Int32 = 60
    static let destinationMax: Int32 = 15
    static let userMax: Int32 = 20
    /// What goes to one mailbox because one line asks for it, and because one network does.
    static let lineMax: Int32 = 5
    static let networkMax: Int32 = 10
    /// Recoveries by one address, whoever asks.
    static let recoveryMax: Int32 = 30
    /// More than anybody tries for themselves; less than what fills a mailbox.
    static let linksMax: Int32 = 20
    /// More than anybody tries until they like one; each takes seconds of a core at worst.
    static let picturesMax: Int32 = 30

    private let key: [UInt8]

    init(configuration: AuthConfiguration) { key = configuration.subjectKey }

    /// Takes one of the first, then one of the second and so on, until there is none: who has used
    /// up theirs does not use up the others'.
    ///
    /// - Returns: nil, or until when there is none left.
    func takeInTurn(
        _ wanted: [(subject: Subject, most: Int32)],
        in transaction: Transaction
    ) async throws -> Instant? {
        for one in wanted {
            if let until = try await take([one], in: transaction) { return until }
        }
        return nil
    }

    /// Takes one of each, or none.
    ///
    /// - Returns: nil, or until when there is none left.
    func take(
        _ wanted: [(subject: Subject, most: Int32)],
        in database: some Querying
    ) async throws -> Instant? {
        let named = wanted.filter { $0.most > 0 }.map { (name($0.subject), $0.most) }
        guard !named.isEmpty else { return nil }
        let taken = try await database.query(
            BudgetStatements.take,
            named.map(\.0),
            named.map(\.1)
        )
        guard taken.count < named.count else { return nil }
        let full = named.map(\.0).filter { !taken.contains($0) }
        let until = try await database.queryOne(BudgetStatements.refill, full) ?? nil
        return until ?? Instant.now().adding(seconds: 60)
    }

    private func name(_ subject: Subject) -> String {
        Base64URL.encode(HMACSHA256.code("budget:\(subject.text)".utf8, key: key))
    }

    /// What a code for a phone or an address is bound by.
    static func ofCode(
        _ purpose: ChallengePurpose,
        by channel: ChallengeChannel,
        to destination: String,
        for user: ID<User>?,
        askedFrom address: String,
        _ configuration: AuthConfiguration
    ) -> [(subject: Subject, most: Int32)] {
        let client = ClientNetwork(address)
        let most = Int32(clamping: configuration.codesPerAddressMax)
        // Cannot wrap: a million at most, by the variable's range.
        var wanted: [(subject: Subject, most: Int32)] = [
            (.destination(destination), destinationMax), (.line(client.line), most),
            (.network(client.network), most &* 4),
        ]
        if let user { wanted.append((.user(user), userMax)) }
        if channel == .sms {
            let country = CallingCode.of(destination)
            wanted.append((.country(country), Int32(clamping: configuration.smsCountryMax)))
            wanted.append((.all, Int32(clamping: configuration.smsMax)))
        }
        guard purpose == .phoneVerification else { return wanted }
        return wanted.map { (.unproved($0.subject), $0.most) }
    }

    /// What registrations are bound by: each costs a hash of a password, a row and a mail.
    static func ofRegistration(
        from address: String,
        _ configuration: AuthConfiguration
    ) -> [(subject: Subject, most: Int32)] {
        let client = ClientNetwork(address)
        let most = Int32(clamping: configuration.registrationsPerAddressMax)
        // Cannot wrap: a million at most, by the variable's range.
        return [
            (.registration(.line(client.line)), most),
            (.registration(.network(client.network)), most &* 4),
        ]
    }

    /// What a challenge is bound by that nothing is sent for: a row is written for each.
    static func ofChallenge(
        _ kind: Unsent,
        askedFrom address: String,
        _ configuration: AuthConfiguration
    ) -> [(subject: Subject, most: Int32)] {
        let most = Int32(clamping: configuration.codesPerAddressMax * Int(unsentFactor))
        return [(.challenge(kind, from: ClientNetwork(address).line), most)]
    }
}

extension Instant {
    /// The seconds until then, one at least.
    var secondsLeft: Int { Int(max(1, Instant.now().microseconds(to: self) / 1_000_000 + 1)) }
}

/// The calling codes of countries.
///
/// Source: ITU-T E.164, list of assigned country codes: one digit for zones 1 and 7, two for those
/// named, else three.
enum CallingCode {
    private static let ofTwoDigits: Set<Substring> = [
        "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46",
        "47", "48", "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63",
        "64", "65", "66", "81", "82", "84", "86", "90", "91", "92", "93", "94", "95", "98",
    ]

    /// The code that a phone in E.164 begins with; of North America with its area, for some areas
    /// are other countries.
    static func of(_ phone: String) -> String {
        let digits = phone.dropFirst()
        if digits.first == "1" { return String(digits.prefix(4)) }
        if digits.first == "7" { return "7" }
        let two = digits.prefix(2)
        return String(ofTwoDigits.contains(two) ? two : digits.prefix(3))
    }
}
