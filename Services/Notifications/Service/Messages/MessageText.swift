import WalletProtocol

/// What a message says, in its reader's language: English where it is not written in theirs.
struct MessageText: Equatable, Sendable {
    let subject: String
    let text: String

    /// The text of a template with its parameters.
    init(_ template: MessageTemplate, language: String, parameters: [String: String]) {
        let isItalian = language.lowercased().hasPrefix("it")
        func value(_ name: String) -> String { parameters[name] ?? "" }
        switch template {
        case .emailConfirmation:
            subject = isItalian ? "Conferma il tuo indirizzo" : "Confirm your address"
            text =
                isItalian
                ? """
                Conferma il tuo indirizzo e-mail aprendo questo collegamento entro 24 ore:
                \(value("link"))

                Se non ti sei registrato tu, non fare nulla.
                """
                : """
                Please confirm your e-mail address by opening this link within 24 hours:
                \(value("link"))

                If you have not registered, do nothing.
                """
        case .logInCode:
            subject = isItalian ? "Il tuo codice" : "Your code"
            text =
                isItalian
                ? "\(value("code")) è il tuo codice EZWallet, valido \(value("minutes")) minuti. "
                    + "Non darlo a nessuno."
                : "\(value("code")) is your EZWallet code, good for \(value("minutes")) minutes. "
                    + "Give it to nobody."
        case .lockout:
            subject = isItalian ? "Troppi tentativi di accesso" : "Too many attempts to sign in"
            text =
                isItalian
                ? "Qualcuno ha provato più volte ad accedere al tuo conto da \(value("address"))."
                : "Somebody has tried to sign in to your account several times from "
                    + "\(value("address"))."
        case .recoveryCode:
            subject = isItalian ? "Imposta la tua password" : "Set your password"
            text =
                isItalian
                ? """
                \(value("code")) è il codice per impostare una nuova password, valido \
                \(value("minutes")) minuti. Inseriscilo qui e non darlo a nessuno:
                \(value("link"))

                Se non l'hai chiesto tu, non fare nulla.
                """
                : """
                \(value("code")) is the code to set a new password, good for \
                \(value("minutes")) minutes. Enter it here, and give it to nobody:
                \(value("link"))

                If you have not asked for it, do nothing.
                """
        case .securityNotice:
            let change = SecurityChange(rawValue: value("change"))
            subject = isItalian ? "Sicurezza del tuo conto" : "Security of your account"
            text =
                isItalian
                ? """
                Nel tuo conto EZWallet: \(change.map(Self.italian) ?? "una modifica").

                Se non sei stato tu, recupera subito la password.
                """
                : """
                In your EZWallet account: \(change.map(Self.english) ?? "a change").

                If that was not you, recover your password at once.
                """
        case .profileChange:
            subject = isItalian ? "Una modifica del tuo conto" : "A change of your account"
            text = Self.profileChange(
                isPhone: value("field") == "phone",
                link: value("link"),
                isItalian
            )
        case .exportReady:
            subject = isItalian ? "I tuoi dati sono pronti" : "Your data are ready"
            text =
                isItalian
                ? """
                Il file con i tuoi dati è pronto: scaricalo dall'app entro sette giorni.

                Se non l'hai chiesto tu, cambia subito la password.
                """
                : """
                The file of your data is ready: fetch it in the app within seven days.

                If you have not asked for it, change your password at once.
                """
        case .accountDeleted:
            subject = isItalian ? "Il tuo conto è stato eliminato" : "Your account was deleted"
            text =
                isItalian
                ? """
                Il tuo conto EZWallet è stato eliminato, con i tuoi dati personali.

                Questo è l'ultimo messaggio a questo indirizzo.
                """
                : """
                Your EZWallet account was deleted, and your personal data with it.

                This is the last message to this address.
                """
        case .walletInvitation:
            let wallet = value("wallet").isEmpty ? "" : " «\(value("wallet"))»"
            let inviter = value("inviter").isEmpty ? "–" : "«\(value("inviter"))»"
            subject =
                isItalian ? "Invito a un portafoglio\(wallet)" : "Invitation to a wallet\(wallet)"
            text =
                isItalian
                ? """
                \(inviter) condivide con te un portafoglio\(wallet) su EZWallet.

                Se non sai chi sia, non fare nulla.
                """
                : """
                \(inviter) shares a wallet\(wallet) with you on EZWallet.

                If you do not know who that is, do nothing.
                """
        case .folderInvitation:
            let folder = value("folder").isEmpty ? "" : " «\(value("folder"))»"
            let inviter = value("inviter").isEmpty ? "–" : "«\(value("inviter"))»"
            subject =
                isItalian ? "Invito a una cartella\(folder)" : "Invitation to a folder\(folder)"
            text =
                isItalian
                ? """
                \(inviter) condivide con te una cartella\(folder) su EZWallet.

                Se non sai chi sia, non fare nulla.
                """
                : """
                \(inviter) shares a folder\(folder) with you on EZWallet.

                If you do not know who that is, do nothing.
                """
        case .groupInvitation:
            // The names are somebody's own words: between quotation marks, and never a sentence.
            let group = value("group").isEmpty ? "" : " «\(value("group"))»"
            let inviter = value("inviter").isEmpty ? "–" : "«\(value("inviter"))»"
            subject = isItalian ? "Invito a un gruppo\(group)" : "Invitation to a group\(group)"
            text =
                isItalian
                ? """
                \(inviter) ti invita in un gruppo\(group) su EZWallet.

                Se non sai chi sia, non fare nulla.
                """
                : """
                \(inviter) invites you to a group\(group) on EZWallet.

                If you do not know who that is, do nothing.
                """
        }
    }
}
