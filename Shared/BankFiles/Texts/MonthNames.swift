import WalletProtocol

/// Days whose month is a word: `31 Jan 2024`, `31-ene-24`, `Jan 31, 2024`, `31 de enero de 2024`.
enum MonthNames {
    /// The day in a text; nil where it has none.
    static func day(_ text: String) -> Day? {
        var words = MonthNames.words(of: text)
        words.removeAll { between.contains($0) }
        // Two digits are no year where four are there, or where they may be of a time of day.
        let isShort =
            !words.contains { isNumber($0) && $0.utf8.count == 4 }
            && !text.utf8.contains(UInt8(ascii: ":"))
        // A day of the week may stand in front, and its short name be one of a month.
        return day(words, isShort)
            ?? (words.first.map { !isNumber($0) } == true ? day(words.dropFirst(), isShort) : nil)
    }

    private static func day(
        _ words: some RandomAccessCollection<String>,
        _ isShort: Bool
    ) -> Day? {
        let words = Array(words.prefix(3))
        guard words.count == 3 else { return nil }
        let parts: (day: String, month: String, year: String)
        if isNumber(words[0]), !isNumber(words[1]) {
            let isYearFirst = words[0].utf8.count == 4
            parts = isYearFirst ? (words[2], words[1], words[0]) : (words[0], words[1], words[2])
        } else {
            parts = (words[1], words[0], words[2])
        }
        guard let month = numbers[parts.month], parts.day.utf8.count <= 2,
            let day = Int(parts.day), let year = Int(parts.year)
        else { return nil }
        switch parts.year.utf8.count {
        case 4: return Day(year: year, month: month, day: day)
        case 2 where isShort:
            return Day(year: year + (year < 70 ? 2_000 : 1_900), month: month, day: day)
        default: return nil
        }
    }

    private static func isNumber(_ word: String) -> Bool {
        word.utf8.allSatisfy { isDigit($0) }
    }

    /// Runs of letters and of digits, the first few; letters small and without accents.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        for word in CSVColumns.plain(String(text.prefix(64))).split(separator: " ").prefix(8) {
            var run = ""
            for letter in word {
                if let last = run.last, last.isNumber != letter.isNumber {
                    words.append(run)
                    run = ""
                }
                run.append(letter)
            }
            words.append(run)
        }
        return words
    }

    /// What may stand between the parts.
    private static let between: Set<String> = [
        "de", "del", "di", "of", "the", "le", "el", "il", "den", "er", "st", "nd", "rd", "th",
    ]

    /// Whether a word is a month's name, or its beginning.
    static func isName(_ word: String) -> Bool { numbers[word] != nil }

    /// The months by the beginnings of their names, from three letters on, that are of one alone.
    private static let numbers: [String: Int] = {
        var found: [String: Int] = [:]
        var unclear: Set<String> = []
        for (index, month) in names.enumerated() {
            for name in month {
                for length in 3...name.count {
                    let start = String(name.prefix(length))
                    if found[start, default: index + 1] != index + 1 { unclear.insert(start) }
                    found[start] = index + 1
                }
            }
        }
        for start in unclear { found[start] = nil }
        return found
    }()

    private static let names = [
        ["january", "januar", "janner", "jaenner", "gennaio", "janvier", "enero", "janeiro"],
        ["february", "februar", "feber", "febbraio", "fevrier", "febrero", "fevereiro"],
        ["march", "marz", "maerz", "mrz", "marzo", "mars", "maart", "mrt"],
        ["april", "aprile", "avril", "abril"],
        ["may", "mai", "maggio", "mayo", "mei", "maj", "maio"],
        ["june", "juni", "giugno", "juin", "junio", "junho"],
        ["july", "juli", "luglio", "juillet", "julio", "julho"],
        ["august", "agosto", "aout", "augustus", "augusti"],
        ["september", "settembre", "septembre", "septiembre", "setiembre", "setembro"],
        ["october", "oktober", "ottobre", "octobre", "octubre", "outubro"],
        ["november", "novembre", "noviembre"],
        ["december", "dezember", "dicembre", "decembre", "diciembre", "dezembro"],
    ]
}
