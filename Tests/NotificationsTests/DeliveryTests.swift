import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import NotificationsService
@testable import ServiceKit

/// Messages on their way out: once, again, or never.
@Suite struct DeliveryTests {
    @Test func aMessageHandedOverOftenGoesOutOnce() async throws {
        try await Harness.run { actor, harness in
            let message = try Harness.message()
            let bound = LoopBound(harness, to: actor)
            let answers = try await atOnce(10, on: actor) { actor, _ in
                try await bound.on(actor).send(message)
            }
            #expect(answers.allSatisfy { $0.status == 202 })
            let receipts = try answers.map { try JSON.read(MessageReceipt.self, from: $0.body) }
            #expect(receipts.filter(\.isNew).count == 1)
            _ = try await atOnce(4, on: actor) { actor, _ in
                try await bound.on(actor).deliverAll()
            }
            let late = try await harness.send(message)
            #expect(late.status == 202)
            try await harness.deliverAll()
            #expect(harness.mail.mails.count == 1)
            let mail = try #require(harness.mail.mails.first)
            #expect(mail.recipients == ["<ada@example.org>"])
            #expect(mail.text.contains("123456"))
            let state = try await harness.state(of: message.id)
            #expect(state.name == "sent" && state.isEmptied)
        }
    }

    @Test func onlyServicesHandMessagesOver() async throws {
        try await Harness.run { _, harness in
            let body = JSON.write(try Harness.message())
            for token in [nil, harness.rig.token(of: ID<User>.new()), "x"] {
                let answer = try await harness.rig.call(
                    .post,
                    "/internal/messages",
                    body: body,
                    token: token
                )
                #expect(answer.status == 401)
            }
        }
    }

    @Test func noRecipientEndsAHeader() async throws {
        try await Harness.run { _, harness in
            for bad in ["a@b.co\r\nBcc: c@d.ef", "a@b.co\nx", "a@b.co\u{0}", "a@b.co> <c@d.ef"] {
                let message = try Harness.message(to: bad)
                let answer = try await harness.send(message)
                try await harness.deliverAll()
                if answer.status == 202 {
                    let state = try await harness.state(of: message.id)
                    #expect(state.name == "failed", "\(bad)")
                } else {
                    #expect(answer.status == 422, "\(bad)")
                }
            }
            #expect(harness.mail.mails.isEmpty)
        }
    }

    @Test func aMailIsTriedAgainLaterAndLater() async throws {
        try await Harness.run { _, harness in
            let message = try Harness.message()
            _ = try await harness.send(message)
            for attempt in 1...5 {
                harness.mail.answerNext(.refuse("451 later"))
                try await harness.makeDue()
                try await harness.deliverAll()
                let state = try await harness.state(of: message.id)
                let base = Double(1 << (attempt - 1))
                #expect(state.name == "waiting" && state.attempts == attempt)
                #expect(state.secondsLeft <= base * 1.25 && state.secondsLeft > base - 10)
            }
            try await harness.deliverAll()
            #expect(harness.mail.mails.isEmpty, "not before its time")
            try await harness.makeDue()
            try await harness.deliverAll()
            #expect(harness.mail.mails.count == 1)
        }
    }

    /// An hour's outage of the mail server loses no mail that is still of use.
    @Test func aMailIsTriedForAsLongAsItIsOfUse() async throws {
        try await Harness.run { _, harness in
            let (useful, useless) = (
                try Harness.message(), try Harness.message(lifeSeconds: -1)
            )
            _ = try await harness.send(useful)
            _ = try await harness.send(useless)
            let often = Statement<Void>("update notifications.message set attempts = 100")
            try await harness.database.execute(often)
            harness.mail.answerNext(.refuse("421 down"), .refuse("421 down"))
            try await harness.deliverAll()
            let state = try await harness.state(of: useful.id)
            #expect(state.name == "waiting" && state.secondsLeft <= 375)
            let ended = try await harness.state(of: useless.id)
            #expect(ended.name == "expired" && ended.isEmptied)
            #expect(harness.mail.mails.isEmpty)
        }
    }

    @Test func whatIsRefusedForGoodIsNotTriedAgain() async throws {
        try await Harness.run { _, harness in
            let message = try Harness.message()
            _ = try await harness.send(message)
            harness.mail.answerNext(.refuse("550 no such user <ada@example.org>"))
            try await harness.deliverAll()
            let state = try await harness.state(of: message.id)
            #expect(state.name == "failed" && state.isEmptied)
            let log = harness.rig.logText()
            #expect(log.contains("message not delivered"))
            #expect(!log.contains("ada@") && !log.contains("123456"))
        }
    }

    @Test func aMailInDoubtGoesAgainUnderItsName() async throws {
        try await Harness.run { _, harness in
            let message = try Harness.message()
            _ = try await harness.send(message)
            harness.mail.answerNext(.vanish)
            try await harness.deliverAll()
            try await harness.makeDue()
            try await harness.deliverAll()
            let names = harness.mail.mails.map { $0.field("Message-ID") }
            #expect(names.count == 2 && Set(names).count == 1)
            #expect(names.first??.contains(message.id.text) == true)
        }
    }

    @Test func aKilledReplicasMailGoesAgainAndItsSMSDoesNot() async throws {
        try await Harness.run { _, harness in
            let mail = try Harness.message()
            let sms = try Harness.message(.sms, to: "+393331234567")
            for message in [mail, sms] { _ = try await harness.send(message) }
            // Claimed, and then nothing more.
            for _ in 0..<2 { _ = try await harness.database.queryOne(MessageStatements.claim) }
            try await harness.deliverAll()
            #expect(harness.mail.mails.isEmpty, "the claim holds")
            try await harness.makeDue()
            try await harness.deliverAll()
            #expect(harness.mail.mails.count == 1)
            #expect(harness.sms.keys.isEmpty)
            let state = try await harness.state(of: sms.id)
            #expect(state.name == "doubtful")
        }
    }

    /// A claim lasts a minute and a slow provider takes a third of it: what waits behind must not
    /// count as being sent, or an SMS would be given up that nobody tried.
    @Test func whatWaitsBehindASlowProviderIsNotClaimed() async throws {
        try await Harness.run { actor, harness in
            harness.sms.beSilent(true)
            var ids: [ID<OutgoingMessage>] = []
            for number in 0..<5 {
                let message = try Harness.message(.sms, to: "+39333123456\(number)")
                ids.append(message.id)
                _ = try await harness.send(message)
            }
            let bound = LoopBound(harness, to: actor)
            let worker = actor.spawn { actor in
                _ = try? await bound.on(actor).delivery.deliverNext()
            }
            while harness.sms.keys.isEmpty { try await actor.loop.sleep(nanoseconds: 10_000_000) }
            let claimed = Statement(
                "select count(*) from notifications.message where state = 'sending'"
            ) { row in try row.int64(0) }
            let count = try await harness.database.queryOne(claimed)
            #expect(count == 1)
            harness.sms.beSilent(false)
            worker.cancel()
            await worker.value
            try await harness.deliverAll()
            // The four that were not tried went out; the first is in doubt, and says so.
            #expect(Set(harness.sms.keys).count == 5)
        }
    }

    @Test func anSMSThatTheProviderRefusesForNowGoesAgainUnderItsKey() async throws {
        try await Harness.run { _, harness in
            let message = try Harness.message(.sms, to: "+393331234567")
            _ = try await harness.send(message)
            harness.sms.answer(503)
            try await harness.deliverAll()
            harness.sms.answer(201)
            try await harness.makeDue()
            try await harness.deliverAll()
            #expect(harness.sms.keys == [message.id.text, message.id.text])
            let state = try await harness.state(of: message.id)
            #expect(state.name == "sent")
        }
    }
}
