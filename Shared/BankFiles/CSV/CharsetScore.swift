import WalletProtocol

/// How likely a text was written in a character set: how its letters stand together.
///
/// In a wrong set marks stand inside words, capitals behind small letters, accents side by side, or
/// letters are rare ones. Per byte that is not ASCII's, so that sets of two bytes compare.
struct CharsetScore {
    let value: Double

    init(_ bytes: [UInt8], _ text: [UInt8], _ charset: CSVCharset) {
        let count = bytes.count { $0 >= 0x80 }
        guard count > 0 else {
            value = 0
            return
        }
        let sum =
            switch charset {
            case .gb18030, .big5, .shiftJIS, .eucKR: CharsetScore.pairs(bytes, charset)
            default:
                CharsetScore.letters(String(decoding: text, as: UTF8.self), charset)
            }
        value = sum / Double(count)
    }

    // MARK: Sets of one byte

    private static func letters(_ text: String, _ charset: CSVCharset) -> Double {
        let (script, common) = expected(charset)
        let scalars = Array(text.unicodeScalars)
        let isCyrillic = charset == .windows1251 || charset == .koi8r
        var sum = 0.0
        for (index, scalar) in scalars.enumerated() where scalar.value >= 0x80 {
            let before = index > 0 ? scalars[index - 1] : " "
            let isLatin = script.lowerBound < 0x250
            // Words of other scripts have more than two letters, but for few.
            if !isLatin, script.contains(scalar.value), !isInWord(index, scalars, script) {
                sum += before.value < 0x80 && before.properties.isAlphabetic ? -2 : 0
                continue
            }
            let behind = index + 1 < scalars.count ? scalars[index + 1] : " "
            sum += worth(scalar, between: before, behind, script, common)
            // KOI8-R has capitals where Windows-1251 has small letters, which texts have more of.
            if isCyrillic, scalar.properties.isLowercase { sum += 0.2 }
        }
        // The set of few files is the less likely of two.
        return charset == .koi8r ? sum * 0.9 : sum
    }

    /// Whether a letter is one of three of its script side by side.
    private static func isInWord(
        _ index: Int,
        _ scalars: [Unicode.Scalar],
        _ script: ClosedRange<UInt32>
    ) -> Bool {
        var count = 1
        var next = index + 1
        while count < 3, next < scalars.count, script.contains(scalars[next].value) {
            (count, next) = (count + 1, next + 1)
        }
        next = index - 1
        while count < 3, next >= 0, script.contains(scalars[next].value) {
            (count, next) = (count + 1, next - 1)
        }
        return count >= 3
    }

    private static func worth(
        _ scalar: Unicode.Scalar,
        between before: Unicode.Scalar,
        _ behind: Unicode.Scalar,
        _ script: ClosedRange<UInt32>,
        _ common: Set<Unicode.Scalar>
    ) -> Double {
        let properties = scalar.properties
        if scalar.value == 0xFFFD || scalar.value < 0xA0 { return -8 }
        guard properties.isAlphabetic || properties.generalCategory == .nonspacingMark else {
            let isInside = before.properties.isAlphabetic || behind.properties.isAlphabetic
            if "€£–—’‘“”„«»·…°§©®№\u{A0}´".unicodeScalars.contains(scalar) { return 0 }
            return isInside ? -2 : -1
        }
        guard script.contains(scalar.value) else { return -2 }
        let isLatin = script.lowerBound < 0x250
        let isBeforeLatin = before.value < 0x250 && before.properties.isAlphabetic
        if isLatin != isBeforeLatin, before.properties.isAlphabetic { return -2 }
        if properties.isUppercase, before.properties.isLowercase { return -2 }
        let small = String(scalar).lowercased().unicodeScalars.first ?? scalar
        let worth = common.contains(small) ? 2.0 : rare.contains(small) ? 0 : 0.7
        // In few languages of Latin letters do two with accents stand side by side.
        return isLatin && before.value >= 0x80 && isBeforeLatin ? worth - 2 : worth
    }

    /// The letters of a set's languages, and of them those that are frequent.
    private static func expected(
        _ charset: CSVCharset
    ) -> (script: ClosedRange<UInt32>, common: Set<Unicode.Scalar>) {
        let script: ClosedRange<UInt32>
        let common: String
        switch charset {
        case .windows1250, .iso88592, .cp852:
            (script, common) = (0xAA...0x24F, "ąćęłńóśźżáčďéěíňřšťúůýžäöőüűôľăâîșțşţđß")
        case .windows1254: (script, common) = (0xAA...0x24F, "ğışçöüâîûİ")
        case .windows1257: (script, common) = (0xAA...0x24F, "āčēģīķļņšūžąęėįųõäöü")
        case .windows1251, .koi8r: (script, common) = (0x400...0x4FF, "оеаинтсрвлкді")
        case .windows1253: (script, common) = (0x370...0x3FF, "αοιετσνηρςάόίέ")
        case .windows1255: (script, common) = (0x590...0x5FF, "יואהלתרמבשנם")
        case .windows1256: (script, common) = (0x600...0x6FF, "ايلمنوترةب")
        case .windows874: (script, common) = (0xE00...0xE7F, "านรอกเงมยลวด่้")
        default: (script, common) = (0xAA...0x24F, "àáâãäåæçèéêëíîïñóôõöøúûüß")
        }
        return (script, Set(common.unicodeScalars))
    }

    /// Letters that stand in few words of their languages.
    private static let rare = Set("щэъфюцђѓљњќџґϊϋΐΰψξζץףٱژڤ".unicodeScalars)

    // MARK: Sets of two bytes

    private static func pairs(_ bytes: [UInt8], _ charset: CSVCharset) -> Double {
        var sum = 0.0
        var index = 0
        while index < bytes.count {
            let lead = bytes[index]
            index += 1
            guard lead >= 0x80 else { continue }
            if charset == .shiftJIS, (0xA1...0xDF).contains(lead) {
                sum += 0.25
                continue
            }
            guard index < bytes.count, bytes[index] >= 0x40, bytes[index] != 0x7F else {
                sum -= 8
                continue
            }
            sum += pair(lead, bytes[index], charset)
            index += 1
        }
        return sum
    }

    /// Frequent signs stand in the first levels of their sets, by how common they are.
    private static func pair(_ lead: UInt8, _ trail: UInt8, _ charset: CSVCharset) -> Double {
        switch charset {
        case .shiftJIS:
            switch lead {
            case 0x82, 0x83: return 4
            case 0x88...0x97: return 3
            case 0x81: return 0
            default: return -1
            }
        case .big5:
            if lead >= 0xA4, lead <= 0xC6 { return 2.4 }
            return lead < 0xA4 && lead >= 0xA1 ? 0 : -1
        case .eucKR:
            if lead >= 0xB0, lead <= 0xC8, trail >= 0xA1 { return 3 }
            return lead < 0xB0 && lead >= 0xA1 ? 0 : -2
        default:
            if lead >= 0xB0, lead <= 0xD7, trail >= 0xA1 { return 2.6 }
            return lead < 0xAA && lead >= 0xA1 ? 0 : -1
        }
    }
}
