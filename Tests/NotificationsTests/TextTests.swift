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
}
