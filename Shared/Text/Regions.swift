internal import CICU

// Safety: ICU's list of countries is a constant of the library, ended by a null pointer.

/// Countries of ISO 3166-1, as ICU knows them.
public enum Regions {
    /// Whether a code of two capitals is a country's.
    public static func isCountry(_ code: some StringProtocol) -> Bool {
        guard code.utf8.count == 2, var next = unsafe ezwallet_countries() else { return false }
        while let known = unsafe next.pointee {
            if unsafe code.utf8.elementsEqual(
                UnsafeBufferPointer(start: known, count: 2).lazy.map { UInt8(bitPattern: $0) }
            ) {
                return true
            }
            unsafe next += 1
        }
        return false
    }
}
