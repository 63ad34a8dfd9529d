import HTTP
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What is mailed to whom, and how much of it.
@Suite struct MailBoundTests {
    private func rename(
        _ harness: Harness,
        _ name: String,
        as token: String?
    ) async throws -> Int {
        try await harness.call(
            .patch,
            "/v1/users/me",
            Array(#"{"firstName":"\#(name)"}"#.utf8),
            as: token
        ).status
    }

    // MARK: Notices

    @Test func whoRegistersAnothersAddressesFillsNoMailbox() async throws {
        try await Harness.run { _, harness in
            var told = 0
            for tag in ["a", "b"] {
                let person = try await harness.register(email: "victim+\(tag)@example.org")
                for number in 0..<15 {
                    let status = try await self.rename(
                        harness,
                        "Name \(number)",
                        as: person.session.accessToken
                    )
                    #expect(status == 200)
                }
                told += try await harness.notices(to: person.email).count
            }
            #expect(told == Int(SecurityNotices.most))
        }
    }

    @Test func theOldAddressIsToldOfANewOneThoughNobodyProvedIt() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.registerWithPasskey(isProved: false)
            let before = try await harness.notices(to: person.email).count
            let moved = try await harness.patch(
                person.session.accessToken,
                ProfileChanges(email: .set("next@example.net"))
            )
            #expect(moved.status == 200, "\(moved.text)")
            let proved = try await harness.verify(harness.links(to: "next@example.net").last)
            #expect(proved.status == 204, "\(proved.text)")
            let old = try await harness.notices(to: person.email).dropFirst(before)
            let new = try await harness.notices(to: "next@example.net")
            #expect(Array(old) == ["email", "email"] && new == ["email"])
        }
    }

    @Test func noticesAreSoManyAnHourAndNamesHideNothing() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.prove(person.id)
            let token = person.session.accessToken
            for number in 0..<30 {
                let status = try await self.rename(harness, "Name \(number)", as: token)
                #expect(status == 200, "a full mailbox keeps nobody from changing")
            }
            let names = try await harness.notices(to: person.email)
            #expect(names.count == Int(SecurityNotices.most))
            _ = try await harness.enableTotp(token)
            let grave = try await harness.notices(to: person.email)
            #expect(grave.last == "totp-enabled")
            try await harness.pass(seconds: 3_600)
            _ = try await self.rename(harness, "Later", as: token)
            let later = try await harness.notices(to: person.email)
            #expect(later.count == grave.count + 1)
        }
    }

    @Test func theOldAddressIsToldOfANewOneWhereItWasProved() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.prove(person.id)
            let asked = try await harness.patch(
                person.session.accessToken,
                ProfileChanges(email: .set("other@example.net"))
            )
            #expect(asked.status == 200, "\(asked.text)")
            let link = try await harness.links(to: "other@example.net").last
            let proved = try await harness.verify(link)
            #expect(proved.status == 204)
            let (old, new) = try await (
                harness.notices(to: person.email), harness.notices(to: "other@example.net")
            )
            #expect(old == ["email", "email"] && new == ["email"])
        }
    }

    // MARK: Links

    /// Sends links to a mailbox from a line, as registrations do; how many were mailed.
    private func flood(
        _ harness: Harness,
        _ mailbox: String,
        from line: String,
        times: Int
    ) async throws -> Int {
        let person = try await harness.register()
        let links = EmailVerifications(
            messages: harness.parts.messages,
            configuration: harness.parts.configuration
        )
        var mailed = 0
        for number in 0..<times {
            let parts = mailbox.split(separator: "@")
            let until = try await harness.database.transaction { transaction in
                try await links.send(
                    to: "\(parts[0])+\(number)@\(parts[1])",
                    of: person.id,
                    language: "en",
                    askedFrom: line,
                    in: transaction
                )
            }
            if until == nil { mailed += 1 }
        }
        return mailed
    }

    /// As though the mailbox had had all that anybody may have sent there.
    private func fill(_ harness: Harness, _ mailbox: String) async throws {
        var mailed = 0
        for network in 0..<5 {
            mailed += try await flood(harness, mailbox, from: "198.51.\(network).7", times: 6)
        }
        #expect(mailed == Int(CodeBudget.linksMax))
    }

    @Test func oneMailboxGetsSoManyLinksHoweverItsAddressIsWritten() async throws {
        try await Harness.run { _, harness in
            for number in 0..<7 {
                _ = try await harness.register(email: "Victim+\(number)@example.org")
            }
            var mailed = 0
            for number in 0..<7 {
                mailed += try await harness.links(to: "Victim+\(number)@example.org").count
            }
            #expect(mailed == Int(CodeBudget.lineMax), "one line has a share of it")
            let near = try await self.flood(
                harness,
                "victim@EXAMPLE.org",
                from: "203.0.113.1",
                times: 8
            )
            let next = try await self.flood(
                harness,
                "victim@example.org",
                from: "203.0.113.2",
                times: 8
            )
            let home = try await self.flood(
                harness,
                "victim@example.org",
                from: "203.0.113.3",
                times: 8
            )
            #expect([near, next, home] == [5, 5, 0])
            let other = try await self.flood(
                harness,
                "victim@example.org",
                from: "192.0.2.1",
                times: 8
            )
            #expect(mailed + near + next + other == Int(CodeBudget.linksMax))
            _ = try await harness.register(email: "victims@example.org")
            let stranger = try await harness.links(to: "victims@example.org")
            #expect(stranger.count == 1)
        }
    }

    @Test func aFullMailboxKeepsNobodyFromRegistering() async throws {
        try await Harness.run { _, harness in
            try await self.fill(harness, "box@example.net")
            let person = try await harness.register(email: "box@example.net")
            let none = try await harness.links(to: person.email)
            #expect(none.isEmpty)
            let token = person.session.accessToken
            let path = "/v1/email-verifications"
            let early = try await harness.call(.post, path, as: token)
            #expect(early.status == 429 && early.code == "too-many-requests", "\(early.text)")
            #expect((1...3_601).contains(Int(early.headers["retry-after"] ?? "") ?? 0))
            try await harness.pass(seconds: 3_600)
            let late = try await harness.call(.post, path, as: token)
            #expect(late.status == 204, "\(late.text)")
            let proved = try await harness.verify(try await harness.links(to: person.email).last)
            #expect(proved.status == 204)
            // Nor from changing to an address there.
            try await self.fill(harness, "next@example.net")
            let asked = try await harness.patch(
                token,
                ProfileChanges(email: .set("next@example.net"), password: Harness.password)
            )
            #expect(asked.status == 200 && asked.text.contains("next@example.net"))
        }
    }

    @Test func aFullMailboxStopsNoAdministratorsChanges() async throws {
        try await Harness.run { _, harness in
            let admin = try await AdminTests.admin(harness)
            let (one, broken, two) = (
                try await harness.register(), try await harness.register(),
                try await harness.register()
            )
            try await self.fill(harness, "box@example.net")
            for (user, body) in [
                (one.id, #"{"email":"box@example.net"}"#),
                (broken.id, #"{"phone":"+393331234568"}"#),
                (two.id, #"{"phone":"+393331234567"}"#),
            ] {
                let asked = try await harness.call(
                    .patch,
                    "/v1/users/\(user.text)",
                    Array(body.utf8),
                    as: admin.token
                )
                #expect(asked.status == 200, "\(asked.text)")
                // In the order in which they were asked for; one of them the database refuses.
                let due = Statement<Void>(
                    """
                    update auth.pending_change
                    set due_at = least(due_at, now() - interval '1 minute' * (
                            4 - (select count(*) from auth.pending_change))),
                        value = case when value = '+393331234568' then repeat('9', 99)
                            else value end
                    """
                )
                try await harness.database.execute(due)
            }
            try await PostgresCluster.shared().administer(
                "alter table auth.user_account add check (length(phone) < 50);",
                in: harness.database.configuration.database
            )
            try await harness.parts.pending.settleDue()
            let email = try await harness.database.queryOne(
                UserStatements.credentialByID,
                one.id
            )?.email
            let phone = try await harness.database.queryOne(
                UserStatements.credentialByID,
                two.id
            )?.phone
            #expect(email == "box@example.net" && phone == "+393331234567")
            let links = try await harness.links(to: "box@example.net").filter { !$0.isEmpty }
            #expect(links.isEmpty, "asked for once there is room")
            let waits = Statement("select count(*) from auth.pending_change") { row in
                try row.int64(0)
            }
            let left = try await harness.database.queryOne(waits)
            #expect(left == 1, "what failed is tried again")
        }
    }
}
