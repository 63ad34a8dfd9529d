internal import CICU

// Safety: ICU's normalizers live as long as the process; buffers are lent for one call.

/// The forms by which two texts are the same.
public enum TextFolding {
    /// NFKC_Casefold: without case, width and compatibility differences, ignorables dropped.
    ///
    /// Source: Unicode Standard, 3.13 (D147, toNFKC_Casefold).
    public static func caseFolded(_ text: String) -> String {
        var status = U_ZERO_ERROR
        return unsafe normalized(text, by: ezwallet_nfkc_casefold(&status))
    }

    /// NFC: composed, so that the same text has the same bytes.
    ///
    /// Source: Unicode Standard Annex 15.
    public static func composed(_ text: String) -> String {
        var status = U_ZERO_ERROR
        return unsafe normalized(text, by: ezwallet_nfc(&status))
    }

    /// NFC of all of a text, however many marks a letter has: of passwords, of which nothing may be
    /// dropped, and whose length is bounded.
    static func wholeComposed(_ text: String) -> String {
        var status = U_ZERO_ERROR
        return unsafe whole(text, by: ezwallet_nfc(&status))
    }

    /// NFD: decomposed, so that letters and their marks are apart.
    ///
    /// Source: Unicode Standard Annex 15.
    public static func decomposed(_ text: String) -> String {
        var status = U_ZERO_ERROR
        return unsafe normalized(text, by: ezwallet_nfd(&status))
    }

    /// Marks in a row; more are dropped, for no writing has them.
    ///
    /// ICU puts a letter's marks in order by insertion, whose time grows with their square: 16,000
    /// take more than a second. Source: Unicode Standard Annex 15, 13 (Stream-Safe Text Format).
    static let marksMax = 30

    private static func bounded(_ text: String) -> String {
        // Few texts have so many bytes of letters that are beyond Latin's.
        guard text.utf8.count(where: { $0 >= 0x80 }) > marksMax else { return text }
        var marks = 0
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            marks = isMark(scalar) ? marks + 1 : 0
            if marks <= marksMax { scalars.append(scalar) }
        }
        return String(scalars)
    }

    /// Whether it may come to stand among a letter's marks; what is dropped itself parts none.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return scalar.value == 0xAD }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default:
            // The halfwidth voicing marks become marks.
            return properties.isDefaultIgnorableCodePoint || scalar == "\u{FF9E}"
                || scalar == "\u{FF9F}"
        }
    }

    private static func normalized(_ text: String, by normalizer: OpaquePointer?) -> String {
        // A form may have more marks than the text.
        bounded(unsafe whole(bounded(text), by: normalizer))
    }

    private static func whole(_ text: String, by normalizer: OpaquePointer?) -> String {
        let source = Array(text.utf16)
        // A form may grow (up to 18 times for one character), and is asked again when it does.
        var target = [UInt16](repeating: 0, count: source.count * 2 + 16)
        var status = U_ZERO_ERROR
        var count = unsafe ezwallet_normalize(
            normalizer,
            source,
            Int32(source.count),
            &target,
            Int32(target.count),
            &status
        )
        if status == U_BUFFER_OVERFLOW_ERROR {
            target = [UInt16](repeating: 0, count: Int(count))
            status = U_ZERO_ERROR
            count = unsafe ezwallet_normalize(
                normalizer,
                source,
                Int32(source.count),
                &target,
                Int32(target.count),
                &status
            )
        }
        // Cannot fire: any text is taken, and there is the room that was asked for.
        precondition(status.rawValue <= 0, "ICU could not normalise: \(status.rawValue)")
        return String(decoding: target[0..<Int(count)], as: UTF16.self)
    }
}
