import Text
import WalletProtocol

/// What a message says, in its reader's language: English where it is not written in theirs.
struct MessageText: Equatable, Sendable {
    let subject: String
    let text: String

    /// The text of a template with its parameters.
    init(_ template: MessageTemplate, language: String, parameters: [String: String]) {
        let phrases = Phrases.of(language)
        var values = parameters
        var kind = "text"
        switch template {
        case .securityNotice:
            let change = phrases.find("change.\(parameters["change"] ?? "")")
            values["change"] = change ?? phrases.say("change.other")
        case .profileChange:
            let contact = parameters["field"] == "phone" ? "phone" : "email"
            values["contact"] = phrases.say("contact.\(contact)")
            kind = parameters["link"]?.isEmpty == false ? "asked" : "given"
        case .walletInvitation: values = MessageText.invitation("wallet", parameters)
        case .familyInvitation: values = MessageText.invitation("family", parameters)
        case .folderInvitation: values = MessageText.invitation("folder", parameters)
        case .groupInvitation: values = MessageText.invitation("group", parameters)
        case .monthlyReport:
            let days = DayText(language: phrases.language)
            for name in ["from", "to"] {
                values[name] = days.text(parameters[name] ?? "") ?? parameters[name]
            }
        case .emailConfirmation, .logInCode, .lockout, .recoveryCode, .exportReady,
            .accountDeleted:
            break
        }
        subject = phrases.say("message.\(template.rawValue).subject", values)
        text = phrases.say("message.\(template.rawValue).\(kind)", values)
    }

    /// The names are somebody's own words: between quotation marks, and never a sentence.
    private static func invitation(
        _ thing: String,
        _ parameters: [String: String]
    ) -> [String: String] {
        func name(_ key: String) -> String? {
            parameters[key].flatMap { $0.isEmpty ? nil : "«\($0)»" }
        }
        return [thing: name(thing).map { " \($0)" } ?? "", "inviter": name("inviter") ?? "–"]
    }
}
