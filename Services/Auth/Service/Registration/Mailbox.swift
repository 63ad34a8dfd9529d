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

    /// What stands for the mailbox: most providers deliver `name+anything` to `name` (RFC 5233).
    ///
    /// Whose provider does not has a few people share a bound, which is all that goes by it.
    static func mailbox(of text: String) -> String {
        let folded = lookup(text)
        let at = folded.lastIndex(of: "@") ?? folded.endIndex
        let name = folded[..<at]
        guard let plus = name.firstIndex(of: "+"), plus > name.startIndex else { return folded }
        return String(name[..<plus] + folded[at...])
    }

    /// What an address is looked up by, where the text is one; it is looked up as it is, if not.
    static func lookup(_ text: String) -> String {
        EmailAddress(canonical: text)?.folded ?? folded(text)
    }
}
