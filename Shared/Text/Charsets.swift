internal import CICU

/// Texts in the character sets of before Unicode.
public enum Charsets {
    // Safety: ICU reads and writes within the buffers that it is lent, and is told their lengths.
    /// The same text in UTF-8; nil where ICU has no such set.
    ///
    /// At most 64 MiB.
    public static func utf8(_ bytes: [UInt8], from name: String) -> [UInt8]? {
        guard bytes.count <= 64 << 20 else { return nil }
        // A byte becomes three in UTF-8 at most, and two or four bytes become no more than that.
        let capacity = bytes.count * 3 + 16
        var status = U_ZERO_ERROR
        let text = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
            let written = unsafe bytes.withUnsafeBytes { source in
                unsafe ezwallet_convert(
                    "UTF-8",
                    name,
                    UnsafeMutableRawPointer(target.baseAddress)?
                        .assumingMemoryBound(to: CChar.self),
                    Int32(capacity),
                    source.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(bytes.count),
                    &status
                )
            }
            count = max(0, min(Int(written), capacity))
        }
        return status.rawValue > 0 ? nil : text
    }
}
