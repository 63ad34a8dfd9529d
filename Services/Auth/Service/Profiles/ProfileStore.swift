import Crypto
import Messaging
import Postgres
import ServiceKit
import WalletProtocol

/// What a change came to.
struct ChangedProfile: Sendable {
    let before: Profile
    let profile: Profile
    /// Whether anything is another way than before, what now waits included.
    var hasChanged: Bool { before.version != profile.version }
}

/// Changes profiles: one person's row is locked, looked at, written, and told of.
final class ProfileStore {
    let database: Database
    private let messages: MessageJobs
    let notices: SecurityNotices
    private let audit: AuditLog
    private let verifications: EmailVerifications
    private let publicURL: String
    private let relayBell: RelayBell

    init(
        database: Database,
        messages: MessageJobs,
        audit: AuditLog,
        configuration: AuthConfiguration,
        relayBell: RelayBell
    ) {
        self.database = database
        self.messages = messages
        notices = SecurityNotices(messages: messages, configuration: configuration)
        self.audit = audit
        publicURL = configuration.publicURL
        verifications = EmailVerifications(messages: messages, configuration: configuration)
        self.relayBell = relayBell
    }

    /// Changes one's own profile in a transaction of its own, and tells the audit log what its
    /// owner did.
    func change(
        by change: ProfileChange,
        of holder: SessionHolder,
        ifMatch: EntityTags?,
        from origin: AuditOrigin = .within
    ) async throws -> Profile {
        try await committing { [self] transaction in
            let changed = try await apply(
                change,
                of: holder,
                to: holder.user,
                ifMatch: ifMatch,
                in: transaction
            )
            guard change.author == .owner else { return changed }
            try await audit.append(
                ProfileAudit.entries(of: changed, from: origin),
                in: transaction
            )
            return changed
        }.profile
    }

    /// Runs what writes profiles, tells what is taken as such, and has the events published.
    func committing<Value: Sendable>(
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        let value = try await tellingTaken {
            try await database.transaction { try await body($0) }
        }
        relayBell.ring()
        return value
    }

    /// Runs what writes profiles, and tells what is taken as such.
    func tellingTaken<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as DatabaseError {
            throw TakenNames(error)?.refusal ?? error
        }
    }

    /// Changes a profile within a transaction: its row is locked until the end.
    ///
    /// Order of checks: there is such a person, the session of who asks is open, `If-Match`, names
    /// taken. A change that changes
    /// nothing writes nothing. Who calls has `committing` around it.
    /// - Throws: 404, 401, 412, 409 `email-taken` and so on with every field that is.
    func apply(
        _ change: ProfileChange,
        of holder: SessionHolder,
        to id: ID<User>,
        ifMatch: EntityTags?,
        in transaction: Transaction
    ) async throws -> ChangedProfile {
        let old = try await locked(id, in: transaction)
        try await holder.requireStillOpen(in: transaction)
        try ifMatch.check(old.version)
        let new = change.applied(to: old)
        let email = change.email.flatMap { $0.text == old.email ? nil : $0 }
        let taken = try await transaction.queryOne(
            ProfileStatements.taken,
            id,
            email?.folded,
            new.username == old.username ? nil : change.username?.folded,
            new.username == old.username ? nil : change.username?.skeleton,
            change.fields.phone.content,
            new.username == old.username ? nil : change.username?.foldedSkeleton
        )
        if let refusal = taken?.refusal { throw refusal }
        var waits = try await putEmail(change, for: old, in: transaction)
        waits = try await putPhone(change, for: old, in: transaction) || waits
        guard waits || new != old else { return ChangedProfile(before: old, profile: old) }
        if new.phone != old.phone, let token = change.fields.phoneToken {
            try await PhoneToken.use(token, in: transaction)
        }
        try await write(new, change.username, in: transaction)
        let profile = try await read(id, in: transaction)
        if new != old { try await announce(profile, in: transaction) }
        for notice in ProfileChange.notices(from: old, to: new) {
            try await notices.tell(notice, to: old, in: transaction)
        }
        return ChangedProfile(before: old, profile: profile)
    }

    /// - Returns: whether another address waits than before.
    private func putEmail(
        _ change: ProfileChange,
        for old: Profile,
        in transaction: Transaction
    ) async throws -> Bool {
        guard let email = change.email else { return false }
        if email.text == old.email {
            guard old.pendingEmail != nil else { return false }
            try await transaction.execute(
                PendingChangeStatements.drop,
                old.id,
                PendingField.email.rawValue
            )
            try await transaction.execute(VerificationStatements.endOthers, old.id, old.email)
            return true
        }
        let waiting = try await transaction.queryOne(
            PendingChangeStatements.find,
            old.id,
            PendingField.email.rawValue
        )
        if waiting?.value == email.text, waiting?.author == change.author { return false }
        // Links to an address that waited before are dead.
        try await transaction.execute(VerificationStatements.endOthers, old.id, old.email)
        try await put(.email, email.text, by: change.author, for: old, in: transaction)
        if change.author == .owner {
            try await verifications.send(
                to: email.text,
                of: old.id,
                language: old.language,
                askedFrom: change.line,
                in: transaction
            )
            try await notices.tell(.email, to: old, in: transaction)
        }
        return true
    }

    /// - Returns: whether another phone waits than before.
    private func putPhone(
        _ change: ProfileChange,
        for old: Profile,
        in transaction: Transaction
    ) async throws -> Bool {
        guard !change.fields.phone.isUnchanged else { return false }
        let wanted = change.fields.phone.applied(to: old.phone)
        let waiting = try await transaction.queryOne(
            PendingChangeStatements.find,
            old.id,
            PendingField.phone.rawValue
        )
        if change.author == .owner || wanted == old.phone {
            guard waiting != nil else { return false }
            try await transaction.execute(
                PendingChangeStatements.drop,
                old.id,
                PendingField.phone.rawValue
            )
            return true
        }
        if let waiting, waiting.value == wanted { return false }
        try await put(.phone, wanted, by: .admin, for: old, in: transaction)
        return true
    }

    private func put(
        _ field: PendingField,
        _ value: String?,
        by author: ChangeAuthor,
        for old: Profile,
        in transaction: Transaction
    ) async throws {
        let token = randomBytes(32)
        let isAdmins = author == .admin
        try await transaction.execute(
            PendingChangeStatements.put,
            old.id,
            field.rawValue,
            value,
            author.rawValue,
            isAdmins ? Instant.now().adding(seconds: PendingChange.waitSeconds) : nil,
            isAdmins ? SHA256.digest(token) : nil
        )
        guard isAdmins else { return }
        let link = publicURL + "/profile-change?token=" + Base64URL.encode(token)
        let new: (MessageChannel, String)? = value.map { (field == .email ? .email : .sms, $0) }
        let phone: (MessageChannel, String)? =
            field == .phone ? old.phone.map { (.sms, $0) } : nil
        // The address is always asked, for it is where the person is known to be.
        for (target, link) in [((.email, old.email), link), (phone, link), (new, "")] {
            guard let (channel, recipient) = target else { continue }
            try await messages.add(
                .profileChange,
                by: channel,
                to: recipient,
                language: old.language,
                user: old.id,
                parameters: ["field": field.rawValue, "link": link],
                lifeSeconds: PendingChange.waitSeconds,
                in: transaction
            )
        }
    }

    private func write(
        _ new: Profile,
        _ username: Username?,
        in transaction: Transaction
    ) async throws {
        try await transaction.execute(
            ProfileStatements.change,
            new.id,
            new.username,
            username?.folded,
            username?.skeleton,
            new.firstName,
            new.lastName,
            new.dateOfBirth,
            new.phone,
            new.area,
            new.theme.rawValue,
            new.language,
            new.currency,
            new.dateFormat?.rawValue,
            new.timeZone,
            Int16(clamping: new.monthStart),
            username?.foldedSkeleton
        )
    }

    // MARK: Shared with what settles what waits

    /// Who is being erased is nobody any more: what is told of them now comes behind the order to
    /// forget.
    func locked(_ id: ID<User>, in transaction: Transaction) async throws -> Profile {
        guard try await transaction.queryOne(ProfileStatements.lock, id) != nil,
            try await transaction.queryOne(ErasureStatements.isErasing, id) != true
        else { throw APIError.notFound }
        return try await read(id, in: transaction)
    }

    func read(_ id: ID<User>, in transaction: Transaction) async throws -> Profile {
        guard let profile = try await transaction.queryOne(UserStatements.profile, id) else {
            throw APIError.notFound
        }
        return profile
    }

    /// Tells of a changed profile: at once whose it is, and by an event what it is like.
    func announce(_ profile: Profile, in transaction: Transaction) async throws {
        try await transaction.execute(
            RevocationStatements.changePerson,
            profile.id.text,
            profile.version,
            Instant.now().adding(seconds: PeopleVersions.toldSeconds)
        )
        _ = try await Outbox.append(
            profile.changed,
            of: "user:\(profile.id.text)",
            in: transaction
        )
    }

    /// Mails the link of an address: the current one where none is named.
    /// - Returns: nil, or until when nothing is mailed.
    @discardableResult
    func sendVerification(
        _ profile: Profile,
        to email: String? = nil,
        askedFrom line: String? = nil,
        in transaction: Transaction
    ) async throws -> Instant? {
        try await verifications.send(
            to: email ?? profile.email,
            of: profile.id,
            language: profile.language,
            askedFrom: line,
            in: transaction
        )
    }
}
