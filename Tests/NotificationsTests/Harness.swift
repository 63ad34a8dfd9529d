import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import NotificationsService
@testable import ServiceKit

/// Notifications on a real database, with a mail server and an SMS provider.
struct Harness {
    let rig: ServiceRig
    let delivery: MessageDelivery
    let mail: MailServer
    let sms: SMSProvider
    var database: Database { rig.service.database }

    static func run(
        _ body: @escaping @Sendable (isolated LoopActor, Harness) async throws -> Void
    ) async throws {
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        let (mail, sms) = (MailServer(), SMSProvider())
        defer { mail.stop() }
        let port = try await sms.listen(on: group)
        let environment = [
            "EZWALLET_SEALING_SECRET": ServiceRig.secret,
            "EZWALLET_SMTP_URL": "smtp://127.0.0.1:\(mail.port)",
            "EZWALLET_SMS_URL": "http://127.0.0.1:\(port)/messages",
        ]
        try await ServiceRig.run(notificationsService, environment: environment) { actor, rig in
            let harness = Harness(
                rig: rig,
                delivery: MessageDelivery(rig.service, seal: try seal()),
                mail: mail,
                sms: sms
            )
            try await body(actor, harness)
        }
    }

    static func seal() throws -> Seal {
        try #require(Seal(key: SHA256.digest(ServiceRig.secret.utf8)))
    }

    /// A message as auth hands it over.
    static func message(
        _ channel: MessageChannel = .email,
        to recipient: String = "ada@example.org",
        id: ID<OutgoingMessage> = .new(),
        lifeSeconds: Int64 = 3_600
    ) throws -> NewMessage {
        let parameters = JSONTree.object([
            JSONMember("code", .string("123456")), JSONMember("minutes", .string("5")),
        ])
        return NewMessage(
            id: id,
            template: .logInCode,
            channel: channel,
            recipient: recipient,
            language: "en",
            sealedParameters: Base64URL.encode(
                try seal().seal(JSON.write(parameters), context: id.bytes)
            ),
            expiresAt: Instant.now().adding(seconds: lifeSeconds)
        )
    }

    /// Hands a message over as a service does.
    func send(_ message: NewMessage) async throws -> ServiceRig.Answer {
        try await rig.call(
            .post,
            "/internal/messages",
            body: JSON.write(message),
            token: rig.token(of: .auth)
        )
    }

    /// Where a message stands.
    func state(of id: ID<OutgoingMessage>) async throws -> MessageState {
        let find = Statement(
            """
            select state, attempts, sealed is null,
                extract(epoch from next_attempt_at - now())::float8
            from notifications.message
            where id = $1
            """
        ) { row in
            try MessageState(
                name: row.string(0),
                attempts: row.int32(1),
                isEmptied: row.bool(2),
                secondsLeft: row.double(3)
            )
        }
        return try #require(try await database.queryOne(find, id))
    }

    /// Lets time pass for every message.
    func makeDue() async throws {
        let due = Statement<Void>(
            """
            update notifications.message
            set next_attempt_at = now() - interval '1 second',
                claimed_until = claimed_until - interval '1 hour'
            where state in ('waiting', 'sending')
            """
        )
        try await database.execute(due)
    }

    /// Delivers until nothing is due.
    func deliverAll() async throws {
        while try await delivery.deliverNext() {}
    }

    /// An invitation of `user`, as groups tells of it.
    func invitation(
        of user: ID<User>,
        at time: Instant = .now(),
        sequence: Int64 = 1
    ) -> EventEnvelope {
        EventEnvelope(
            id: ID<Event>.at(time, random: PlainRandom.next()),
            source: .groups,
            time: time,
            aggregate: "group:1",
            sequence: sequence,
            body: InvitationSent(
                invitationID: .new(),
                groupID: .new(),
                userID: user,
                invitedBy: .new()
            )
        )
    }

    /// An event of a group, of now.
    func event(_ body: some EventBody) -> EventEnvelope {
        EventEnvelope(
            id: .new(),
            source: .groups,
            time: .now(),
            aggregate: "group:1",
            sequence: 1,
            body: body
        )
    }

    /// Applies events, each in a transaction of its own.
    func apply(_ events: EventEnvelope...) async throws {
        for event in events {
            try await database.transaction { transaction in
                try await FeedEvents.apply([event], in: transaction)
            }
        }
    }
}

extension Harness {
    /// Applies postings as the journal's consumer does.
    func follow(_ postings: [TransactionPosted]) async throws {
        try await database.transaction { transaction in
            try await TransfersReceived.apply(postings, in: transaction)
        }
    }
}

struct MessageState: Equatable, Sendable {
    let name: String
    let attempts: Int32
    let isEmptied: Bool
    let secondsLeft: Double
}
