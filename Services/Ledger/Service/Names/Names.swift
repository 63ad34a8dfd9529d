import ServiceKit
import Text
import WalletProtocol

/// In normal form C; plain ASCII is so already.
func composed(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 } ? text : TextFolding.composed(text)
}

/// The form by which names are the same.
/// - Throws: 422 for what nobody could see: zero-width characters alone.
func folded(_ name: String) throws(APIError) -> String {
    let folded = TextFolding.caseFolded(name)
    guard !folded.isEmpty else { throw .field("/name", .blank, "must not be blank") }
    return folded
}

/// Enough of a name for who sends money to know whether it goes to the right person: two characters
/// of each part at most, and never all of one.
func masked(_ name: String) -> String {
    name.split(separator: " ").map { (part: Substring) in
        "\(part.prefix(min(2, part.count - 1)))•••"
    }.joined(separator: " ")
}
