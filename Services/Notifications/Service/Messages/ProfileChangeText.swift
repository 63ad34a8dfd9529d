/// What is said of a change that an administrator wants.
extension MessageText {
    static func profileChange(isPhone: Bool, link: String, _ isItalian: Bool) -> String {
        let thing =
            isItalian
            ? (isPhone ? "il telefono" : "l'indirizzo e-mail")
            : (isPhone ? "phone" : "e-mail address")
        guard !link.isEmpty else {
            return isItalian
                ? "Un amministratore di EZWallet ha indicato questo recapito come \(thing) di un "
                    + "conto. Non devi fare nulla."
                : "An administrator of EZWallet has given this as the \(thing) of an account. "
                    + "You need not do anything."
        }
        return isItalian
            ? "Un amministratore di EZWallet vuole cambiare \(thing) del tuo conto. Accetta o "
                + "rifiuta qui: \(link) Senza risposta vale tra 7 giorni."
            : "An administrator of EZWallet wants to change the \(thing) of your account. Accept "
                + "or reject it here: \(link) Without an answer it is in force in 7 days."
    }
}
