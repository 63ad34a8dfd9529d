internal import CQREncode
internal import Glibc

/// Why there is no code of some bytes.
package enum QRCodeError: Error, Hashable, Sendable {
    /// A code of nothing is none.
    case empty
    /// More than is drawn so that a phone reads it from a screen.
    case tooLong(bytes: Int, max: Int)
    /// What the library says, such as that there is no memory.
    case failed(errno: Int32)
}

/// A QR code: a square of modules that are dark or light.
///
/// Shape: `size` is 17 and 4 for each version, 21 to 121 here; level M, which bears 15 % of damage.
/// Source: ISO/IEC 18004.
package struct QRCode: Hashable, Sendable {
    /// How many modules it has across and down, without the quiet zone.
    package let size: Int
    /// The modules, row by row from the top.
    private let modules: [Bool]

    /// The most that is drawn: version 26 holds it, of 121 modules.
    package static let bytesMax = 1_000
    /// How many light modules have to be around it.
    package static let quietZone = 4

    /// The code of a text, in UTF-8.
    /// - Throws: `.empty`, `.tooLong`, `.failed`.
    package init(_ text: String) throws(QRCodeError) {
        try self.init(Array(text.utf8))
    }

    // Safety: the library reads so many bytes, which are lent for the call; what it gives has
    // `width` times `width` bytes, is copied, and freed once.
    /// The code of some bytes, whatever they are: in byte mode.
    /// - Throws: `.empty`, `.tooLong`, `.failed`.
    package init(_ bytes: [UInt8]) throws(QRCodeError) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= Self.bytesMax else {
            throw .tooLong(bytes: bytes.count, max: Self.bytesMax)
        }
        let made = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M)
        guard let made = unsafe made else { throw .failed(errno: errno) }
        defer { unsafe QRcode_free(made) }
        size = unsafe Int(made.pointee.width)
        let count = size * size
        modules = unsafe UnsafeBufferPointer(start: made.pointee.data, count: count).map {
            $0 & 1 == 1
        }
    }

    /// Whether a module is dark; outside all are light.
    package func isDark(_ x: Int, _ y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && modules[y * size + x]
    }
}
