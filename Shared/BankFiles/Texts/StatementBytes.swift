// What a byte of a statement is. Wraps: what stands before the first of them comes out as a large
// number, so that one comparison does for both ends.

/// Whether it is a digit of ASCII.
func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

/// Whether it is a capital of ASCII.
func isCapital(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }

/// Whether it is a letter of ASCII.
func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
