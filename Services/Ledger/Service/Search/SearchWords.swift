import Text
import WalletProtocol

/// Texts as they are searched: words without case and accents, in any script.
///
/// A word is found by its beginning. Scripts that leave no spaces between words (Chinese, Japanese,
/// Thai …) are found from any character on, so every end of such a run is a word.
enum SearchWords {
    /// Characters of a word that count.
    static let lengthMax = 24
    /// Characters of a part of a run without spaces.
    static let runMax = 8
    /// Words of one transaction that are kept.
    static let countMax = 400

    /// The words of a text under which it is found, each once.
    static func index(_ texts: [String]) -> [String] {
        var words: [String] = []
        var seen: Set<String> = []
        for text in texts {
            for run in runs(text) {
                let starts = run.isSpaceless ? run.scalars.indices : 0..<1
                for start in starts where words.count < countMax {
                    let most = run.isSpaceless ? runMax : lengthMax
                    let word = string(run.scalars[start...].prefix(most))
                    if seen.insert(word).inserted { words.append(word) }
                }
            }
        }
        return words
    }

    /// The beginnings that are looked for, all of which have to be there.
    static func wanted(_ text: String) -> [String] {
        var words: [String] = []
        for run in runs(text) {
            guard run.isSpaceless else {
                words.append(string(run.scalars.prefix(lengthMax)))
                continue
            }
            var rest = run.scalars[...]
            while !rest.isEmpty {
                words.append(string(rest.prefix(runMax)))
                rest = rest.dropFirst(runMax)
            }
        }
        var seen: Set<String> = []
        return words.filter { seen.insert($0).inserted }
    }

    private struct Run {
        var scalars: [Unicode.Scalar] = []
        var isSpaceless = false
    }

    private static func runs(_ text: String) -> [Run] {
        var runs: [Run] = []
        var run = Run()
        func end() {
            if !run.scalars.isEmpty { runs.append(run) }
            run = Run()
        }
        for scalar in folded(text).unicodeScalars {
            if isAccent(scalar) { continue }
            guard isWordPart(scalar) else {
                end()
                continue
            }
            let isSpaceless = isSpaceless(scalar)
            let isMark = isMark(scalar)
            if isSpaceless != run.isSpaceless, !isMark { end() }
            if run.scalars.isEmpty { run.isSpaceless = isSpaceless }
            if let plain = plainLetters[scalar.value] {
                run.scalars += Array(plain.unicodeScalars)
            } else {
                run.scalars.append(scalar)
            }
        }
        end()
        return runs
    }

    /// Without case, accents apart; plain text, as most is, needs no tables.
    private static func folded(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.lowercased() }
        return TextFolding.decomposed(TextFolding.caseFolded(text))
    }

    private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// Letters that are others with a stroke, which no decomposition tells.
    private static let plainLetters: [UInt32: String] = [
        0xE6: "ae", 0xF0: "d", 0xF8: "o", 0xFE: "th", 0x111: "d", 0x127: "h", 0x131: "i",
        0x142: "l", 0x153: "oe", 0x167: "t",
    ]

    /// Marks that people leave out when they search.
    ///
    /// Those over Latin, Greek and Cyrillic letters, Hebrew points and Arabic vowels; those of
    /// Indic scripts are letters.
    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x300...0x36F, 0x591...0x5BD, 0x5BF, 0x5C1, 0x5C2, 0x610...0x61A, 0x640, 0x64B...0x65F,
            0x670, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F:
            true
        default: false
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark: return true
        default: return false
        }
    }

    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return (0x61...0x7a).contains(scalar.value | 0x20)
                || (0x30...0x39).contains(scalar.value)
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark,
            .otherSymbol:
            return true
        default: return false
        }
    }

    private static func isSpaceless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x31F0...0x31FF:
            true
        default: !scalar.isASCII && (scalar.properties.isIdeographic || isSymbol(scalar))
        }
    }

    /// Emoji stand side by side.
    private static func isSymbol(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && scalar.properties.generalCategory == .otherSymbol
    }
}

/// What a person looks for.
struct SearchQuery {
    private let words: [String]

    init(_ text: String) { words = SearchWords.wanted(text) }

    /// Whether a text has all of it.
    func matches(_ texts: [String]) -> Bool {
        let index = SearchWords.index(texts)
        return words.allSatisfy { word in index.contains { $0.hasPrefix(word, by: word.utf8) } }
    }

    /// In the language of text search, with the person's mark before each word; nil where there is
    /// nothing to look for.
    func text(of user: ID<User>) -> String? {
        guard !words.isEmpty else { return nil }
        let mark = SearchIndex.mark(of: user)
        // Words are letters, digits and symbols: no quote is among them.
        return words.map { "'\(mark)\($0)':*" }.joined(separator: " & ")
    }
}

extension String {
    /// By bytes: characters may be composed of what follows.
    fileprivate func hasPrefix(_ word: String, by bytes: String.UTF8View) -> Bool {
        utf8.starts(with: bytes)
    }
}
