import Text
import WalletProtocol

/// Addresses as auth keeps them: the same mailbox always has the same text.
extension EmailAddress {
    /// An address, its domain in ASCII (`xn--`) and its local part composed; nil where it is none.
    init?(canonical text: String) {
        guard EmailAddress(text) != nil, let text = MailAddressText.canonical(text) else {
            return nil
        }
        self.init(text)
    }

    /// What an address is looked up by, where the text is one; it is looked up as it is, if not.
    static func lookup(_ text: String) -> String {
        EmailAddress(canonical: text)?.folded ?? folded(text)
    }
}
