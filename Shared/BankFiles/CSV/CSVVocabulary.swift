import BankFilesData
import CEmbedded

/// The words of `Data/words.txt`, by what they mean.
struct CSVVocabulary: Sendable {
    /// What a word means: the first part of a line.
    enum Meaning: String, Hashable {
        case `in`, out, either, purchase
        case booked, unbooked, not
        case payment, card
        case balance, opening, closing, total, filler
        case lineCode = "line-code"
    }

    private var words: [Meaning: Set<String>] = [:]

    /// What is compiled in.
    static let shipped = CSVVocabulary(EmbeddedTexts.file("words.txt"))

    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2, let meaning = Meaning(rawValue: String(halves[0]))
            else { continue }
            let listed = CSVNames.list(halves[1]).map(CSVColumns.plain)
            words[meaning, default: []].formUnion(listed.filter { !$0.isEmpty })
        }
    }

    /// All of a meaning.
    func words(_ meaning: Meaning) -> Set<String> { words[meaning] ?? [] }

    /// Whether a text, as `CSVColumns.plain` writes it, has that meaning.
    func has(_ text: String, _ meaning: Meaning) -> Bool {
        words[meaning]?.contains(text) == true
    }
}

/// The files that are compiled in.
enum EmbeddedTexts {
    // Safety: the files are constants of the executable, with their own count.
    /// The text of a file; empty where there is none.
    static func file(_ wanted: String) -> String {
        for index in 0..<bank_files_data_count {
            let file = unsafe bank_files_data[index]
            guard unsafe String(cString: file.name) == wanted else { continue }
            let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.length)
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
        return ""
    }
}
