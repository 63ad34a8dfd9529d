import Text

extension FuzzTarget {
    static let texts = [
        FuzzTarget(
            "texts",
            words: ["e\u{301}", "\u{202E}", "ﬁ", "İ", "ß", "\u{1F468}\u{200D}", "Ω", "@", "xn--"],
            growths: [
                Growth("e\u{301}"), Growth("e", "\u{301}"), Growth("e", "\u{301}\u{316}"),
                Growth("ﷺ"), Growth("a@", "ü.", "org"), Growth("각"), Growth("\u{202E}"),
                Growth("ß"), Growth("\u{1F468}\u{200D}"),
            ],
            seeds: {
                [
                    "Straße", "e\u{301}ﬁ", "ada@exämple.org", "Europe/Rome", "1234.50", "раураl",
                    "漢字 🧾", "2024-02-29", "utf-16", "xn--exmple-cua.org", "\u{1E9B}\u{323}",
                ].map { Array($0.utf8) }
            },
            check: { try text($0) }
        )
    ]

    private static func text(_ bytes: [UInt8]) throws {
        for name in ["UTF-8", "windows-1252", "UTF-16", "IBM850", "Shift_JIS"] {
            guard let made = Charsets.utf8(bytes, from: name) else { continue }
            try hold(String(validating: made, as: UTF8.self) != nil, "\(name) makes no UTF-8")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let folded = TextFolding.caseFolded(text)
        try hold(TextFolding.caseFolded(folded).utf8.elementsEqual(folded.utf8), "folds again")
        let composed = TextFolding.composed(text)
        try hold(
            TextFolding.composed(composed).utf8.elementsEqual(composed.utf8),
            "composes again"
        )
        let decomposed = TextFolding.decomposed(text)
        try hold(
            TextFolding.decomposed(decomposed).utf8.elementsEqual(decomposed.utf8),
            "decomposes again"
        )
        // Of usernames alone, which are no longer.
        let name = String(String.UnicodeScalarView(text.unicodeScalars.prefix(32)))
        _ = NameLooks.skeleton(name)
        _ = NameLooks.isPlain(name)
        _ = TimeZones.isKnown(text)
        if let address = MailAddressText.canonical(text) {
            let again = MailAddressText.canonical(address)
            let isSame = again.map { $0.utf8.elementsEqual(address.utf8) } == true
            try hold(isSame, "\(address) has another canonical form, \(again ?? "none")")
        }
    }
}
