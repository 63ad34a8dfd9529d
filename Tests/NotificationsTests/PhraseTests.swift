import Testing
import WalletProtocol

@testable import NotificationsService

/// What is said, in each language that it is written in.
@Suite struct PhraseTests {
    @Test func everyLanguageSaysAllThatEnglishSays() throws {
        let english = try #require(Phrases.all["en"]).told
        #expect(Phrases.all.count > 1 && english[""] == nil)
        for (language, phrases) in Phrases.all {
            for (name, values) in english {
                #expect(phrases.told[name] == values, "\(language): \(name)")
                #expect(phrases.find(name)?.isEmpty == false, "\(language): \(name)")
            }
            #expect(phrases.told.keys.allSatisfy { english[$0] != nil }, "\(language)")
        }
    }

    @Test func everyMessageAndNotificationIsWritten() throws {
        let english = try #require(Phrases.all["en"]).told
        for template in MessageTemplate.allCases {
            let kinds = template == .profileChange ? ["asked", "given"] : ["text"]
            for kind in ["subject"] + kinds {
                #expect(english["message.\(template.rawValue).\(kind)"] != nil)
            }
        }
        for change in SecurityChange.allCases {
            #expect(english["change.\(change.rawValue)"] != nil)
        }
        for kind in NotificationKind.allCases {
            #expect(english["feed.\(kind.rawValue).title"] != nil)
            let texts = english.keys.filter { $0.hasPrefix("feed.\(kind.rawValue).") }
            #expect(texts.count > 1)
        }
    }

    @Test(arguments: [("it", "it"), ("IT-ch", "it"), ("de", "en"), ("", "en"), ("-", "en")])
    func whoeverHasNoFileReadsEnglish(_ language: String, _ read: String) {
        #expect(Phrases.of(language).language == read)
    }

    /// A value is put in once: what stands in it is nobody's phrase.
    @Test func whatAValueSaysIsNotReadAgain() {
        let text = MessageText(
            .groupInvitation,
            language: "en",
            parameters: ["group": "{inviter}", "inviter": "{group} {link}"]
        )
        #expect(text.subject == "Invitation to a group «{inviter}»")
        #expect(text.text.hasPrefix("«{group} {link}» invites you to a group «{inviter}» on"))
    }

    @Test func blankLinesStayAndNoneIsAtTheEnd() {
        let text = MessageText(
            .emailConfirmation,
            language: "it",
            parameters: ["link": "https://w/x"]
        )
        #expect(
            text.text.hasSuffix("ore:\nhttps://w/x\n\nSe non ti sei registrato tu, non fare nulla.")
        )
    }
}
