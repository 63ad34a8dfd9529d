/// Whether it is a digit of ASCII.
///
/// Wraps: what stands before the first comes out above the last, so that one comparison does.
func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

/// Whether it is a capital of ASCII.
///
/// Wraps: as for digits.
func isCapital(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }

/// Whether it is a letter of ASCII.
///
/// Wraps: as for digits.
func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
