import WalletProtocol

/// What a security notice calls each change.
extension MessageText {
    static func english(_ change: SecurityChange) -> String {
        switch change {
        case .email: "the e-mail address was changed"
        case .username: "the username was changed"
        case .names: "the name was changed"
        case .phone: "the phone was changed"
        case .password: "the password was changed"
        case .passwordRecovered: "the password was set by a recovery"
        case .passwordRecoveredAnew:
            "the password was set by a recovery; passkeys, phone, second factor, recovery codes "
                + "and identities of other providers that had been added lately were removed, "
                + "add yours again"
        case .passkeyAdded: "a passkey was added"
        case .passkeyRemoved: "a passkey was removed"
        case .passkeyCopied: "a passkey was refused, there may be a copy of it"
        case .totpEnabled: "the second factor was switched on"
        case .totpDisabled: "the second factor was switched off"
        case .secondFactorGuessed:
            "somebody who has shown your password enters wrong codes of your second factor"
        case .recoveryCodes: "new recovery codes were made, the old ones are void"
        case .recoveryCodeUsed: "a recovery code was used to sign in"
        case .identityLinked: "an identity of another provider was linked"
        case .identityUnlinked: "an identity of another provider was unlinked"
        }
    }

    static func italian(_ change: SecurityChange) -> String {
        switch change {
        case .email: "l'indirizzo e-mail è stato cambiato"
        case .username: "il nome utente è stato cambiato"
        case .names: "il nome è stato cambiato"
        case .phone: "il telefono è stato cambiato"
        case .password: "la password è stata cambiata"
        case .passwordRecovered: "la password è stata impostata con un recupero"
        case .passwordRecoveredAnew:
            "la password è stata impostata con un recupero; passkey, telefono, secondo fattore, "
                + "codici di recupero e identità di altri fornitori aggiunti di recente sono stati "
                + "tolti, aggiungi di nuovo i tuoi"
        case .passkeyAdded: "è stata aggiunta una passkey"
        case .passkeyRemoved: "è stata tolta una passkey"
        case .passkeyCopied: "una passkey è stata rifiutata, potrebbe esisterne una copia"
        case .totpEnabled: "il secondo fattore è stato attivato"
        case .totpDisabled: "il secondo fattore è stato disattivato"
        case .secondFactorGuessed:
            "qualcuno che ha mostrato la tua password sbaglia i codici del secondo fattore"
        case .recoveryCodes: "sono stati creati nuovi codici di recupero, i vecchi non valgono più"
        case .recoveryCodeUsed: "un codice di recupero è stato usato per accedere"
        case .identityLinked: "è stata collegata un'identità di un altro fornitore"
        case .identityUnlinked: "è stata scollegata un'identità di un altro fornitore"
        }
    }
}
