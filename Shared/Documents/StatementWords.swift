internal import Text

/// The words of a statement in one language; each has a file of its own in `Words`.
struct StatementWords: Sendable {
    /// Of the words themselves, BCP 47.
    let language: String
    /// Whether its pages are read from the right.
    var isRightToLeft = false
    let title: String
    let account: String
    let owner: String
    let period: String
    let opening: String
    let credits: String
    let debits: String
    let closing: String
    let date: String
    let text: String
    let amount: String
    let balance: String
    let nothing: String
    /// `Made on {}`: the day.
    let made: String
    /// `Page {}`: its number.
    let page: String

    static let all: [StatementWords] = [
        .english, .german, .french, .italian, .spanish, .catalan, .portuguese, .dutch, .danish,
        .norwegian, .swedish, .finnish, .estonian, .latvian, .lithuanian, .polish, .czech, .slovak,
        .slovene, .croatian, .hungarian, .romanian, .bulgarian, .greek, .russian, .ukrainian,
        .turkish, .arabic, .hebrew, .persian, .japanese, .korean, .chinese, .traditionalChinese,
        .hindi, .thai, .vietnamese, .indonesian,
    ]

    /// The words of the language that is nearest to a tag; English, where none is.
    static func of(_ tag: String) -> StatementWords {
        let language = Languages.nearest(to: tag)
        return all.first { $0.language == language } ?? .english
    }

    /// A phrase with what stands for its braces.
    static func fill(_ phrase: String, _ text: String) -> String {
        guard let open = phrase.firstIndex(of: "{"), let close = phrase.firstIndex(of: "}") else {
            return phrase
        }
        return phrase[..<open] + text + phrase[phrase.index(after: close)...]
    }
}
