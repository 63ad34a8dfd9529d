import Loops
import Postgres
import Synchronization
import Testing
import WalletProtocol

@testable import GroupsService

@Suite struct MailWordsTests {
    /// Whoever names a group writes to whomever they like: no link, address or number goes along.
    @Test(arguments: [
        ("Flat", "Flat"),
        ("Città 2026 – l’estate", "Città 2026 l’estate"),
        ("http://evil.example/pay?a=b", "http evil example pay a b"),
        ("mail me@evil.example now", "mail me evil example now"),
        ("call +39 02 123 45 67", "call"),
        ("a\u{202E}b\u{200B}c\u{3002}d\u{FF0E}e", "a b c d e"),
        ("<b>\"you\" have won!</b>", "b you have won b"),
        ("::// ..", ""),
    ])
    func nothingToFollowStays(text: String, expected: String) {
        #expect(MailWords.safe(text) == expected)
    }

    @Test func aLongNameIsCutShort() {
        let safe = MailWords.safe(String(repeating: "word ", count: 30))
        #expect(safe.count <= MailWords.lengthMax && safe.hasPrefix("word word"))
    }
}

/// Who is asked to join, and how often, on a real server.
@Suite struct InvitationTests {
    private func inviter(_ harness: Harness) async throws -> Person {
        var person = Person(UserRegistered.of(.new(), "ada"))
        person.isEmailVerified = true
        try await PeopleStatements.write(
            person,
            by: PeopleStatements.upsert,
            in: harness.database
        )
        return person
    }

    private func makeGroups(
        _ count: Int,
        by person: Person,
        _ harness: Harness
    ) async throws -> [ID<Group>] {
        var groups: [ID<Group>] = []
        for number in 0..<count {
            let body = NewGroup(name: "G\(number)", currency: .eur)
            let made = try await harness.database.transaction { transaction in
                try await harness.parts.groups.make(
                    body,
                    by: person,
                    inviting: [],
                    in: transaction
                )
            }
            groups.append(made.id)
        }
        return groups
    }

    private func rows(_ table: String, _ harness: Harness) async throws -> Int64 {
        let count = Statement(
            """
            select case $1
                when 'mails' then (select count(*) from groups.message_job)
                else (select count(*) from groups.invitation)
            end
            """
        ) { row in try row.int64(0) }
        return try await harness.database.queryOne(count, table) ?? -1
    }

    @Test func ofInvitationsAtOnceNoMoreGoThanTheMeasure() async throws {
        try await Harness.run { actor, harness in
            let ada = try await inviter(harness)
            let groups = try await makeGroups(4, by: ada, harness)
            let bound = LoopBound(harness, to: actor)
            let codes = Mutex<[ErrorCode]>([])
            let tasks = (0..<Int(InvitationStore.perHourMax) + 12).map { number in
                actor.spawn { actor in
                    do {
                        _ = try await bound.on(actor).send(
                            Invitee(email: "p\(number)@example.org"),
                            to: groups[number % groups.count],
                            by: ada
                        )
                    } catch let error as APIError {
                        codes.withLock { $0.append(error.code) }
                    } catch { Issue.record("\(error)") }
                }
            }
            for task in tasks { await task.value }
            let refused = codes.withLock { $0 }
            #expect(refused == Array(repeating: .tooManyRequests, count: 12))
            let made = try await rows("invitations", harness)
            let mails = try await rows("mails", harness)
            #expect(made == InvitationStore.perHourMax && mails == made)
        }
    }

    @Test func anAddressGetsSoManyMailsADayFromWhomever() async throws {
        try await Harness.run { _, harness in
            let max = InvitationStore.mailsPerAddressMax
            for number in 0..<max + 3 {
                let person = try await inviter(harness)
                let group = try await makeGroups(1, by: person, harness)[0]
                let address = number % 2 == 0 ? "bob@example.org" : "BOB@example.org"
                let sent = try await harness.send(
                    Invitee(email: address),
                    to: group,
                    by: person
                )
                #expect(sent.groupID == group)
            }
            let made = try await rows("invitations", harness)
            let mails = try await rows("mails", harness)
            #expect(made == max + 3 && mails == max)
        }
    }

    @Test func whoeverSaysNoIsAskedSoOftenADay() async throws {
        try await Harness.run { _, harness in
            let ada = try await inviter(harness)
            let bob = Person(UserRegistered.of(.new(), "bob"))
            let group = try await makeGroups(1, by: ada, harness)[0]
            let proved = Invited(name: .username("bob"), person: bob)
            func ask() async throws -> InvitationRow {
                try await harness.database.transaction { transaction in
                    try await harness.parts.invitations.insert(
                        proved,
                        to: .group(group, name: "G"),
                        by: ada,
                        in: transaction
                    )
                }
            }
            for _ in 0..<InvitationStore.askedAgainMax {
                let asked = try await ask()
                try await harness.answer(asked.id, isAccepted: false, by: bob)
            }
            do {
                _ = try await ask()
                Issue.record("asked again")
            } catch let error as APIError { #expect(error.code == .tooManyRequests) }
        }
    }

    @Test func anAddressIsWholeForWhoWroteItAlone() throws {
        let ada = ID<User>.new()
        func row(_ invitee: String) -> InvitationRow {
            InvitationRow(
                id: .new(),
                group: .new(),
                offer: nil,
                name: "Flat",
                invitedBy: ada,
                inviterName: "Ada",
                invitee: invitee,
                createdAt: .now(),
                terms: nil
            )
        }
        let mail = row("bob@example.org")
        #expect(mail.view(for: ada, isMember: true).invitee == "bob@example.org")
        #expect(mail.view(for: .new(), isMember: true).invitee == "b…@example.org")
        #expect(mail.view(for: .new(), isMember: false).invitee == nil)
        #expect(row("bob").view(for: .new(), isMember: true).invitee == "bob")
    }
}
