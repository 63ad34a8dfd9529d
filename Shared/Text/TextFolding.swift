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

    /// NFD: decomposed, so that letters and their marks are apart.
    ///
    /// Source: Unicode Standard Annex 15.
    public static func decomposed(_ text: String) -> String {
        var status = U_ZERO_ERROR
        return unsafe normalized(text, by: ezwallet_nfd(&status))
    }

    private static func normalized(_ text: String, by normalizer: OpaquePointer?) -> String {
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
