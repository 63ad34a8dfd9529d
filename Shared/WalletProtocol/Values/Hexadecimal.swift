/// Eight lower-case hexadecimal digits of a number, the first in the highest byte.
///
/// All eight at once: each nibble goes to a byte of its own, and those above nine move on to the
/// letters.
@inline(__always)
package func hexadecimalDigits(_ number: UInt32) -> UInt64 {
    var nibbles = UInt64(number)
    nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
    nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
    // Cannot wrap: each byte is below 16, and comes to no more than 0x66.
    let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
}

/// Writes 16 digits of a number from a place on; answers the place behind them.
@inline(__always)
package func write(
    hexadecimal number: UInt64,
    to bytes: inout MutableSpan<UInt8>,
    at place: Int
) -> Int {
    let high = hexadecimalDigits(UInt32(truncatingIfNeeded: number >> 32))
    let low = hexadecimalDigits(UInt32(truncatingIfNeeded: number))
    for index in 0..<8 {
        bytes[place + index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
        bytes[place + 8 + index] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
    }
    return place + 16
}
