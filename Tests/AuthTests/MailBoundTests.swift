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

    @Test func whoRegistersAnothersAddressHasNothingMailedThere() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.registerWithPasskey(isProved: false)
            let token = person.session.accessToken
            for number in 0..<10 {
                let status = try await self.rename(harness, "Name \(number)", as: token)
                #expect(status == 200)
            }
            let moved = try await harness.patch(
                token,
                ProfileChanges(email: .set("thief@evil.example"))
            )
            #expect(moved.status == 200, "\(moved.text)")
            let mails = try await harness.messages(to: person.email)
            #expect(mails.map(\.0) == [.emailConfirmation])
            // Nor once another address is proved: this one never was.
            let link = try await harness.links(to: "thief@evil.example").last
            let proved = try await harness.verify(link)
            #expect(proved.status == 204, "\(proved.text)")
            let after = try await harness.messages(to: person.email)
            #expect(after.count == 1)
            let told = try await harness.notices(to: "thief@evil.example")
            #expect(told == ["email"])
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
}
