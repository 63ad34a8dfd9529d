/// A mail: plain text in UTF-8, composed so that no part of it can end a header early.
///
/// Source: RFC 5322 (format), RFC 2047 (words in headers), RFC 2045 (quoted-printable).
public struct MailMessage: Sendable {
    /// The sender's address.
    public var from: String
    /// The recipient's address.
    public var to: String
    /// The subject.
    public var subject: String
    /// The text.
    public var text: String
    /// The name by which a second copy is recognised, without angle brackets.
    public var messageID: String
    /// When it was written, in seconds since 1970.
    public var secondsSince1970: Int64

    /// A mail.
    public init(
        from: String,
        to: String,
        subject: String,
        text: String,
        messageID: String,
        secondsSince1970: Int64
    ) {
        self.from = from
        self.to = to
        self.subject = subject
        self.text = text
        self.messageID = messageID
        self.secondsSince1970 = secondsSince1970
    }

    /// The message as it goes over the wire.
    /// - Throws: `.invalid` where an address or the id holds what none may hold.
    func composed() throws(OutboundError) -> [UInt8] {
        for (name, value) in [("from", from), ("to", to), ("Message-ID", messageID)] {
            guard !value.isEmpty,
                value.unicodeScalars.allSatisfy({
                    $0.value > 0x20 && $0.value != 0x7f && $0 != "<" && $0 != ">"
                })
            else { throw .invalid("\(name) of the mail") }
        }
        let head = [
            "Date: \(Self.date(secondsSince1970))", "From: EZWallet <\(from)>", "To: <\(to)>",
            "Subject: \(Self.encodedWords(subject))", "Message-ID: <\(messageID)>",
            "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable", "Auto-Submitted: auto-generated",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
            + Self.quotedPrintable(text)
    }

    /// ASCII as it is; anything else as encoded words of at most 75 characters.
    static func encodedWords(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7f).contains($0) } && text.count <= 60
        let opens = zip(text.utf8, text.utf8.dropFirst()).contains { first, second in
            first == UInt8(ascii: "=") && second == UInt8(ascii: "?")
        }
        if isPlain, !opens { return text }
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars where !Character(scalar).isNewline {
            let encoded = String(scalar).utf8.map { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                    || (0x61...0x7a).contains(byte)
                    ? String(UnicodeScalar(byte)) : "=" + hexadecimal(byte)
            }.joined()
            // `Subject: =?utf-8?Q?` and `?=` take 21 of a line; a scalar is never torn apart.
            if word.count + encoded.count > 52 {
                words.append(word)
                word = ""
            }
            word += encoded
        }
        words.append(word)
        return words.map { "=?utf-8?Q?\($0)?=" }.joined(separator: "\r\n ")
    }

    /// Lines of at most 76 characters, every line end CR LF.
    static func quotedPrintable(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var column = 0
            let content = Array(line.utf8)
            for (index, byte) in content.enumerated() {
                let isLast = index == content.count - 1
                let isPlain =
                    (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "=")
                    || (byte == 0x20 || byte == 0x09) && !isLast
                let piece = isPlain ? [byte] : Array(("=" + hexadecimal(byte)).utf8)
                if column + piece.count > 75 {
                    bytes.append(contentsOf: "=\r\n".utf8)
                    column = 0
                }
                bytes.append(contentsOf: piece)
                column += piece.count
            }
            bytes.append(contentsOf: "\r\n".utf8)
        }
        return bytes
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = Array("0123456789ABCDEF")
        return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }

    /// `21 Nov 2026 05:32:26 +0000` by the civil calendar (Hinnant, «chrono-compatible»).
    static func date(_ seconds: Int64) -> String {
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let rest = seconds - days * 86_400
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let doe = z - era * 146_097
        let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100)
        let mp = (5 * doy + 2) / 153
        let day = doy - (153 * mp + 2) / 5 + 1
        let month = mp < 10 ? mp + 3 : mp - 9
        let year = yoe + era * 400 + (month <= 2 ? 1 : 0)
        let names = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(day) \(names[Int(month) - 1]) \(year) "
            + "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) +0000"
    }
}
