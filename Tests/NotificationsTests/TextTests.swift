import Testing
import WalletProtocol

@testable import NotificationsService

@Suite struct MessageTextTests {
    /// Whoever registers chooses the name, and whose address it is: no word of theirs is mailed.
    @Test(arguments: ["en", "it", "it-CH", "xx"])
    func aConfirmationHoldsTheLinkAndNothingThatAStrangerWrote(language: String) {
        let text = MessageText(
            .emailConfirmation,
            language: language,
            parameters: ["link": "https://w/verify-email?token=t", "name": "win at evil.example"]
        )
        #expect(text.text.contains("https://w/verify-email?token=t"))
        #expect(!(text.subject + text.text).contains("evil"))
    }

    /// The names in an invitation stand between marks; without them it still says what it is.
    @Test(
        arguments: ["en", "it"],
        [MessageTemplate.groupInvitation, .walletInvitation, .folderInvitation]
    )
    func anInvitationHoldsNamesAsNamesAlone(language: String, template: MessageTemplate) {
        // The name of what it is to goes by its kind: `group`, `wallet`, `folder`.
        let parameter = String(template.rawValue.prefix { $0 != "-" })
        let named = MessageText(
            template,
            language: language,
            parameters: [parameter: "Flat", "inviter": "Ada"]
        )
        #expect(named.subject.hasSuffix(" «Flat»") && named.text.hasPrefix("«Ada» "))
        let bare = MessageText(
            template,
            language: language,
            parameters: [parameter: "", "inviter": ""]
        )
        #expect(!bare.subject.contains("«") && !bare.text.contains("«"))
    }
}
