internal import CICU

// Safety: buffers are lent for one call, whose length is passed along.

/// The languages that documents and messages have texts in.
public enum Languages {
    /// BCP 47, in alphabetical order.
    public static let all = [
        "ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi",
        "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "nb", "nl", "pl", "pt", "ro", "ru", "sk",
        "sl", "sv", "th", "tr", "uk", "vi", "zh", "zh-Hant",
    ]

    /// Tags of before, and of what is close to one of these languages.
    private static let otherTags = [
        "no": "nb", "nn": "nb", "iw": "he", "in": "id", "zh-tw": "zh-Hant", "zh-hk": "zh-Hant",
        "zh-mo": "zh-Hant",
    ]

    /// The language of the longest beginning of a tag that has one: `pt-BR`, then `pt`; nil where
    /// none has.
    public static func nearest(to tag: String) -> String? {
        var subtags = tag.lowercased().split { $0 == "-" || $0 == "_" }
        while !subtags.isEmpty {
            let begin = subtags.joined(separator: "-")
            if let known = otherTags[begin] ?? all.first(where: { $0.lowercased() == begin }) {
                return known
            }
            subtags.removeLast()
        }
        return nil
    }

    /// The name of a language in the language itself: `italiano`.
    ///
    /// Source: Unicode CLDR, by ICU.
    public static func ownName(_ tag: String) -> String {
        var name = [UInt16](repeating: 0, count: 128)
        let count = unsafe ezwallet_language_name(tag, &name, Int32(name.count))
        guard count > 0, count <= name.count else { return tag }
        return String(decoding: name[..<Int(count)], as: UTF16.self)
    }
}
