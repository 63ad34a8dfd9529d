import Crypto
import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// What a test of profiles does over the socket.
extension Harness {
    func patch(
        _ token: String?,
        _ body: ProfileChanges,
        ifMatch: String? = nil
    ) async throws -> ServiceRig.Answer {
        var headers: [(StaticString, String)] = []
        if let ifMatch { headers.append(("if-match", ifMatch)) }
        return try await rig.call(
            .patch,
            "/v1/users/me",
            headers: headers,
            body: JSON.write(body),
            token: token
        )
    }

    func me(_ token: String?) async throws -> (view: UserView, tag: String) {
        let answer = try await rig.call(.get, "/v1/users/me", token: token)
        try #require(answer.status == 200, "\(answer.text)")
        return (try JSON.read(UserView.self, from: answer.body), answer.headers["etag"] ?? "")
    }

    /// The tokens of the mailed links, oldest first.
    func links(to recipient: String) async throws -> [String] {
        try await messages(to: recipient).compactMap { message in
            message.1["link"].flatMap { link in
                link.isEmpty ? nil : link.split(separator: "=").last.map { String($0) }
            }
        }
    }

    func verify(_ link: String?) async throws -> ServiceRig.Answer {
        try await rig.call(.post, "/v1/email-verifications/\(link ?? "")")
    }

    /// The notices mailed to an address.
    func notices(to recipient: String) async throws -> [String] {
        try await messages(to: recipient).filter { $0.0 == .securityNotice }
            .compactMap { $0.1["change"] }
    }

    /// A session whose last proof is too old for what is dangerous.
    func aged(_ session: SessionTokens, of user: ID<User>) async throws -> String? {
        try await database.execute(
            Statement<Void>(
                """
                update auth.session set authenticated_at = now() - interval '11 minutes'
                where user_id = $1
                """
            ),
            user
        )
        let answer = try await refresh(session.refreshToken)
        return try JSON.read(SessionTokens.self, from: answer.body).accessToken
    }
}

private func email() -> String { "q\(ID<User>.new().text.suffix(12))@example.org" }

@Suite struct ProfileTests {
    @Test func whatIsLeftOutStaysAndNullClears() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.prove(person.id)
            let token = person.session.accessToken
            let first = try await harness.me(token)
            let full = ProfileChanges(
                firstName: .set("Zoë"),
                lastName: .set("Li"),
                dateOfBirth: .set(try #require(Day("2015-02-28"))),
                area: .set("CH-ZH"),
                theme: .set(.dark),
                language: .set("de-CH"),
                currency: .set(try #require(Currency("CHF"))),
                dateFormat: .set(.dayMonthYearDots),
                timeZone: .set("Europe/Zurich"),
                monthStart: .set(25)
            )
            let changed = try await harness.patch(token, full)
            #expect(changed.status == 200, "\(changed.text)")
            let second = try await harness.me(token)
            #expect(second.tag != first.tag && changed.headers["etag"] == second.tag)
            #expect(second.view.firstName == "Zoë" && second.view.area == "CH-ZH")
            #expect(second.view.theme == .dark && second.view.monthStart == 25)
            #expect(second.view.dateFormat == .dayMonthYearDots)
            let nothing = try await harness.patch(token, ProfileChanges())
            #expect(nothing.status == 200 && nothing.headers["etag"] == second.tag)
            let cleared = try await harness.patch(
                token,
                ProfileChanges(
                    firstName: .cleared,
                    dateOfBirth: .cleared,
                    area: .cleared,
                    dateFormat: .cleared
                )
            )
            #expect(cleared.status == 200)
            let third = try await harness.me(token).view
            #expect(third.firstName == nil && third.dateOfBirth == nil && third.area == nil)
            #expect(third.dateFormat == nil && third.lastName == "Li" && third.theme == .dark)
            let notices = try await harness.notices(to: person.email)
            #expect(notices == ["names", "names"])
        }
    }

    @Test func aStaleVersionIsRefused() async throws {
        try await Harness.run { _, harness in
            let token = try await harness.register().session.accessToken
            let tag = try await harness.me(token).tag
            let body = ProfileChanges(theme: .set(.light))
            let first = try await harness.patch(token, body, ifMatch: tag)
            let second = try await harness.patch(token, body, ifMatch: tag)
            #expect(first.status == 200 && second.status == 412)
        }
    }

    @Test func everyWrongFieldIsNamed() async throws {
        try await Harness.run { _, harness in
            let token = try await harness.register().session.accessToken
            let body = ProfileChanges(
                email: .set("no"),
                username: .set("раypal"),
                firstName: .set("a\u{2060}b"),
                phone: .set("12"),
                area: .set("ZZ"),
                language: .set("d"),
                timeZone: .set("Mars/Olympus")
            )
            let answer = try await harness.patch(token, body)
            let problem = try JSON.read(Problem.self, from: answer.body)
            #expect(answer.status == 422)
            let pointers = Set(problem.errors.map(\.pointer))
            #expect(
                pointers == [
                    "/email", "/username", "/firstName", "/phone", "/area", "/language",
                    "/timeZone",
                ]
            )
        }
    }

    @Test func anEmailWaitsUntilItsOwnLinkIsFollowed() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.prove(person.id)
            let token = person.session.accessToken
            let (lost, wanted) = (email(), email())
            for address in [lost, wanted] {
                let answer = try await harness.patch(token, ProfileChanges(email: .set(address)))
                #expect(answer.status == 200, "\(answer.text)")
            }
            let waiting = try await harness.me(token).view
            #expect(waiting.email == person.email && waiting.pendingEmail == wanted)
            // Until it is verified, the address is anybody's.
            let other = try await harness.register(email: lost)
            #expect(other.email == lost)
            let dead = try await harness.verify(try await harness.links(to: lost).first)
            #expect(dead.status == 409 && dead.code == "link-expired")
            let link = try await harness.links(to: wanted).last
            let done = try await harness.verify(link)
            #expect(done.status == 204)
            let after = try await harness.me(token).view
            #expect(after.email == wanted && after.emailVerified && after.pendingEmail == nil)
            let again = try await harness.verify(link)
            #expect(again.code == "link-expired")
            let (old, new) = try await (
                harness.notices(to: person.email), harness.notices(to: wanted)
            )
            #expect(old == ["email", "email", "email"] && new == ["email"])
            let byOld = try await harness.logIn(person.email)
            let byNew = try await harness.logIn(wanted)
            #expect(byOld.status == 401 && byNew.status == 201)
        }
    }

    @Test func anAddressTakenMeanwhileIsRefusedAtItsLink() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let wanted = email()
            _ = try await harness.patch(
                person.session.accessToken,
                ProfileChanges(email: .set(wanted))
            )
            let link = try await harness.links(to: wanted).last
            _ = try await harness.register(email: wanted)
            let late = try await harness.verify(link)
            #expect(late.status == 409 && late.code == "email-taken")
            let taken = try await harness.patch(
                try await harness.register().session.accessToken,
                ProfileChanges(email: .set(wanted), username: .set("Some Body 77"))
            )
            #expect(taken.code == "email-taken")
        }
    }

    @Test func anEmailOrPhoneWantsAProof() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let token = try await harness.aged(person.session, of: person.id)
            let plain = try await harness.patch(token, ProfileChanges(theme: .set(.dark)))
            #expect(plain.status == 200)
            for body in [ProfileChanges(email: .set(email())), ProfileChanges(phone: .cleared)] {
                let answer = try await harness.patch(token, body)
                #expect(answer.status == 403 && answer.code == "step-up-required")
            }
            let wrong = try await harness.patch(
                token,
                ProfileChanges(email: .set(email()), password: "not-the-password")
            )
            let right = try await harness.patch(
                token,
                ProfileChanges(email: .set(email()), password: Harness.password)
            )
            #expect(wrong.code == "wrong-password" && right.status == 200)
        }
    }

    @Test func aPhoneIsProvedAndOnePersons() async throws {
        try await Harness.run { _, harness in
            let first = try await harness.register()
            try await harness.prove(first.id)
            let second = try await harness.register()
            let phone = "+41791234567"
            let keys = harness.parts.configuration.phoneKeys
            func proved() -> ProfileChanges {
                ProfileChanges(
                    phone: .set(phone),
                    phoneToken: PhoneToken.make(phone, keys: keys).phoneToken
                )
            }
            let bare = try await harness.patch(
                first.session.accessToken,
                ProfileChanges(phone: .set(phone))
            )
            #expect(bare.status == 422)
            let set = try await harness.patch(first.session.accessToken, proved())
            #expect(set.status == 200, "\(set.text)")
            let taken = try await harness.patch(second.session.accessToken, proved())
            #expect(taken.code == "phone-taken")
            let cleared = try await harness.patch(
                first.session.accessToken,
                ProfileChanges(phone: .cleared)
            )
            #expect(cleared.status == 200)
            let free = try await harness.patch(second.session.accessToken, proved())
            #expect(free.status == 200)
            let notices = try await harness.notices(to: first.email)
            #expect(notices == ["phone", "phone"])
        }
    }

    @Test func linksAreMailedAgainButNotWithoutEnd() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let token = person.session.accessToken
            let again = try await harness.rig.call(
                .post,
                "/v1/email-verifications",
                token: token
            )
            #expect(again.status == 204, "\(again.text)")
            let links = try await harness.links(to: person.email)
            #expect(links.count == 2)
            // Each of them proves the address.
            let done = try await harness.verify(links.first)
            #expect(done.status == 204)
            let verified = try await harness.rig.call(
                .post,
                "/v1/email-verifications",
                token: token
            )
            #expect(verified.code == "already-verified")
            var statuses: [Int] = []
            for _ in 0..<8 {
                statuses.append(
                    try await harness.rig.call(
                        .post,
                        "/v1/email-verifications",
                        token: token
                    ).status
                )
            }
            #expect(statuses.last == 429)
        }
    }

    @Test func anAdministratorsChangeWaitsForConsent() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let wanted = email()
            func change(_ body: ProfileChanges) async throws -> Profile {
                try await harness.parts.profiles.change(
                    by: try ProfileChange(
                        body,
                        by: .admin,
                        phoneKeys: harness.parts.configuration.phoneKeys
                    ),
                    of: harness.holder(person.session),
                    ifMatch: nil
                )
            }
            let waiting = try await change(
                ProfileChanges(
                    email: .set(wanted),
                    firstName: .set("New"),
                    phone: .set("+41791112233")
                )
            )
            #expect(waiting.email == person.email && waiting.pendingEmail == wanted)
            #expect(waiting.firstName == "New" && waiting.phone == nil)
            #expect(waiting.pendingPhone == "+41791112233")
            let told = try await harness.messages(to: wanted)
            #expect(told.count == 1 && told.first?.1["link"] == "", "told, and asked nothing")
            let links = try await harness.links(to: person.email)
            try #require(links.count == 3, "the registration's, and one for each change")
            // A link that proves an address says nothing to an administrator's change.
            let proved = try await harness.verify(links[0])
            #expect(proved.status == 204)
            let rejected = try await harness.rig.call(
                .post,
                "/v1/profile-changes/\(links[2])/rejection"
            )
            let accepted = try await harness.rig.call(
                .post,
                "/v1/profile-changes/\(links[1])/confirmation"
            )
            #expect(rejected.status == 204 && accepted.status == 204, "\(accepted.text)")
            let after = try #require(try await harness.parts.users.profile(person.id))
            #expect(after.email == wanted && !after.emailIsVerified && after.phone == nil)
            #expect(after.pendingEmail == nil && after.pendingPhone == nil)
            let again = try await harness.rig.call(
                .post,
                "/v1/profile-changes/\(links[1])/confirmation"
            )
            #expect(again.status == 404)
        }
    }

    @Test func withoutAnAnswerItIsInForceAfterSevenDays() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let wanted = email()
            let change = try ProfileChange(
                ProfileChanges(email: .set(wanted)),
                by: .admin,
                phoneKeys: harness.parts.configuration.phoneKeys
            )
            _ = try await harness.parts.profiles.change(
                by: change,
                of: harness.holder(person.session),
                ifMatch: nil
            )
            try await harness.parts.pending.settleDue()
            let before = try await harness.parts.users.profile(person.id)
            #expect(before?.email == person.email)
            try await harness.database.execute(
                Statement<Void>(
                    """
                    update auth.pending_change set due_at = due_at - interval '7 days'
                    where user_id = $1
                    """
                ),
                person.id
            )
            try await harness.parts.pending.settleDue()
            let after = try await harness.parts.users.profile(person.id)
            #expect(after?.email == wanted && after?.emailIsVerified == false)
        }
    }
}
