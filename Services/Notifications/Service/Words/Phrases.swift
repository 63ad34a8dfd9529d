import NotificationsData
import ServiceKit

/// What is said to people in one language.
///
/// `Data/README.md` has the form of its file. A phrase that a language lacks is English, as is
/// everything in a language that has no file.
struct Phrases: Sendable {
    /// ISO 639.
    let language: String
    private let texts: [String: [Piece]]

    /// A part of a phrase.
    private enum Piece: Sendable, Hashable {
        case words(String)
        case value(String)
    }

    // Safety: the files are constants of the executable, with their own count.
    /// By language.
    static let all: [String: Phrases] = {
        let files = unsafe embeddedFiles(notifications_data, count: notifications_data_count)
        let phrases = files.map { file in
            Phrases(
                String(file.name.prefix { $0 != "." }),
                String(decoding: file.bytes, as: UTF8.self)
            )
        }
        return Dictionary(phrases.map { ($0.language, $0) }) { first, _ in first }
    }()

    private static let english = all["en"] ?? Phrases("en", "")

    /// Those of a language as a profile has it: `it`, `it-CH`.
    static func of(_ language: String) -> Phrases {
        all[language.lowercased().split(separator: "-").first.map(String.init) ?? ""] ?? english
    }

    private init(_ language: String, _ text: String) {
        self.language = language
        var words: [String: [Substring]] = [:]
        var name = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty || line.hasPrefix("    ") {
                words[name, default: []].append(line.dropFirst(4))
            } else {
                name = String(line)
            }
        }
        texts = words.mapValues { lines in
            let last = lines.lastIndex { !$0.isEmpty } ?? -1
            return Phrases.pieces(of: lines[...last].joined(separator: "\n"))
        }
    }

    private static func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            pieces.append(.words(String(rest[..<start])))
            pieces.append(.value(String(rest[rest.index(after: start)..<end])))
            rest = rest[rest.index(after: end)...]
        }
        return pieces + [.words(String(rest))]
    }

    /// Its phrases, and the values that each tells.
    var told: [String: Set<String>] {
        texts.mapValues { pieces in
            Set(pieces.compactMap { if case .value(let name) = $0 { name } else { nil } })
        }
    }

    /// A phrase with its values, which are put in as they are; nil where nobody has written it.
    func find(_ name: String, _ values: [String: String] = [:]) -> String? {
        guard let pieces = texts[name] ?? Phrases.english.texts[name] else { return nil }
        return pieces.map { piece in
            switch piece {
            case .words(let words): words
            case .value(let name): values[name] ?? ""
            }
        }.joined()
    }

    /// The same; empty where nobody has written it, which `PhraseTests` finds.
    func say(_ name: String, _ values: [String: String] = [:]) -> String {
        find(name, values) ?? ""
    }
}
